import { Client, Pool, types, type ClientConfig, type PoolClient, type QueryConfig } from 'pg';
import { DatabaseAway } from '../../errors.ts';
import {
  write,
  type Db,
  type PoolState,
  type Read,
  type SchemaTx,
  type SqlValue,
  type Statement,
  type Tx,
  type Write,
} from '../database.ts';
import { forPostgres } from '../dialect.ts';
import { Notifications } from './notify.ts';
import { APPLICATION_NAME, isAtWork, pidsOf } from './backends.ts';
import { checkPooler } from './pooler.ts';
import { startError } from './start-errors.ts';
import { StallWatch } from './stall-watch.ts';

export interface PostgresOptions {
  url: string;
  poolSize: number;
  /** Called when an idle connection breaks. The pool opens a new one by itself. */
  onConnectionLost(error: Error): void;
}

export function openPostgres(options: PostgresOptions): Db {
  return new Postgres(options);
}

/** Time limit for a free connection and for a statement. When the database answers nobody, StallWatch is faster. */
const TIMEOUT_MS = 10_000;
/** A connection attempt that gets no answer must not take up a place in the pool for long. */
const CONNECT_TIMEOUT_MS = 2500;
/**
 * When the network loses a connection in the middle of a transaction, the server does not notice, and the rows stay
 * locked until this limit ends the transaction. Our transactions are idle for milliseconds. Much less than this would
 * also end those of a process that waits for a busy machine.
 */
const IDLE_IN_TRANSACTION_MS = 4000;
/** Longer than a lost transaction keeps a row, so those who wait for it get it. */
const LOCK_WAIT_MS = 2 * IDLE_IN_TRANSACTION_MS;
const MIGRATION_TIMEOUT_MS = 10 * 60_000;
const ATTEMPTS = 3;
/** An arbitrary number. It must never change: processes of all versions wait for the same lock. */
const MIGRATION_LOCK = 4_150_711_225;

// All our integers (epoch milliseconds, minor units, counts) are far below 2^53.
types.setTypeParser(types.builtins.INT8, Number);
// Dates stay texts, as on SQLite. By default pg turns them into Date objects in the machine's timezone.
types.setTypeParser(types.builtins.DATE, String);

class Postgres implements Db {
  readonly engine = 'postgres';
  readonly #url: string;
  readonly #pool: Pool;
  readonly #clients = new Set<PoolClient>();
  readonly #watch: StallWatch;
  readonly #notifications: Notifications;

