import { copyFileSync, mkdtempSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CommanderError, type Command as Program } from 'commander';
import type { Config } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import type { Read } from '../../src/db/database.ts';
import type { Engine, Step } from './generator.ts';
import type { Seen } from './outcomes.ts';
import type { Actual, Operation, Printed, Request, Response, Settings, StoredEvent } from './operation.ts';
import * as faults from './faults.ts';
import { PostgresDatabase } from './postgres.ts';
import { closeKept, keepDatabaseOfCommands } from './kept-database.ts';
import { network, takeOverNetwork } from './network.ts';
import { machine, Random, takeOverMachine } from './random.ts';

takeOverMachine();
takeOverNetwork();
keepDatabaseOfCommands();
faults.takeOverCommits();

// Imported only now: what they import is replaced above.
const { buildApp } = await import('../../src/app.ts');
const { readConfig } = await import('../../src/config.ts');
const { openDatabase } = await import('../../src/db/open.ts');
const { read } = await import('../../src/db/database.ts');
const { migrate } = await import('../../src/db/migrate.ts');
const { beginSealing } = await import('../../src/calendars/urls.ts');
const { HostFigures } = await import('../../src/host-figures.ts');
const { NO_ID, restartIds } = await import('../../src/ids/uuid.ts');
const { createLogger } = await import('../../src/log.ts');
const { createGuard } = await import('../../src/outbound/guard.ts');
const { createSecrets } = await import('../../src/secrets/secrets.ts');
const { ensureSecretKey } = await import('../../src/secret-key/secret-key.ts');
const { deliverDue } = await import('../../src/worker/deliver.ts');
const { releaseLeasesOfTheDead } = await import('../../src/webhooks/results.ts');
const { tasksFor } = await import('../../src/worker/tasks.ts');
const { ApiError, DatabaseAway, OperatorError } = await import('../../src/errors.ts');
const { buildProgram } = await import('../../src/cli/program.ts');

/** The order that `Clock` of the model promises. What tidies up comes last. */
const ORDER = [
  'serve-sandbox-guests',
  'complete-bookings',
  'cancel-unpaid-bookings',
  'close-months',
  'import-calendars',
];

/** In memory where the machine has such a folder: every transaction waits until its file is written. */
const FOLDER = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'hourkeep-simulate-'));
process.on('exit', () => rmSync(FOLDER, { recursive: true, force: true }));
const TEMPLATE = join(FOLDER, 'template.db');
let files = 0;
const POSTGRES_TEMPLATE = `simulate_${process.pid}_template`;
let postgresTemplate: Promise<void> | undefined;

const NEVER = new AbortController().signal;

/** The service on a database of its own, moved by operations alone. */
export class Service {
  #instances: Instance[];
  /** Instead of a file. */
  readonly #postgres: PostgresDatabase | undefined;
  readonly #file: string;
  /** The service rests on timers that keep no process alive; a listening socket would. */
  readonly #alive = setInterval(() => undefined, 60_000);
  /** Of the newest event seen. */
  #lastEvent = NO_ID;
  #requests = 0;

  private constructor(instances: Instance[], file: string, postgres?: PostgresDatabase) {
    this.#instances = instances;
    this.#file = file;
    this.#postgres = postgres;
  }

  /** Whatever came before in this process, the same seed gives the same ids, keys, tokens and secrets. */
  static async start(settings: Settings, seed: number, now: number, engine: Engine): Promise<Service> {
    machine.now = now;
    machine.random = new Random(seed);
    machine.jitter = settings.jitter;
    restartIds();
    network.receivers.clear();
    network.calendars.clear();
    if (engine === 'postgres') {
      await (postgresTemplate ??= makePostgresTemplate());
      const postgres = await PostgresDatabase.create(`simulate_${process.pid}_${++files}`, POSTGRES_TEMPLATE);
      const variables = environment(settings, postgres.url);
      Object.assign(process.env, variables);
      return new Service(
        [await open(readConfig(variables)), await open(readConfig(variables))],
        '',
        postgres,
      );
    }
    if (!existsSync(TEMPLATE)) await makeTemplate(`sqlite:${TEMPLATE}`);
    const file = join(FOLDER, `${++files}.db`);
    copyFileSync(TEMPLATE, file);
    const variables = environment(settings, `sqlite:${file}`);
    Object.assign(process.env, variables);
    return new Service([await open(readConfig(variables))], file);
  }

