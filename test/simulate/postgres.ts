import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, type QueryResultRow } from 'pg';
import { firstIdAt } from '../../src/ids/uuid.ts';
import { VERSION } from '../../src/version.ts';
import { startCluster, type Cluster } from '../support/cluster.ts';
import { makeVersion } from '../support/other-version.ts';
import type { Ask } from './child.ts';
import type { Fault } from './faults.ts';
import type { Step } from './generator.ts';
import { GONE, Member } from './member.ts';
import {
  PHASES,
  type Delivery,
  type Operation,
  type Phase,
  type Printed,
  type Response,
  type Settings,
  type StoredEvent,
} from './operation.ts';
import type { Seen } from './outcomes.ts';
import { machine, takeOverMachine } from './random.ts';
import { environment } from './settings.ts';

// The library that verifies signatures looks at the clock.
takeOverMachine();

/** Of them the last one is of the next version, where faults are wanted. */
const MEMBERS = 3;
const THIS_VERSION = join(import.meta.dirname, '../..');
/** Adds what this version can live with. */
const NEXT = {
  '9000_notes.sql': `-- oldest: ${VERSION}
    alter table bookings add column note text;
    alter table rate_windows add column note text;
    alter table spaces alter column capacity type bigint;`,
};

/** What one world after another uses. */
let server: Promise<Server> | undefined;
const members: Member[] = [];
let spare: Member | undefined;
let nextVersion: string | undefined;
let born = 0;
let databases = 0;

interface Server {
  url: string;
  /** Where the run has started it. */
  cluster: Cluster | undefined;
}

/** The service as several processes on a database of their own, moved by operations alone. */
export class PostgresService {
  readonly #url: string;
  readonly #name: string;
  readonly #cluster: Cluster | undefined;
  readonly #serverUrl: string;
  readonly #opening: Ask & { kind: 'open' };
  readonly #network = new Map<string, Ask>();
  readonly #alive = setInterval(() => undefined, 60_000);
  readonly #seenEvents = new Set<string>();
  #database: Client | undefined;
  #turn = 0;
  #eventsFrom = 0;

  private constructor({ cluster, url }: Server, name: string, opening: Ask & { kind: 'open' }) {
    this.#cluster = cluster;
    this.#serverUrl = url;
    this.#url = urlOf(url, name);
    this.#name = name;
    this.#opening = opening;
  }

