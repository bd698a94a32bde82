import { type ClientConfig, type Connection, type PoolClient, Query, type QueryConfig } from 'pg';
import { DatabaseAway } from '../../errors.ts';
import {
  type Condition,
  forPostgres,
  type Read,
  refuseBroken,
  engineOnly,
  type SchemaTx,
  type SqlValue,
  type Statement,
  transactionOver,
  type Write,
} from '../database.ts';
import { isLost, mayBeCommitted } from './errors.ts';

/** What a transaction needs of the database that runs it. */
export interface Server {
  connect(): Promise<PoolClient>;
  /** Runs statements in their order, in one round trip. When one fails, the others are void too. */
  send(client: PoolClient, statements: readonly QueryConfig[]): Promise<Rows<unknown>[]>;
  /** Reads outside of any transaction. */
  read<Row>(statement: Read<Row>, values: readonly SqlValue[]): Promise<Row[]>;
  /** How a transaction begins. `bodyBeganAt` is on the clock of `performance.now()`. */
  begin(bodyBeganAt: number): readonly QueryConfig[];
  readonly begun?: ((results: readonly Rows<unknown>[], sentAt: number) => void) | undefined;
}

/** It can wait for a standby that is away. The server would keep its side of the connection anyway. */
const COMMIT = { name: 'hk_commit', text: 'commit', query_timeout: 2 ** 31 - 1 };
const ROLLBACK: QueryConfig = { name: 'hk_rollback', text: 'rollback' };

/** Two names with the same hash wait for each other without need. Nothing worse happens. */
export const LOCK = engineOnly('postgres', 'select pg_advisory_xact_lock(hashtextextended($1, 0))');

export const TRY_LOCK_TEXT = `
  select name from jsonb_array_elements_text($1::jsonb) as wanted (name)
  where pg_try_advisory_xact_lock(hashtextextended(name, 0))`;

const TRY_LOCK = engineOnly<{ name: string }>('postgres', TRY_LOCK_TEXT);

interface Call {
  readonly config: QueryConfig;
  /** Of a read: how to make it outside of the transaction. */
  readonly outside?: (() => Promise<unknown[]>) | undefined;
  resolve(result: Rows<unknown>): void;
  reject(error: unknown): void;
}

/**
 * Statements that are called one right after the other leave together. The transaction begins with the first one that
 * writes. Reads before it would see the same inside (every statement sees what is committed when it starts); outside they
 * hold no connection and can travel with the reads of other requests.
 */
export class Transaction implements SchemaTx {
  readonly #server: Server;
  readonly #beganAt = performance.now();
  readonly #mayCommitEarly: boolean;
  readonly #readsBefore: Promise<unknown>[] = [];
  #waiting: Call[] = [];
  #client: Promise<PoolClient> | undefined;
  /** Whatever its body still sends is rejected: it would run outside of it, on a connection that others may have by then. */
  #isOver = false;
  #outcome: 'open' | 'committed' | 'refused' = 'open';
  notified = false;

  constructor(server: Server, mayCommitEarly: boolean) {
    this.#server = server;
    this.#mayCommitEarly = mayCommitEarly;
  }

  /** True when what `require` names does not hold: the body is to run again and find out what. */
  get refused(): boolean {
    return this.#outcome === 'refused';
  }

  notify = (): void => {
    this.notified = true;
  };

  async lock(name: string): Promise<void> {
    await this.run(LOCK, [name]);
  }

  async tryLock(names: readonly string[]): Promise<string[]> {
    return (await this.all(TRY_LOCK, [JSON.stringify(names)])).map(({ name }) => name);
  }