  get #ctx(): Context {
    return this.#instances[0]!.ctx;
  }

  async stop(): Promise<void> {
    clearInterval(this.#alive);
    await this.#close();
    await this.#postgres?.drop();
    for (const end of ['', '-wal', '-shm']) rmSync(this.#file + end, { force: true });
  }

  async #close(): Promise<void> {
    for (const { app } of this.#instances) await app.close();
    await closeKept();
    for (const { ctx } of this.#instances) await ctx.db.close();
  }

  /** After a crash `response` and `printed` are what nobody has seen: they are true if the operation was done. */
  async perform({ operation, now, fault, beside = [] }: Step): Promise<Seen> {
    machine.now = now;
    network.deliveries = [];
    const isCut = fault?.kind === 'cut' && this.#postgres !== undefined;
    faults.arm(fault, this.#file);
    const cut = isCut ? delay(fault.afterMs).then(() => this.#postgres!.cutConnections()) : undefined;
    const [seen, ...others] = await Promise.all([
      this.#do(operation),
      ...beside.map((other) => this.#request(other)),
    ]);
    await cut;
    const hasCrashed = faults.disarm();
    if (fault?.kind === 'crash' && !hasCrashed) faults.keepAsIs(this.#file);
    if (fault?.kind === 'crash' || fault?.kind === 'restart') await this.#restart(fault.kind === 'crash');
    if (hasCrashed && operation.kind === 'clock') await this.#workOn();
    if (isCut) await this.#reconnect();
    const mayWrite = operation.kind === 'request' ? operation.method !== 'GET' : true;
    const events = mayWrite || beside.length > 0 ? await this.#newEvents() : [];
    const isUnknown =
      fault?.kind === 'crash' && operation.kind !== 'clock' && (hasCrashed || !fault.isAnswered);
    return { ...seen, events, deliveries: network.deliveries, isUnknown, beside: others };
  }

  /** Until each pool has found out which of its connections are gone. */
  async #reconnect(): Promise<void> {
    for (const { ctx } of this.#instances) {
      for (let answered = 0; answered < 3;) {
        await delay(5);
        const isThere = await ctx.db
          .transaction((tx) => tx.get(anything))
          .then(
            () => true,
            () => false,
          );
        answered = isThere ? answered + 1 : 0;
      }
    }
    await closeKept();
  }

  async #do(operation: Operation): Promise<Pick<Actual, 'response' | 'printed'>> {
    switch (operation.kind) {
      case 'request':
        return { response: await this.#request(operation) };
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

  /** By Fastify's inject: the whole way of a request but its socket, so that nothing depends on when bytes arrive. */
  async #request({ method, path, headers, body }: Request): Promise<Response> {
    const { app } = this.#instances[this.#requests++ % this.#instances.length]!;
    const response = await app.inject({
      method: method as 'GET',
      url: path,
      headers: { host: 'hourkeep.test', ...headers },
      ...(body !== null && { payload: body }),
    });
    const shown = Object.entries(response.headers).filter(
      ([name]) => name !== 'date' && name !== 'connection',
    );
    return {
      status: response.statusCode,
      headers: Object.fromEntries(shown.map(([name, value]) => [name, String(value)])),
      body: parsed(response.payload, response.headers['content-type'] ?? ''),
    };
  }

  /** Everything that is due, until nothing is. */
  async #work(): Promise<void> {
    const tasks = tasksFor(this.#ctx.config);
    const rest = tasks.filter(({ name }) => !ORDER.includes(name));
    const inOrder = ORDER.flatMap((wanted) => tasks.find(({ name }) => name === wanted) ?? []);
    for (const task of inOrder) {
      const step = (): Promise<boolean> => task.step(this.#ctx, NEVER, async () => undefined);
      while (await (task.name === 'import-calendars' ? faults.spared(step) : step()));
    }
    await deliverDue(this.#ctx);
    for (const task of rest) while (await task.step(this.#ctx, NEVER, async () => undefined));
  }

  async #restart(hasCrashed: boolean): Promise<void> {
    const { config } = this.#ctx;
    await this.#close();
    if (hasCrashed) faults.leaveAsCrashed(this.#file);
    this.#instances = await Promise.all(this.#instances.map(() => open(config)));
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

/** One process of the service, but for its sockets. */
interface Instance {
  ctx: Context;
  app: Awaited<ReturnType<typeof buildApp>>;
}

async function open(config: Config): Promise<Instance> {
  const log = createLogger('silent');
  const db = openDatabase(config, log);
  const secrets = createSecrets(() => SECRET_KEY);
  const guard = createGuard(config.webhookAllowCidrs);
  const clock = { now: () => machine.now };
  const ctx: Context = { db, config, clock, log, secrets, guard, figures: new HostFigures() };
  const app = await buildApp(ctx);
  await app.ready();
  return { ctx, app };
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

const anything: Read<{ one: number }> = read<{ one: number }>('select 1 as one');

const SECRET_KEY = 'a key that only the simulation uses';

function environment(settings: Settings, url: string): Record<string, string> {
  return {
    DATABASE_URL: url,
    DATABASE_POOL_SIZE: '4',
    DATA_DIR: FOLDER,
    PORT: '0',
    SECRET_KEY,
    LOG_LEVEL: 'silent',
    PUBLIC_URL: settings.publicUrl,
    RATE_LIMIT_PRODUCTION: String(settings.rateLimit.production),
    RATE_LIMIT_SANDBOX: String(settings.rateLimit.sandbox),
    GUEST_VELOCITY_MAX: String(settings.velocity.max),
    GUEST_VELOCITY_WINDOW_MINUTES: String(settings.velocity.windowMinutes),
    // The contract names no retention: nothing is forgotten.
    EVENT_RETENTION_DAYS: '3650',
    UNPAID_CANCEL_MINUTES: String(settings.unpaidCancelMinutes),
    BOOKING_MAX_VALUE: String(settings.bookingMaxValue),
    // Loopback would be open outside production. Nothing is there.
    WEBHOOK_ALLOW_CIDRS: '192.0.2.0/24',
  };
}

async function makePostgresTemplate(): Promise<void> {
  const template = await PostgresDatabase.create(POSTGRES_TEMPLATE);
  await makeTemplate(template.url);
  await template.close();
}

async function makeTemplate(url: string): Promise<void> {
  const config = readConfig({ DATABASE_URL: url, DATA_DIR: FOLDER, SECRET_KEY });
  const db = openDatabase(config, createLogger('silent'));
  await migrate(
    db,
    { now: () => machine.now },
    {
      afterwards: async (tx) => {
        await ensureSecretKey(tx, config);
        await beginSealing(tx, config.database.engine);
      },
    },
  );
  await db.close();
}

function parsed(text: string, type: string): unknown {
  if (text === '') return null;
  return type.startsWith('application/json') ? JSON.parse(text) : text;
}

const programs = new Map<string, Promise<Program>>();

/** As typed at a terminal, on the database that the service serves, by a connection of its own. */
async function runCommand(argv: readonly string[], stdin?: string): Promise<Printed> {
  if (stdin !== undefined) throw new Error('standard input is not simulated');
  const noun = argv[0] ?? '';
  if (!programs.has(noun)) programs.set(noun, buildProgram(noun));
  const program = await programs.get(noun)!;
  const printed: string[] = [];
  const streams = [process.stdout, process.stderr] as const;
  const writers = streams.map((stream) => stream.write);
  process.stdout.write = (text: string | Uint8Array) => printed.push(String(text)) > 0;
  process.stderr.write = () => true;
  let exit = 0;
  try {
    await program.parseAsync([...argv, '--json'], { from: 'user' });
  } catch (error) {
    const isRefusal = [OperatorError, ApiError, DatabaseAway].some((type) => error instanceof type);
    if (!isRefusal && !(error instanceof CommanderError)) throw error;
    exit = isRefusal ? 1 : 2;
  } finally {
    for (const [i, stream] of streams.entries()) stream.write = writers[i]!;
  }
  const text = printed.join('');
  return { exit, json: text === '' ? null : JSON.parse(text) };
}
