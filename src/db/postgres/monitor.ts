import { setTimeout as delay } from 'node:timers/promises';
import type { Client, Pool, PoolClient } from 'pg';
import { DatabaseAway } from '../../errors.ts';
import { VERSION } from '../../version.ts';
import type { Write } from '../database.ts';
import { PgClient } from './address.ts';
import { CONNECT_TIMEOUT_MS, type Servers } from './servers.ts';

/** During an outage requests are answered within two seconds. This leaves half a second for everything else. */
const STALL_MS = 1400;
/** After this long without an answer the server is asked whether it is still working for us; it has as long to say so. */
const ASK_MS = 700;
const LOOK_EVERY_MS = 100;

/**
 * Notices when the database has stopped answering. Those who have waited for STALL_MS are told that it is away, but only
 * if it has answered nobody in that time and does not say that it is working on one of our statements. While it answers
 * somebody, there is only a queue, however long.
 */
export class StallWatch {
  readonly #waiting = new Set<{ since: number; reject(error: Error): void }>();
  readonly #timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  readonly #isAtWork: (withinMs: number) => Promise<boolean>;
  readonly #onStall: () => void;
  #lastAnswer = 0;
  #asking = false;

  constructor(isAtWork: (withinMs: number) => Promise<boolean>, onStall: () => void) {
    this.#isAtWork = isAtWork;
    this.#onStall = onStall;
  }

  /** Settles as the work does, or with DatabaseAway in a stall. A result that comes after that goes to `late`. */
  async guard<T>(work: Promise<T>, late: (value: T) => void = () => undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiter = { since: performance.now(), reject };
      this.#waiting.add(waiter);
      work.then(
        (value) => (this.#waiting.delete(waiter) ? resolve(value) : late(value)),
        (error: unknown) => {
          this.#waiting.delete(waiter);
          reject(error);
        },
      );
    });
  }

  answered(): void {
    this.#lastAnswer = performance.now();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    const waitedFor = (ms: number) =>
      this.#lastAnswer > now - ms ? [] : [...this.#waiting].filter(({ since }) => since <= now - ms);
    if (waitedFor(ASK_MS).length > 0) void this.#ask();
    const tired = waitedFor(STALL_MS);
    if (tired.length === 0) return;
    for (const waiter of tired) {
      this.#waiting.delete(waiter);
      waiter.reject(new DatabaseAway(new Error(`the database has answered nobody for ${STALL_MS} ms`)));
    }
    this.#onStall();
  }

  async #ask(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    if (await this.#isAtWork(STALL_MS - ASK_MS)) this.answered();
    this.#asking = false;
  }
}

/** A transaction that has taken this long makes us ask the server whether commits wait for its standby. */
const LONG_MS = 600;
const X_LOOK = 100;
const NO_STANDBY = 'commits wait for a synchronous standby that does not answer';

/**
 * Notices when commits wait for a synchronous standby that has gone. The server then keeps each of them, with its
 * connection and its locks, until the standby is back. Ending the wait from outside would let others read, and repeat
 * as acknowledged, what would be lost with the primary.
 *
 * So those who wait are told that the database is away, their connections stay as they are, and no more transactions
 * are begun until one of the old ones has ended.
 */
export class CommitWatch {
  readonly #open = new Set<Long>();
  readonly #stuck = new Set<Long>();
  readonly #waitsForStandby: (withinMs: number) => Promise<boolean>;
  readonly #onChange: (stuck: boolean) => void;
  readonly #timer = setInterval(() => void this.#look(), X_LOOK).unref();
  #asking = false;

  /** `onChange`: the first transaction got stuck, or the last one that was has ended. */
  constructor(waitsForStandby: (withinMs: number) => Promise<boolean>, onChange: (stuck: boolean) => void) {
    this.#waitsForStandby = waitsForStandby;
    this.#onChange = onChange;
  }

  /** What keeps a transaction from beginning. Ask again after waiting for a connection: it must be left to readers. */
  get obstacle(): DatabaseAway | undefined {
    return this.#stuck.size === 0 ? undefined : new DatabaseAway(new Error(NO_STANDBY));
  }