  static async start(
    settings: Settings,
    seed: number,
    now: number,
    withFaults: boolean,
  ): Promise<PostgresService> {
    const started = await (server ??= startServer());
    nextVersion ??= withFaults ? makeNextVersion() : undefined;
    for (let place = members.length; place < MEMBERS; place++) members.push(newMember(place, withFaults));
    for (const member of members) member.keepsAlive = true;
    const template = `simulate_${process.pid}`;
    const name = `${template}_${++databases}`;
    if (databases === 1) {
      await administer(started.url, `drop database if exists ${template}`);
      await administer(started.url, `create database ${template}`);
      for (const member of [members[0]!, members.at(-1)!])
        await member.ask(now, { kind: 'template', url: urlOf(started.url, template) });
    }
    await administer(started.url, `create database ${name} template ${template}`);
    const variables = environment(settings, urlOf(started.url, name));
    const { jitter } = settings;
    const service = new PostgresService(started, name, { kind: 'open', variables, seed, jitter });
    await Promise.all(members.map((member) => service.#open(member, now)));
    return service;
  }

  async stop(): Promise<void> {
    await Promise.all(members.map((member) => member.ask(0, { kind: 'close' })));
    for (const member of [...members, ...(spare === undefined ? [] : [spare])]) member.keepsAlive = false;
    await this.#database?.end();
    this.#cluster?.stepClock?.(0);
    await administer(this.#serverUrl, `drop database ${this.#name} with (force)`);
    clearInterval(this.#alive);
  }

  /** Ids, keys and secrets of two processes must differ. */
  async #open(member: Member, now: number): Promise<void> {
    await member.ask(now, { ...this.#opening, seed: this.#opening.seed + ++born * 7919 });
    for (const state of this.#network.values()) await member.ask(now, state);
  }

  async perform({ operation, now, fault, beside = [] }: Step): Promise<Seen> {
    machine.now = now;
    if (operation.kind === 'receiver' || operation.kind === 'calendar') {
      this.#network.set(`${operation.kind} ${operation.url}`, operation);
      await Promise.all(members.map((member) => member.ask(now, operation)));
      return { events: [], deliveries: [], isUnknown: false, beside: [] };
    }
    const seen =
      operation.kind === 'clock'
        ? await this.#work(now, fault)
        : await this.#ask(now, operation, beside, fault);
    return { ...seen, events: await this.#newEvents(now) };
  }

  /** Each at a process of its own, as far as there are so many. */
  async #ask(
    now: number,
    operation: Operation & { kind: 'request' | 'command' },
    beside: readonly (Operation & { kind: 'request' })[],
    fault: Fault | undefined,
  ): Promise<Omit<Seen, 'events'>> {
    const first = this.#turn++;
    const asked = [operation, ...beside].map((each, i) =>
      members[(first + i) % members.length]!.ask<Response | Printed>(now, each),
    );
    const trouble = this.#makeTrouble(fault, members[first % members.length]!);
    const [one, ...others] = await Promise.all(asked);
    await trouble;
    if (fault !== undefined) await this.#recover(now, fault);
    const known =
      one === GONE
        ? {}
        : operation.kind === 'request'
          ? { response: one as Response }
          : { printed: one as Printed };
    return {
      ...known,
      deliveries: [],
      isUnknown: one === GONE,
      beside: others.map((other) => (other === GONE ? undefined : (other as Response))),
    };
  }

  /** Two processes do what is due at the same time, one phase after the other. What trouble has kept from being done, is done after it. */
  async #work(now: number, fault: Fault | undefined): Promise<Omit<Seen, 'events'>> {
    const deliveries: Delivery[] = [];
    for (const phase of PHASES) {
      const workers = [members[this.#turn++ % members.length]!, members[this.#turn % members.length]!];
      // One process polls two calendars of a host at a time; more of them would come in more orders than the model tries.
      if (phase === 'import-calendars') workers.pop();
      const isTroubled = fault !== undefined && 'phase' in fault && fault.phase === phase;
      const done = workers.map((worker) => this.#workOn(worker, now, phase, isTroubled));
      const trouble = isTroubled ? this.#makeTrouble(fault, workers[0]!) : undefined;
      await Promise.all(done);
      await trouble;
      for (const worker of workers) deliveries.push(...(await worker.deliveries()));
      if (isTroubled) await this.#recover(now, fault);
      // A lease outlasts its worker, and one worker leaves to the other what that one has in flight.
      if (isTroubled && phase === 'deliveries') await this.#endLeases(now);
      if (isTroubled || phase === 'deliveries') await this.#workOn(members[0]!, now, phase, false);
      deliveries.push(...(await members[0]!.deliveries()));
    }
    if (fault?.kind === 'restart') await this.#recover(now, fault);
    // What was sent, and not recorded before the trouble, is sent again, word for word.
    const isAgain = fault !== undefined && 'phase' in fault && fault.phase === 'deliveries';
    return { deliveries: isAgain ? distinct(deliveries) : deliveries, isUnknown: false, beside: [] };
  }

  async #workOn(worker: Member, now: number, phase: Phase, mayFail: boolean): Promise<void> {
    try {
      await worker.ask(now, { kind: 'work', phase });
    } catch (error) {
      if (!mayFail) throw error;
    }
  }

  async #makeTrouble(fault: Fault | undefined, member: Member): Promise<void> {
    if (fault === undefined || !('afterMs' in fault)) return;
    await delay(fault.afterMs);
    const kind = this.#cluster === undefined && fault.kind !== 'kill' ? 'cut' : fault.kind;
    switch (kind) {
      case 'kill':
        return member.kill();
      case 'outage':
        await this.#cluster!.crash();
        return this.#cluster!.restart();
      case 'clock':
        return this.#cluster!.stepClock?.(fault.seconds);
      case 'cut':
        await this.#query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
          [this.#name],
        );
    }
  }

  /** Until there are as many processes as before, and each has found out which of its connections are gone. */
  async #recover(now: number, { kind }: Fault): Promise<void> {
    if (kind === 'restart') await members[this.#turn % members.length]!.kill();
    for (const [place, member] of members.entries()) {
      if (!member.isGone) continue;
      members[place] = newMember(place, true);
      await this.#open(members[place], now);
    }
    for (const member of members)
      for (let answered = 0; answered < 3;) {
        const isThere = await member.ask(now, { kind: 'look' }).then(
          () => true,
          () => false,
        );
        answered = isThere ? answered + 1 : 0;
        if (!isThere) await delay(5);
      }
    // What a killed process began may still be under way in the server.
    const busy = `select 1 from pg_stat_activity where datname = $1 and pid <> pg_backend_pid() and state <> 'idle'`;
    while ((await this.#query(busy, [this.#name])).length > 0) await delay(2);
  }

  /** As time does. */
  async #endLeases(now: number): Promise<void> {
    await this.#query('update deliveries set lease_token = null, due_at = $1 where lease_token is not null', [
      now,
    ]);
  }

  async #newEvents(now: number): Promise<StoredEvent[]> {
    const rows = await this.#query<EventRow>(
      `select host_id, id, type, created_at, environment, request_id, data::text from events where id >= $1 order by id`,
      [firstIdAt(this.#eventsFrom)],
    );
    this.#eventsFrom = now;
    const fresh = rows.filter(({ id }) => !this.#seenEvents.has(id));
    for (const { id } of fresh) this.#seenEvents.add(id);
    return fresh.map(({ host_id, id, type, created_at, environment, request_id, data }) => ({
      host_id,
      body: {
        id,
        type,
        timestamp: new Date(Number(created_at)).toISOString(),
        api_version: 'v1',
        environment,
        request_id,
        data: JSON.parse(data),
      },
    }));
  }

  /** By a connection that may have been cut. */
  async #query<Row extends QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    for (let tries = 1; ; tries++)
      try {
        this.#database ??= await connect(this.#url);
        return (await this.#database.query<Row>(text, values)).rows;
      } catch (error) {
        if (tries === 20) throw error;
        this.#database = undefined;
        await delay(50);
      }
  }
}

interface EventRow {
  host_id: string;
  id: string;
  type: string;
  created_at: string;
  environment: string;
  request_id: string | null;
  data: string;
}

/** DATABASE_URL names one; otherwise its own, whose clock can be moved where there is a C compiler. */
async function startServer(): Promise<Server> {
  const url = process.env['SIMULATE_POSTGRES'];
  if (url !== undefined) return { url, cluster: undefined };
  const cluster = await startCluster({}, { movesClock: true });
  if (cluster === undefined) throw new Error('PostgreSQL’s server programs are missing: set DATABASE_URL');
  return { url: cluster.url, cluster };
}

/** To start one takes a second: the next one is always ready. */
function newMember(place: number, withFaults: boolean): Member {
  if (withFaults && place === MEMBERS - 1) return new Member(nextVersion!);
  const member = spare ?? new Member(THIS_VERSION);
  spare = withFaults ? new Member(THIS_VERSION) : undefined;
  return member;
}

/** The same program under the number of the next release, which migrates the database. */
function makeNextVersion(): string {
  const { folder, remove } = makeVersion('9.0.0', NEXT);
  process.on('exit', remove);
  for (const part of ['test/simulate', 'test/model'])
    cpSync(join(THIS_VERSION, part), join(folder, part), { recursive: true });
  return folder;
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function administer(url: string, text: string): Promise<void> {
  const client = await connect(url);
  await client.query(text);
  await client.end();
}

function urlOf(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

function distinct(deliveries: readonly Delivery[]): Delivery[] {
  return [...new Map(deliveries.map((delivery) => [JSON.stringify(delivery), delivery])).values()];
}