  async all<Row>(statement: Read<Row> | Write<Row>, values: readonly SqlValue[] = []): Promise<Row[]> {
    const outside = statement.writes ? undefined : () => this.#server.read(statement, values);
    return (await this.#call(prepared(statement, values), outside)).rows as Row[];
  }

  async get<Row>(
    statement: Read<Row> | Write<Row>,
    values: readonly SqlValue[] = [],
  ): Promise<Row | undefined> {
    return (await this.all(statement, values))[0];
  }

  async run(statement: Write<unknown>, values: readonly SqlValue[] = []): Promise<number> {
    return (await this.#call(prepared(statement, values))).rowCount ?? 0;
  }

  async script(text: string): Promise<void> {
    await this.#call({ text });
  }

  async require(...conditions: readonly Condition[]): Promise<void> {
    if (!this.#mayCommitEarly) return refuseBroken(this, conditions);
    // One by one: Citus keeps the plan of each, and PostgreSQL needs as long for all together. Behind the first that fails the
    // server skips everything, the commit too.
    const guards = conditions.map((condition) => this.#call(prepared(...holdsOrFails(condition))));
    await Promise.all([...guards, this.#call(COMMIT)]).catch((error: unknown) => {
      if (isDivisionByZero(error)) this.#outcome = 'refused';
      throw error;
    });
    this.#outcome = 'committed';
  }

  async commit(): Promise<void> {
    this.#isOver = true;
    if (this.#client === undefined && this.#waiting.length === 0) return;
    if (this.#outcome === 'open') await this.#enqueue(COMMIT);
    (await this.#client)?.release();
  }

  /** A connection that does not even take the rollback is closed. */
  async rollback(reason: unknown): Promise<void> {
    this.#isOver = true;
    const client = await this.#client?.catch(() => undefined);
    if (client === undefined) return;
    if (isLost(reason)) client.release(true);
    else if (this.#outcome === 'committed') client.release();
    else
      await this.#enqueue(ROLLBACK).then(
        () => client.release(),
        () => client.release(true),
      );
  }

  async #call(config: QueryConfig, outside?: Call['outside']): Promise<Rows<unknown>> {
    if (this.#isOver) throw transactionOver();
    return this.#enqueue(config, outside);
  }

  #enqueue(config: QueryConfig, outside?: Call['outside']): Promise<Rows<unknown>> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ config, outside, resolve, reject }) === 1)
        process.nextTick(() => this.#leave());
    });
  }

  #leave(): void {
    const calls = this.#waiting;
    this.#waiting = [];
    if (this.#client !== undefined || calls.some(({ outside }) => outside === undefined)) {
      void this.#send(calls);
      return;
    }
    for (const { outside, resolve, reject } of calls) {
      const rows = outside!();
      this.#readsBefore.push(rows);
      rows.then((found) => resolve({ rows: found, rowCount: found.length }), reject);
    }
  }

  async #send(calls: readonly Call[]): Promise<void> {
    const begins = this.#client === undefined;
    this.#client ??= Promise.allSettled(this.#readsBefore).then(() => this.#server.connect());
    try {
      const client = await this.#client;
      const first = begins ? this.#server.begin(this.#beganAt) : [];
      const sentAt = performance.now();
      const results = await this.#server.send(client, [...first, ...calls.map(({ config }) => config)]);
      const answers = results.splice(0, first.length);
      if (begins) this.#server.begun?.(answers, sentAt);
      for (const [i, call] of calls.entries()) call.resolve(results[i]!);
    } catch (error) {
      const commits = calls.some(({ config }) => config === COMMIT);
      const told = commits && mayBeCommitted(error) ? new DatabaseAway(error.cause, 'unknown') : error;
      for (const call of calls) call.reject(told);
    }
  }
}

/** A statement that fails where a condition does not hold: it divides by zero. */
function holdsOrFails({ judge, values }: Condition): [Read<unknown>, readonly SqlValue[]] {
  let statement = failing.get(judge);
  if (statement === undefined) {
    const text = judge.text.replace(/^\s*select (.*?) as holds\b/s, 'select 1 / ($1) as holds');
    if (text === judge.text) throw new Error(`not a condition: ${text}`);
    failing.set(judge, (statement = { text, name: `${judge.name}_or_fail`, writes: false }));
  }
  return [statement, values];
}

const failing = new Map<Read<unknown>, Read<unknown>>();

function isDivisionByZero(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '22012';
}

export interface Rows<Row> {
  rows: Row[];
  rowCount: number | null;
}

/**
 * Sends statements in one system call, so that PostgreSQL wakes up once. Where all of them are prepared, they are one
 * message with one answer: pg would end each with a Sync, and at each the server sends what it has, so the ten
 * statements of a booking would wake this process ten times. Where one fails, the server skips those behind it, and its
 * error is the error of all.
 */
export function sendTogether(
  client: PoolClient,
  statements: readonly QueryConfig[],
): Promise<Rows<unknown>[]> {
  if (statements.length === 1 || !statements.every(isNamed)) {
    const { stream } = client.connection;
    stream.cork();
    process.nextTick(() => stream.uncork());
    return Promise.all(statements.map((statement) => client.query(statement)));
  }
  return new Promise((resolve, reject) => {
    const done: Done = (error, results) => (error === null ? resolve(results) : reject(error));
    client.query(new Group(statements, done));
  });
}

type Named = QueryConfig & { name: string };

function isNamed(statement: QueryConfig): statement is Named {
  return statement.name !== undefined && statement.name !== '';
}

type Done = (error: Error | null, results: Rows<unknown>[]) => void;

/** pg's own Query can read the answers of several statements: it does so for scripts. Only sending differs here. */
class Group extends Query {
  readonly #statements: readonly Named[];
  /** As a statement of its own can have it. The last one's, which is the commit if there is one. */
  readonly query_timeout: number | undefined;
  #server: Internals | undefined;

  constructor(statements: readonly Named[], done: Done) {
    super({ text: '', callback: done } as QueryConfig);
    this.#statements = statements;
    this.query_timeout = (statements.at(-1) as ClientConfig).query_timeout;
    // When the server has parsed a statement, pg asks for its name and text, to remember that it has.
    Object.defineProperties(this, {
      name: { get: () => this.#unparsed()[0]?.name },
      text: { get: () => this.#unparsed()[0]?.text },
    });
  }

  override submit = (connection: Connection): void => {
    const server = (this.#server = connection as unknown as Internals);
    server.stream.cork();
    for (const { name, text, values } of this.#statements) {
      if (
        server.parsedStatements[name] === undefined &&
        server.submittedNamedStatements[name] === undefined
      ) {
        server.parse({ name, text });
        server.submittedNamedStatements[name] = text;
      }
      server.bind({ statement: name, values, valueMapper: toText });
      server.describe({ type: 'P' });
      server.execute({});
    }
    server.sync();
    server.stream.uncork();
  };

  /** The server skips everything behind an error, statements that were to be parsed too. */
  handleError(error: Error, connection: Connection): void {
    for (const { name } of this.#unparsed()) delete this.#server?.submittedNamedStatements[name];
    Object.getPrototypeOf(Group.prototype).handleError.call(this, error, connection);
  }

  #unparsed(): Named[] {
    return this.#statements.filter(({ name }) => this.#server?.submittedNamedStatements[name] !== undefined);
  }
}

/** What pg's types leave out. */
interface Internals {
  readonly stream: Connection['stream'];
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: unknown; valueMapper: typeof toText }): void;
  describe(message: { type: 'P' }): void;
  execute(message: object): void;
  sync(): void;
}

function toText(value: SqlValue): string | null {
  return value === null ? null : String(value);
}

export function prepared(statement: Statement<unknown>, values: readonly SqlValue[]): QueryConfig {
  return { name: statement.name, text: textOf(statement), values: [...values] };
}

/**
 * Sent in front of reads, and in force for that message alone. A bitmap scan has no order, so its rows must be sorted. A plan for any
 * values expects more rows than there are, and may start other processes to help: a month's availability took 8 ms instead of 0.5.
 */
export const PLAN_ONCE_IN_ORDER: QueryConfig = {
  name: 'hk_plan_once',
  text: `select set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_bitmapscan', 'off', true),
    set_config('max_parallel_workers_per_gather', '0', true)`,
};

const texts = new WeakMap<Statement<unknown>, string>();

function textOf(statement: Statement<unknown>): string {
  let text = texts.get(statement);
  if (text === undefined) texts.set(statement, (text = forPostgres(statement)));
  return text;
}

// Which transactions are open, and since when, over all processes (decision 0016). Each says when its body began, by a lock that
// nobody waits for. The server's own view of its sessions would not do: it knows nothing of what was done before the first statement
// arrived, hides the sessions of other roles, and counts those that only read.

/** A transaction whose first statement arrives later than this after its body began does nothing. */
const ARRIVAL_MS = 10_000;
/** By how much the server's clock may be moved, or a process be wrong about it, without a transaction going unseen. */
const CLOCK_ERROR_MS = 2000;

/** The two numbers of such a lock: this one, and seconds since 2020, which fit until 2088. */
const KIND = 18_507;
const EPOCH_S = 1_577_836_800;

const NOW = 'extract(epoch from clock_timestamp())::float8';

/** $1 is when the body began, by the server's clock. A negative number has no root, so what arrives late ends here. */
const SAY_OPEN = `
  select sqrt($1::float8 + ${ARRIVAL_MS / 1000} - ${NOW}), ${NOW} as now,
    pg_advisory_xact_lock_shared(${KIND}, floor($1::float8 - ${EPOCH_S})::integer)`;

export const ASK_CLOCK: QueryConfig = { name: 'hk_clock', text: `select ${NOW} as now` };

export const OLDEST_OPEN: QueryConfig = {
  name: 'hk_oldest_open',
  text: `select (${NOW} - ${EPOCH_S} - min(objid::bigint)) * 1000 as open_ms from pg_locks
    where locktype = 'advisory' and classid = ${KIND} and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())`,
};

export interface OpenRow {
  readonly open_ms: number | null;
}

export interface ClockRow {
  readonly now: number;
}

/** What a process knows of the server's clock. */
export class ServerClock {
  /** By how much it is ahead of `performance.now()`, in milliseconds. Undefined again when a transaction came late. */
  aheadMs: number | undefined;

  /** A response that took longer than a second is too old to go by, unless there is no other. */
  learn({ now }: ClockRow, sentAt: number): number {
    const received = performance.now();
    if (this.aheadMs === undefined || received - sentAt <= 1000) this.aheadMs = now * 1000 - received;
    return this.aheadMs;
  }
}

/** The first statement of a transaction. `aheadMs` was known when its body began: others may have forgotten it since. */
export function sayOpen(aheadMs: number, bodyBeganAt: number): QueryConfig {
  return { name: 'hk_open', text: SAY_OPEN, values: [(aheadMs + bodyBeganAt) / 1000] };
}

/** The server refused a transaction because it came late, or because this process is wrong about the server's clock. */
export function isLateArrival(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '2201F';
}

/** How long ago a transaction may have begun that is open, or still under way to the server: whole milliseconds, as all our times. */
export function longestOpenMs({ open_ms }: OpenRow): number {
  return Math.max(Math.ceil(open_ms ?? 0), ARRIVAL_MS) + CLOCK_ERROR_MS;
}

/**
 * Before a statement is parsed again under the same name, closes it. The first parse has failed then, say because the
 * statement before it in the transaction did. PostgreSQL has forgotten the name, and closing it does nothing. PgBouncer
 * remembers it, and would end the connection: "prepared statement name is already in use".
 */
export function closeBeforeParsingAgain({ connection }: PoolClient): void {
  const sent = new Set<string>();
  const parse = connection.parse.bind(connection);
  connection.parse = (statement, more) => {
    const { name } = statement;
    if (name && sent.has(name)) connection.close({ type: 'S', name }, more);
    sent.add(name);
    parse(statement, more);
  };
}