  /** Settles as the transaction does, or with DatabaseAway: then it may still be committed. */
  run<T>(transaction: () => Promise<T>): Promise<T> {
    if (this.obstacle !== undefined) return Promise.reject(this.obstacle);
    return new Promise((resolve, reject) => {
      const it = { since: performance.now(), reject };
      this.#open.add(it);
      void transaction()
        .then(resolve, reject)
        .finally(() => {
          this.#open.delete(it);
          if (this.#stuck.delete(it) && this.#stuck.size === 0) this.#onChange(false);
        });
    });
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const areLong = (): Long[] => [...this.#open].filter(({ since }) => since <= performance.now() - LONG_MS);
    if (this.#asking || areLong().length === 0) return;
    this.#asking = true;
    const waits = await this.#waitsForStandby(LONG_MS);
    this.#asking = false;
    if (waits) for (const transaction of areLong()) this.#giveUp(transaction);
  }

  #giveUp(transaction: Long): void {
    this.#open.delete(transaction);
    this.#stuck.add(transaction);
    if (this.#stuck.size === 1) this.#onChange(true);
    transaction.reject(new DatabaseAway(new Error(NO_STANDBY), 'unknown'));
  }
}

interface Long {
  readonly since: number;
  reject(error: Error): void;
}

/** pg_stat_activity shows this name, so our connections can be told from those of others, and from those of other versions. */
export const APPLICATION_NAME = `hourkeep ${VERSION}`;
const LISTENER_NAME = `${APPLICATION_NAME} listen`;

/**
 * The number of the server's process that runs this statement, whether rows are spread over machines, and what a database
 * must have for us. Not prepared: whether a pooler can do that is not known yet.
 */
export const SERVER: Write<FoundServer> = {
  text: `select pg_backend_pid() as pid, exists (select 1 from pg_extension where extname = 'citus') as is_citus,
    current_setting('server_encoding') as encoding, current_schema() as schema,
    current_setting('search_path') as search_path`,
  name: '',
  writes: true,
  only: 'postgres',
};

export interface FoundServer {
  readonly pid: number;
  readonly is_citus: boolean;
  readonly encoding: string;
  /** Where tables are; null where no schema of the search path can be used. */
  readonly schema: string | null;
  readonly search_path: string;
}

/** Not those that wait for their client ('Client'): the network may have lost the connection between it and us. */
const AT_WORK = `select count(*) as busy from pg_stat_activity
  where ($1::int[] is null or pid = any($1::int[])) and state = 'active'
    and wait_event_type is distinct from 'Client' and datname = current_database()
    and usename = session_user and application_name ~ '^hourkeep( [0-9.]+)?$'`;

/** Not those that have only just begun to wait: a standby that is there answers within milliseconds. */
const WAITS_FOR_STANDBY = `select count(*) as busy from pg_stat_activity
  where wait_event = 'SyncRep' and query_start < clock_timestamp() - interval '300 milliseconds'`;

/**
 * Whether the server is running a statement for one of these connections.
 *
 * Undefined: behind a pooler nobody knows which of the server's processes work for whom. One that works for any of our
 * processes counts: ours may be waiting in the pooler's queue behind it.
 */
export function isAtWork(
  url: string | undefined,
  clients: Iterable<PoolClient> | undefined,
  withinMs: number,
): Promise<boolean> {
  const pids = clients === undefined ? null : pidsOf(clients);
  return ask(url, AT_WORK, [pids], withinMs);
}

/** Whether commits wait for a synchronous standby. */
export function waitsForStandby(url: string | undefined, withinMs: number): Promise<boolean> {
  return ask(url, WAITS_FOR_STANDBY, [], withinMs);
}

/** Asks over a new connection: all of ours may be taken, or dead. No answer means no. */
async function ask(
  url: string | undefined,
  question: string,
  values: unknown[],
  withinMs: number,
): Promise<boolean> {
  if (url === undefined) return false;
  const client = new PgClient({
    connectionString: url,
    connectionTimeoutMillis: withinMs,
    query_timeout: withinMs,
    application_name: 'hourkeep watch',
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ busy: number }>(question, values);
    return rows[0]!.busy > 0;
  } catch {
    return false;
  } finally {
    client.connection.stream.destroy();
  }
}

export function pidsOf(clients: Iterable<PoolClient>): number[] {
  return [...clients].map((client) => (client as Served).processID);
}

/** pg's types leave out the number of the server's process that serves this connection. */
type Served = PoolClient & { processID: number };

const CHANNEL = 'hourkeep_work';
const RECONNECT_MS = 1000;
const PAUSE_MS = 5;

/**
 * LISTEN and NOTIFY. The notification is sent after the commit, as a statement of its own, once for all commits of a few
 * milliseconds. Inside the transaction it would take a lock that all committing transactions of the server wait for.
 * When a process dies between commit and notification, listeners find the work by their own polling.
 */
export class Notifications {
  readonly #pool: Pool;
  readonly #servers: Servers;
  readonly #onConnectionLost: (error: Error) => void;
  readonly #listeners = new Set<() => void>();
  #sending: Promise<void> | undefined;
  #again = false;
  #listening = false;
  #client: Client | undefined;
  #reconnect: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(pool: Pool, servers: Servers, onConnectionLost: (error: Error) => void) {
    this.#pool = pool;
    this.#servers = servers;
    this.#onConnectionLost = onConnectionLost;
  }

  send(): void {
    this.#tell();
    this.#again = true;
    this.#sending ??= this.#sendAll();
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (!this.#listening) this.#connect();
    this.#listening = true;
    return () => this.#listeners.delete(listener);
  }

  /** For after a network failure: the connection may be dead without an error. */
  reconnect(): void {
    this.#client?.connection.stream.destroy();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#reconnect);
    await this.#sending;
    await this.#client?.end().catch(() => undefined);
  }

  async #sendAll(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      await this.#pool.query(`notify ${CHANNEL}`).catch(() => undefined);
      await delay(PAUSE_MS);
    }
    this.#sending = undefined;
  }

  /** Listens on a connection outside the pool, to the server that takes writes, and opens a new one when it breaks. */
  #connect(): void {
    this.#servers.writer().then(
      (url) => this.#connectTo(url),
      (error: Error) => this.#tryAgain(error),
    );
  }

  #connectTo(url: string): void {
    if (this.#closed) return;
    const client = new PgClient({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      application_name: LISTENER_NAME,
    });
    this.#client = client;
    client.on('notification', () => this.#tell());
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client));
    client
      .connect()
      .then(() => client.query(`listen ${CHANNEL}`))
      .then(() => this.#tell())
      .catch((error: Error) => {
        this.#servers.doubt(url);
        this.#lost(client, error);
      });
  }

  #lost(client: Client, error?: Error): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.end().catch(() => undefined);
    this.#tryAgain(error);
  }

  #tryAgain(error?: Error): void {
    if (this.#closed) return;
    if (error !== undefined) this.#onConnectionLost(error);
    this.#reconnect = setTimeout(() => {
      this.#connect();
    }, RECONNECT_MS);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