  constructor({ url, poolSize, onConnectionLost }: PostgresOptions) {
    this.#url = url;
    this.#pool = new Pool({
      Client: ImpatientClient,
      connectionString: url,
      max: poolSize,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      lock_timeout: LOCK_WAIT_MS,
      pipeline: true,
      keepAlive: true,
      application_name: APPLICATION_NAME,
    });
    this.#watch = new StallWatch(
      (withinMs) => isAtWork(url, this.#clients, withinMs),
      () => this.#dropConnections(),
    );
    this.#pool.on('error', onConnectionLost);
    // An 'error' event without a listener ends the process. Whoever is using the connection gets the error from their
    // statement.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
    this.#pool.on('connect', (client) => {
      this.#clients.add(client);
      this.#watch.answered();
    });
    this.#pool.on('remove', (client) => this.#clients.delete(client));
    this.#notifications = new Notifications(this.#pool, url, onConnectionLost);
  }

  async all<Row>(statement: Read<Row>, values: readonly SqlValue[] = []): Promise<Row[]> {
    return (await this.#query<Row>(statement, values)).rows;
  }

  async get<Row>(statement: Read<Row>, values: readonly SqlValue[] = []): Promise<Row | undefined> {
    return (await this.#query<Row>(statement, values)).rows[0];
  }

  /** Repeats the transaction after a deadlock or a serialisation failure. */
  async transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt('begin', body);
      } catch (error) {
        if (attempt >= ATTEMPTS || !isRetryable(error)) throw error;
      }
    }
  }

  /** Every start begins with the migration, so errors about the server and our access to it are explained here. */
  async exclusive<T>(body: (tx: SchemaTx) => Promise<T>): Promise<T> {
    // A migration may take long, and so may the wait for another process's migration.
    const patience = 'set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0';
    const lock = `select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
    const begin = `begin; ${patience}; ${lock}`;
    const checked = async (tx: SchemaTx): Promise<T> => {
      const { pid } = (await tx.get(SERVER_PID))!;
      // If the server's process is none of those that our connections were told, a pooler is in between.
      if (!pidsOf(this.#clients).includes(pid)) await checkPooler(this.#url);
      return body(tx);
    };
    try {
      return await this.#attempt(begin, checked, MIGRATION_TIMEOUT_MS);
    } catch (error) {
      throw startError(error, this.#url);
    }
  }

  async once<Row>(statement: Write<Row>, values: readonly SqlValue[] = []): Promise<Row | undefined> {
    return (await this.#query<Row>(statement, values)).rows[0];
  }

  listen(listener: () => void): () => void {
    return this.#notifications.listen(listener);
  }

  pool(): PoolState {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { total: totalCount, idle: idleCount, waiting: waitingCount };
  }

  async close(): Promise<void> {
    this.#watch.stop();
    await this.#notifications.close();
    await this.#pool.end();
  }

  async #query<Row>(statement: Statement<Row>, values: readonly SqlValue[]): Promise<Rows<Row>> {
    const client = await this.#connect();
    try {
      const result = await this.#send<Row>(client, prepared(statement, values));
      client.release();
      return result;
    } catch (error) {
      client.release(error instanceof DatabaseAway);
      throw error;
    }
  }

  async #attempt<T>(begin: string, body: (tx: SchemaTx) => Promise<T>, timeoutMs?: number): Promise<T> {
    const client = await this.#connect();
    let notified = false;
    const notify = (): void => {
      notified = true;
    };
    const tx = asTx((config) => this.#send(client, config, timeoutMs), notify);
    // Not awaited: it is sent together with the body's first statement, which fails if this one does.
    const begun = tx.script(begin);
    begun.catch(() => undefined);
    try {
      const value = await body(tx);
      await begun;
      await tx.script('commit');
      client.release();
      if (notified) this.#notifications.send();
      return value;
    } catch (bodyError) {
      // If begin failed, its error is the reason; the body only met the consequence.
      const error: unknown = await begun.then(
        () => bodyError,
        (beginError: unknown) => beginError,
      );
      client.release(error instanceof DatabaseAway || !(await rolledBack(tx)));
      throw error;
    }
  }

  /** Without a connection the database is away, whatever the reason: its name, our password, no slot left. */
  async #connect(): Promise<PoolClient> {
    try {
      return await this.#watch.guard(this.#pool.connect(), (client) => client.release());
    } catch (error) {
      throw error instanceof DatabaseAway ? error : new DatabaseAway(error);
    }
  }

  /**
   * After a stall no connection is trusted. When the network has lost them, they look open and never answer, and each
   * would make one more request wait. New connections are cheap.
   */
  #dropConnections(): void {
    for (const client of this.#clients) client.connection.stream.destroy();
    this.#notifications.reconnect();
  }

  /** Sends one statement. With a time limit of its own it is not watched: a migration may take long. */
  async #send<Row>(client: PoolClient, config: QueryConfig, timeoutMs?: number): Promise<Rows<Row>> {
    gatherWrites(client);
    try {
      const sent: Promise<unknown> =
        timeoutMs === undefined
          ? this.#watch.guard(client.query(config))
          : client.query({ ...config, query_timeout: timeoutMs } as QueryConfig);
      const result = await sent;
      this.#watch.answered();
      return result as Rows<Row>;
    } catch (error) {
      throw translated(error);
    }
  }
}

/** Statements that are sent one right after the other leave in one system call, and PostgreSQL wakes up once. */
function gatherWrites(client: PoolClient): void {
  const { stream } = client.connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** The pool knows one time limit for waiting and for connecting. Connecting gets a shorter one here. */
class ImpatientClient extends Client {
  constructor(config?: ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    // When pg itself gives up, as without a password, it leaves the socket open. A failed start would then end only
    // when the server closes it, a minute later.
    this.connection.on('error', () => this.connection.stream.destroy());
  }
}

async function rolledBack(tx: SchemaTx): Promise<boolean> {
  return tx.script('rollback').then(
    () => true,
    () => false,
  );
}

interface Rows<Row> {
  rows: Row[];
  rowCount: number | null;
}

type Send = <Row>(config: QueryConfig) => Promise<Rows<Row>>;

function asTx(send: Send, notify: () => void): SchemaTx {
  return {
    notify,
    inOrder: (statements) => Promise.all(statements),
    lock: async (name) => {
      await send(prepared(LOCK, [name]));
    },
    all: async <Row>(statement: Statement<Row>, values: readonly SqlValue[] = []) =>
      (await send<Row>(prepared(statement, values))).rows,
    get: async <Row>(statement: Statement<Row>, values: readonly SqlValue[] = []) =>
      (await send<Row>(prepared(statement, values))).rows[0],
    run: async (statement, values = []) => (await send(prepared(statement, values))).rowCount ?? 0,
    script: async (text) => {
      await send({ text });
    },
  };
}

/** The number of the server's process that runs this statement. */
const SERVER_PID = write<{ pid: number }>('select pg_backend_pid() as pid', 'postgres');

/** Two names with the same hash wait for each other without need. Nothing worse happens. */
export const LOCK = write('select pg_advisory_xact_lock(hashtextextended($1, 0))', 'postgres');

function prepared(statement: Statement<unknown>, values: readonly SqlValue[]): QueryConfig {
  return { name: statement.name, text: textOf(statement), values: [...values] };
}

const texts = new WeakMap<Statement<unknown>, string>();

function textOf(statement: Statement<unknown>): string {
  let text = texts.get(statement);
  if (text === undefined) texts.set(statement, (text = forPostgres(statement)));
  return text;
}

const DEADLOCK = '40P01';
const SERIALIZATION_FAILURE = '40001';

function isRetryable(error: unknown): boolean {
  const code = codeOf(error);
  return code === DEADLOCK || code === SERIALIZATION_FAILURE;
}

/** Connection lost, server stopping or starting, too many connections or disk full, lock timeout, read-only, idle timeout. */
const AWAY_SQLSTATES = /^(?:08...|57P0.|53...|55P03|25006|25P03)$/;
const AWAY_SOCKET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** Errors of pg itself have no code. */
const AWAY_MESSAGES = /timeout|Connection terminated|connection error|Client was closed/i;

function translated(error: unknown): unknown {
  const code = codeOf(error);
  if (code !== undefined) {
    return AWAY_SQLSTATES.test(code) || AWAY_SOCKET.has(code) ? new DatabaseAway(error) : error;
  }
  return error instanceof Error && AWAY_MESSAGES.test(error.message) ? new DatabaseAway(error) : error;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
