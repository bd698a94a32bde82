import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../src/context.ts';
import type { Read } from '../../src/db/database.ts';
import type { Step } from './generator.ts';
import type { Seen } from './outcomes.ts';
import { PHASES, type Actual, type Operation, type Settings, type StoredEvent } from './operation.ts';
import * as faults from './faults.ts';
import { closeKept } from './kept-database.ts';
import { makeTemplate, open, respond, runCommand, work, type Instance } from './instance.ts';
import { network } from './network.ts';
import { machine, Random, takeOverDurations } from './random.ts';
import { environment, FOLDER } from './settings.ts';

faults.takeOverCommits();
takeOverDurations();

const { readConfig } = await import('../../src/config.ts');
const { read } = await import('../../src/db/database.ts');
const { NO_ID, restartIds } = await import('../../src/ids/uuid.ts');
const { releaseLeasesOfTheDead } = await import('../../src/webhooks/results.ts');

const TEMPLATE = join(FOLDER, 'template.db');
let files = 0;

/** The service on a database of its own, moved by operations alone. */
export class Service {
  #instance: Instance;
  readonly #file: string;
  /** The service rests on timers that keep no process alive; a listening socket would. */
  readonly #alive = setInterval(() => undefined, 60_000);
  /** Of the newest event seen. */
  #lastEvent = NO_ID;

  private constructor(instance: Instance, file: string) {
    this.#instance = instance;
    this.#file = file;
  }

  /** Whatever came before in this process, the same seed gives the same ids, keys, tokens and secrets. */
  static async start(settings: Settings, seed: number, now: number): Promise<Service> {
    machine.now = now;
    machine.random = new Random(seed);
    machine.jitter = settings.jitter;
    restartIds();
    network.receivers.clear();
    network.calendars.clear();
    if (!existsSync(TEMPLATE)) await makeTemplate(`sqlite:${TEMPLATE}`);
    const file = join(FOLDER, `${++files}.db`);
    copyFileSync(TEMPLATE, file);
    const variables = environment(settings, `sqlite:${file}`);
    Object.assign(process.env, variables);
    return new Service(await open(readConfig(variables)), file);
  }

  get #ctx(): Context {
    return this.#instance.ctx;
  }

  async stop(): Promise<void> {
    clearInterval(this.#alive);
    await this.#close();
    for (const end of ['', '-wal', '-shm']) rmSync(this.#file + end, { force: true });
  }

  async #close(): Promise<void> {
    await this.#instance.app.close();
    await closeKept();
    await this.#ctx.db.close();
  }

  /** After a crash `response` and `printed` are what nobody has seen: they are true if the operation was done. */
  async perform({ operation, now, fault }: Step): Promise<Seen> {
    machine.now = now;
    network.deliveries = [];
    faults.arm(fault, this.#file);
    const seen = await this.#do(operation);
    const hasCrashed = faults.disarm();
    if (fault?.kind === 'crash' && !hasCrashed) faults.keepAsIs(this.#file);
    if (fault?.kind === 'crash' || fault?.kind === 'restart') await this.#restart(fault.kind === 'crash');
    if (hasCrashed && operation.kind === 'clock') await this.#workOn();
    const mayWrite = operation.kind === 'request' ? operation.method !== 'GET' : true;
    const events = mayWrite ? await this.#newEvents() : [];
    const isUnknown =
      fault?.kind === 'crash' && operation.kind !== 'clock' && (hasCrashed || !fault.isAnswered);
    return { ...seen, events, deliveries: network.deliveries, isUnknown, beside: [] };
  }

  async #do(operation: Operation): Promise<Pick<Actual, 'response' | 'printed'>> {
    switch (operation.kind) {
      case 'request':
        return { response: await respond(this.#instance, operation) };
      case 'command':
        return { printed: await runCommand(operation.argv, operation.stdin) };
      case 'clock':
        await this.#work();
        break;
      case 'receiver':
        network.receivers.set(operation.url, operation);
        break;
      case 'calendar':
        network.calendars.set(operation.url, operation.serves);
    }
    return {};
  }

  /** Everything that is due, until nothing is. */
  async #work(): Promise<void> {
    for (const phase of PHASES) {
      const done = (): Promise<void> => work(this.#ctx, phase);
      await (phase === 'import-calendars' ? faults.spared(done) : done());
    }
  }

  async #restart(hasCrashed: boolean): Promise<void> {
    const { config } = this.#ctx;
    await this.#close();
    if (hasCrashed) faults.leaveAsCrashed(this.#file);
    this.#instance = await open(config);
    await releaseLeasesOfTheDead(this.#ctx);
  }

  /** Does the rest of what was due. What was sent, and not recorded before the crash, is sent again, word for word. */
  async #workOn(): Promise<void> {
    const before = network.deliveries.splice(0);
    await this.#work();
    const again = new Set(network.deliveries.map((delivery) => JSON.stringify(delivery)));
    network.deliveries.push(...before.filter((delivery) => !again.has(JSON.stringify(delivery))));
  }

  async #newEvents(): Promise<StoredEvent[]> {
    const rows = await this.#ctx.db.all(newEvents, [this.#lastEvent]);
    this.#lastEvent = rows.at(-1)?.id ?? this.#lastEvent;
    return rows.map(({ host_id, id, type, created_at, environment, request_id, data }) => ({
      host_id,
      body: {
        id,
        type,
        timestamp: new Date(created_at).toISOString(),
        api_version: 'v1',
        environment,
        request_id,
        data: JSON.parse(data),
      },
    }));
  }
}

interface EventRow {
  host_id: string;
  id: string;
  type: string;
  created_at: number;
  environment: string;
  request_id: string | null;
  data: string;
}

const newEvents: Read<EventRow> = read<EventRow>(
  `select host_id, id, type, created_at, environment, request_id, data from events where id > $1 order by id`,
);
