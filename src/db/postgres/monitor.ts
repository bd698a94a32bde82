import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { DatabaseAway } from '../../errors.ts';
import { VERSION } from '../../version.ts';
import { CONNECT_TIMEOUT_MS, PgClient, type Servers } from './servers.ts';

const LOOK_EVERY_MS = 100;
/** So long a command runs before it has a connection for this. */
const ASK_EVERY_MS = 500;
/** During an outage requests are answered within two seconds. This leaves half a second for everything else. */
const STALL_MS = 1400;
/** A transaction that has taken this long may wait for a standby. */
const LONG_MS = 600;
/** A promotion is noticed within five seconds, also where the old primary goes on. */
const LOOK_ELSEWHERE_MS = 2000;
const NOTIFY_PAUSE_MS = 5;

/** pg_stat_activity shows this name, so our connections can be told from those of others, and from those of other versions. */
export const APPLICATION_NAME = `hourkeep ${VERSION}`;
const CHANNEL = 'hourkeep_work';

/**
 * How many of our connections the server works for: not those that wait for their client, as the network may have lost the
 * connection between it and us. And how many commits wait for a synchronous standby: not those that have only just begun to
 * wait, as a standby that is there answers within milliseconds.
 */
const ASK = `
  select count(*) filter (where application_name = $1 and ($2::int[] is null or pid = any($2::int[])) and state = 'active'
      and datname = current_database() and usename = session_user
      and wait_event_type is distinct from 'Client') as at_work,
    count(*) filter (where wait_event = 'SyncRep'
      and query_start < clock_timestamp() - interval '300 milliseconds') as without_standby
  from pg_stat_activity`;

const NO_STANDBY = 'commits wait for a synchronous standby that does not respond';

/** The pool that is watched. */
export interface Watched {
  /**
   * The server's processes behind its connections; null behind a pooler, where nobody knows them. One that works for any process
   * like this one counts then: this one may be waiting in the pooler's queue behind it.
   */
  pids(): readonly number[] | null;
  notify(statement: string): Promise<unknown>;
  /** The database has not responded to anybody for a while. */
  onStall(): void;
  /** The first transaction got stuck, or the last one that was has ended. */
  onStuck(areStuck: boolean): void;
  onConnectionLost(error: Error): void;
}

interface Waiter {
  readonly since: number;
  reject(error: Error): void;
}

/**
 * Watches over a pool, by one connection of its own that asks the server every half second how it is, and on which it listens
 * for notifications.
 *
 * - A stall: those who have waited for STALL_MS are told that the database is away, but only if it has answered nobody in that
 *   time and does not say that it works for us. While it answers somebody, there is only a queue, however long.
 * - Commits that wait for a synchronous standby that has gone. The server keeps each of them, with its connection and its locks,
 *   until the standby is back. Ending the wait from outside would let others read, and repeat as acknowledged, what would be
 *   lost with the primary. So those who wait are told that the database is away, their connections stay as they are, and no
 *   more transactions are begun until one of the old ones has ended.
 * - Another server that was promoted (servers.ts).
 * - Notifications. They are sent after the commit, as a statement of their own, once for all commits of a few milliseconds.
 *   Inside the transaction they would take a lock that all committing transactions of the server wait for. When a process dies
 *   between commit and notification, or while this connection is away, listeners find the work by their own polling.
 */
export class Monitor {
  readonly #servers: readonly Servers[];
  readonly #watched: Watched;
  readonly #closing = new AbortController();
  readonly #waiting = new Set<Waiter>();
  readonly #open = new Set<Waiter>();
  readonly #stuck = new Set<Waiter>();
  readonly #listeners = new Set<() => void>();
  readonly #timers = [
    setInterval(() => this.#giveUpStalled(), LOOK_EVERY_MS).unref(),
    setInterval(() => this.#lookElsewhere(), LOOK_ELSEWHERE_MS).unref(),
  ];
  #client: Client | undefined;
  #isListening = false;
  #lastAnswer = 0;
  #lastLook = performance.now();
  #sending: Promise<void> | undefined;
  #again = false;

  /** The first of the servers are those to ask: where there is a pooler, past it. */
  constructor(servers: readonly Servers[], watched: Watched) {
    this.#servers = servers;
    this.#watched = watched;
    void this.#run();
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

  /** The server has said something. */
  answered(): void {
    this.#lastAnswer = performance.now();
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
          if (this.#stuck.delete(it) && this.#stuck.size === 0) this.#watched.onStuck(false);
        });
    });
  }

  notify(): void {
    this.#tell();
    this.#again = true;
    this.#sending ??= this.#sendAll();
  }

  /** The listener is also called when the connection stands. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#isListening) listener();
    return () => this.#listeners.delete(listener);
  }

  /** For when another server takes writes. */
  reconnect(): void {
    this.#client?.connection.stream.destroy();
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#closing.abort();
    await this.#sending;
    await this.#client?.end().catch(() => undefined);
  }

  async #run(): Promise<void> {
    // A connection that had answered is replaced at once.
    while (await this.#pause()) while (await this.#watch());
  }

  /** Connects and asks until the connection is lost. Returns whether it had answered. */
  async #watch(): Promise<boolean> {
    try {
      await this.#connect();
      await this.#ask();
      this.#isListening = true;
      // Something may have been missed.
      this.#tell();
      while (await this.#pause()) await this.#ask();
      return false;
    } catch (error) {
      const hadAnswered = this.#isListening;
      this.#isListening = false;
      this.reconnect();
      if (hadAnswered && !this.#closing.signal.aborted) this.#watched.onConnectionLost(error as Error);
      return hadAnswered;
    }
  }

  /** False when it is over. */
  async #pause(): Promise<boolean> {
    const { signal } = this.#closing;
    await delay(ASK_EVERY_MS, undefined, { ref: false, signal }).catch(() => undefined);
    return !signal.aborted;
  }

  /** To the server that takes writes. */
  async #connect(): Promise<void> {
    const [servers] = this.#servers;
    const url = await servers!.writer();
    this.#closing.signal.throwIfAborted();
    const client = new PgClient({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      application_name: `${APPLICATION_NAME} monitor`,
    });
    this.#client = client;
    client.on('notification', () => this.#tell());
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      servers!.doubt(url);
      throw error;
    }
  }

  async #ask(): Promise<void> {
    const { rows } = await this.#client!.query<{ at_work: number; without_standby: number }>(ASK, [
      APPLICATION_NAME,
      this.#watched.pids(),
    ]);
    const { at_work, without_standby } = rows[0]!;
    if (at_work > 0) this.answered();
    if (without_standby > 0) for (const each of waitingFor(LONG_MS, this.#open)) this.#giveUpCommit(each);
  }

  #giveUpCommit(transaction: Waiter): void {
    this.#open.delete(transaction);
    this.#stuck.add(transaction);
    if (this.#stuck.size === 1) this.#watched.onStuck(true);
    transaction.reject(new DatabaseAway(new Error(NO_STANDBY), 'unknown'));
  }

  #giveUpStalled(): void {
    const now = performance.now();
    // A look that comes so late means that this process stood still, with its machine perhaps: there may be answers to read.
    if (now - this.#lastLook > STALL_MS / 2) this.#lastAnswer = now;
    this.#lastLook = now;
    if (this.#lastAnswer > now - STALL_MS) return;
    const tired = waitingFor(STALL_MS, this.#waiting);
    if (tired.length === 0) return;
    for (const waiter of tired) {
      this.#waiting.delete(waiter);
      waiter.reject(
        new DatabaseAway(new Error(`the database has not responded to anybody for ${STALL_MS} ms`)),
      );
    }
    this.#watched.onStall();
  }

  #lookElsewhere(): void {
    for (const servers of this.#servers) void servers.seeOthers();
  }

  async #sendAll(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      await this.#watched.notify(`notify ${CHANNEL}`).catch(() => undefined);
      await delay(NOTIFY_PAUSE_MS);
    }
    this.#sending = undefined;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function waitingFor(ms: number, waiters: Iterable<Waiter>): Waiter[] {
  const since = performance.now() - ms;
  return [...waiters].filter((waiter) => waiter.since <= since);
}
