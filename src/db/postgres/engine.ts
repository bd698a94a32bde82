import { randomUUID } from 'node:crypto';
import { Pool, type PoolClient, type QueryConfig, types } from 'pg';
import { DatabaseAway } from '../../errors.ts';
import {
  type Answers,
  type Asked,
  type Db,
  ping,
  type PoolState,
  type Read,
  type SchemaTx,
  type SqlValue,
  type Tx,
  type Write,
} from '../database.ts';
import { isLost, isReadOnly, isRetryable, isStalePlan, startError, translated } from './errors.ts';
import { APPLICATION_NAME, Monitor, pidsOf } from './monitor.ts';
import { clientFor, Servers } from './servers.ts';
import {
  BEGIN_EXCLUSIVE,
  BEGIN_TEXT,
  beginWithLimits,
  checkPooler,
  givingWay,
  inOwnSession,
  limitsOfSession,
  refuseUnfit,
  type Route,
  SERVER,
  applySessionDefaults,
  waitingForServer,
} from './session.ts';
import { SharedReads } from './sharing.ts';
import {
  ASK_CLOCK,
  type Begin,
  isLateArrival,
  type ClockRow,
  closeBeforeParsingAgain,
  longestOpenMs,
  PLAN_ONCE_IN_ORDER,
  prepared,
  replanned,
  type Rows,
  sayOpen,
  sendTogether,
  type Server,
  ServerClock,
  Transaction,
} from './transaction.ts';

export interface PostgresOptions extends Route {
  poolSize: number;
  /** Called when an idle connection breaks. The pool opens a new one by itself. */
  onConnectionLost(error: Error): void;
  /** Where the address names several servers: this one takes writes now. */
  onServerFound(host: string): void;
}

export function openPostgres(options: PostgresOptions): Db {
  return new Postgres(options);
}

/** Time limit for a free connection and for a statement. When the database answers nobody, the monitor is faster. */
const TIMEOUT_MS = 10_000;
/** Connections for reads while commits that wait may have taken the whole pool. */
const RESERVE = 2;
const MIGRATION_TIMEOUT_MS = 10 * 60_000;
const ATTEMPTS = 3;

// All our integers (epoch milliseconds, minor units, counts) are far below 2^53.
types.setTypeParser(types.builtins.INT8, Number);
// Dates stay texts, as on SQLite. By default pg turns them into Date objects in the machine's timezone.
types.setTypeParser(types.builtins.DATE, String);

class Postgres implements Db {
  readonly engine = 'postgres';
  readonly #options: PostgresOptions;
  readonly #pool: Pool;
  readonly #clients = new Set<PoolClient>();
  readonly #servers: Servers;
  /** Past the pooler where there is one, otherwise the same. */
  readonly #direct: Servers;
  readonly #monitor: Monitor;
  readonly #clock = new ServerClock();
  readonly #shared = new SharedReads((statements) => this.#queryAll(statements));
  /** Grows when a migration has made the plans useless that connections remember. */
  #plans = 0;
  /** Then the server's processes are not those that our connections were told. */
  #isPooled: boolean;

  constructor(options: PostgresOptions) {
    const { url, pooler, directUrl, poolSize, onConnectionLost, onServerFound } = options;
    this.#options = options;
    this.#isPooled = pooler !== undefined;
    const onMove = (host: string): void => {
      this.#dropConnections();
      this.#monitor.reconnect();
      onServerFound(host);
    };
    this.#servers = new Servers(url, onMove);
    this.#direct = directUrl === undefined ? this.#servers : new Servers(directUrl, onMove);
    this.#pool = new Pool({
      Client: clientFor(this.#servers),
      connectionString: this.#servers.first,
      max: poolSize,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      ...limitsOfSession(pooler),
      pipeline: true,
      keepAlive: true,
      application_name: APPLICATION_NAME,
    });
    this.#monitor = new Monitor([...new Set([this.#direct, this.#servers])], {
      pids: () => (this.#isPooled ? null : pidsOf(this.#clients)),
      notify: (statement) => this.#pool.query(statement),
      onStall: () => this.#leaveServer(),
      onStuck: (areStuck) => this.#keepReserve(areStuck, poolSize),
      onConnectionLost,
    });
    this.#pool.on('error', (error) => {
      this.#servers.doubt(this.#servers.current);
      onConnectionLost(error);
    });
    // An 'error' event without a listener ends the process. Whoever is using the connection gets the error from their
    // statement.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
    this.#pool.on('connect', closeBeforeParsingAgain);
    this.#pool.on('connect', (client) => applySessionDefaults(client, pooler));
    this.#pool.on('connect', (client) => {
      this.#clients.add(client);
      // A pooler takes a connection also when the server behind it is away.
      if (!this.#isPooled) this.#monitor.answered();
    });
    this.#pool.on('remove', (client) => this.#clients.delete(client));
  }

  async all<Row>(statement: Read<Row>, values: readonly SqlValue[] = []): Promise<Row[]> {
    return (await this.#query<Row>(prepared(statement, values))).rows;
  }

  async get<Row>(statement: Read<Row>, values: readonly SqlValue[] = []): Promise<Row | undefined> {
    if (statement.valueTypes !== undefined) return this.#shared.get(statement, values);
    return (await this.#query<Row>(prepared(statement, values))).rows[0];
  }

  async readAlongIndexes<const Reads extends readonly Asked<unknown>[]>(
    reads: Reads,
  ): Promise<Answers<Reads>> {
    const statements = reads.map(([statement, values]) => prepared(statement, values));
    // Citus could not tell the shard.
    const results = await this.#queryAll(
      this.#shared.isCitus ? statements : [PLAN_ONCE_IN_ORDER, ...statements],
    );
    return results.slice(-reads.length).map(({ rows }) => rows) as Answers<Reads>;
  }

  /**
   * Repeats the transaction after a deadlock, a serialisation failure or a plan that a migration made useless, when it
   * came to the server too late, and when `require` found something that does not hold.
   */
  async transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    let mayCommitEarly = true;
    for (let attempt = 1; ; attempt++) {
      const aheadMs = this.#clock.aheadMs ?? (await this.#askClock());
      const tx = new Transaction(this.#asServer(), this.#beginOpenly(aheadMs), mayCommitEarly);
      try {
        return await this.#monitor.run(() => this.#attempt(tx, body));
      } catch (error) {
        if (tx.refused) mayCommitEarly = false;
        else if (attempt < ATTEMPTS && isLateArrival(error)) this.#clock.aheadMs = undefined;
        else if (attempt >= ATTEMPTS || !isRetryable(error))
          throw isLateArrival(error) ? new DatabaseAway(error) : error;
      }
    }
  }

  /** Registers the transaction as open (transaction.ts) and samples the server's clock. */
  #beginOpenly(aheadMs: number): Begin {
    return {
      statements: (beganAt) => [...beginWithLimits(this.#options.pooler), sayOpen(aheadMs, beganAt)],
      answered: (results, sentAt) => this.#clock.learn(results.at(-1)!.rows[0] as ClockRow, sentAt),
    };
  }

  async settledBefore(now: number): Promise<number> {
    return now - (await longestOpenMs((question) => this.#query(question)));
  }

  /** Here a constraint is changed in its place: no table has to be made anew. */
  async migration<T>(body: (tx: SchemaTx) => Promise<T>, onWait?: (why: string) => void): Promise<T> {
    return this.#checked(BEGIN_EXCLUSIVE, body, onWait);
  }

  async check(): Promise<void> {
    await this.#checked({ text: BEGIN_TEXT }, async () => undefined);
  }

  /** Every start begins here, with the migration, so errors about the server and our access to it are explained here. */
  async #checked<T>(
    begin: QueryConfig,
    body: (tx: SchemaTx) => Promise<T>,
    onWait?: (why: string) => void,
  ): Promise<T> {
    const { url, setting, directUrl } = this.#options;
    if (directUrl !== undefined) return this.#checkedAt(directUrl, begin, body, onWait);
    const checked = async (tx: SchemaTx): Promise<T> => {
      const found = (await tx.get(SERVER))!;
      refuseUnfit(found, url);
      this.#shared.isCitus = found.is_citus;
      // If the server's process is none of those that our connections were told, a pooler is in between.
      this.#isPooled ||= !pidsOf(this.#clients).includes(found.pid);
      if (this.#isPooled) await this.#checkPooler();
      return body(tx);
    };
    const attempt = (): Promise<T> =>
      this.#attempt(
        new Transaction(this.#asServer(MIGRATION_TIMEOUT_MS), { statements: () => [begin] }, false),
        checked,
      );
    try {
      return await givingWay(() => waitingForServer(attempt, onWait), onWait);
    } catch (error) {
      throw startError(error, url, setting);
    }
  }

  /** Past the pooler: it may have time limits of its own. */
  async #checkedAt<T>(
    url: string,
    begin: QueryConfig,
    body: (tx: SchemaTx) => Promise<T>,
    onWait?: (why: string) => void,
  ): Promise<T> {
    const direct = new Postgres({
      ...this.#options,
      url,
      setting: 'DATABASE_DIRECT_URL',
      pooler: undefined,
      directUrl: undefined,
      poolSize: 1,
    });
    try {
      const checked = async (tx: SchemaTx): Promise<T> => {
        this.#shared.isCitus = direct.#shared.isCitus;
        const held = randomUUID();
        await tx.lock(held);
        await this.#checkPooler(held);
        return body(tx);
      };
      return await direct.#checked(begin, checked, onWait);
    } finally {
      await direct.close();
    }
  }

  async #checkPooler(heldByDirect?: string): Promise<void> {
    await checkPooler({ ...this.#options, url: await this.#servers.writer() }, heldByDirect);
  }

  async concurrently(work: (session: Pick<SchemaTx, 'all' | 'script'>) => Promise<void>): Promise<void> {
    const { url, directUrl } = this.#options;
    try {
      await inOwnSession(await this.#direct.writer(), work);
    } catch (error) {
      const setting = directUrl === undefined ? this.#options.setting : 'DATABASE_DIRECT_URL';
      throw startError(translated(error), directUrl ?? url, setting);
    }
  }

  async once<Row>(statement: Write<Row>, values: readonly SqlValue[] = []): Promise<Row[]> {
    if (statement.unlogged) return this.#onceUnlogged(statement, values);
    // Without conditions `require` is the commit alone.
    return this.transaction(async (tx) => (await Promise.all([tx.all(statement, values), tx.require()]))[0]);
  }

  /** Not kept waiting by commits that are. Behind a pooler as a transaction, which has its level and limits from nobody else. */
  async #onceUnlogged<Row>(statement: Write<Row>, values: readonly SqlValue[]): Promise<Row[]> {
    const { pooler } = this.#options;
    if (pooler === undefined) return (await this.#query<Row>(prepared(statement, values))).rows;
    const server = { ...this.#asServer(), connect: () => this.#connect() };
    const tx = new Transaction(server, { statements: () => beginWithLimits(pooler) }, true);
    return this.#attempt(tx, async () => (await Promise.all([tx.all(statement, values), tx.require()]))[0]);
  }

  listen(listener: () => void): () => void {
    return this.#monitor.listen(listener);
  }

  pool(): PoolState {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { total: totalCount, idle: idleCount, waiting: waitingCount };
  }

  async close(): Promise<void> {
    await this.#monitor.close();
    if (this.#monitor.obstacle !== undefined) this.#dropConnections();
    await this.#pool.end();
  }

  async #query<Row>(config: QueryConfig, connected = this.#connect()): Promise<Rows<Row>> {
    return (await this.#queryAll([config], connected))[0] as Rows<Row>;
  }

  async #queryAll(statements: readonly QueryConfig[], connected = this.#connect()): Promise<Rows<unknown>[]> {
    const client = await connected;
    try {
      const results = await this.#send(client, statements).catch((error: unknown) => {
        if (!isStalePlan(error)) throw error;
        return this.#send(client, statements);
      });
      client.release();
      return results;
    } catch (error) {
      client.release(isLost(error));
      throw error;
    }
  }

  async #attempt<T>(tx: Transaction, body: (tx: SchemaTx) => Promise<T>): Promise<T> {
    try {
      const value = await body(tx);
      await tx.commit();
      if (tx.notified) this.#monitor.notify();
      return value;
    } catch (error) {
      await tx.rollback(error);
      throw error;
    }
  }

  #asServer(timeoutMs?: number): Server {
    return {
      connect: () => this.#connectToWrite(),
      send: (client, statements) => this.#send(client, statements, timeoutMs),
      read: async (statement, values) => {
        if (statement.valueTypes === undefined) return this.all(statement, values);
        const row = await this.get(statement, values);
        return row === undefined ? [] : [row];
      },
    };
  }

  async #connectToWrite(): Promise<PoolClient> {
    const client = await this.#connect();
    const { obstacle } = this.#monitor;
    if (obstacle === undefined) return client;
    client.release();
    throw obstacle;
  }

  async #askClock(): Promise<number> {
    const sentAt = performance.now();
    return this.#clock.learn((await this.#query<ClockRow>(ASK_CLOCK)).rows[0]!, sentAt);
  }

  /** Without a connection the database is away, whatever the reason: its name, our password, no slot left. */
  async #connect(): Promise<PoolClient> {
    try {
      return await this.#monitor.guard(this.#pool.connect(), (client) => client.release());
    } catch (error) {
      throw error instanceof DatabaseAway ? error : new DatabaseAway(error);
    }
  }

  /** Whoever waits for a connection asked before there was a reserve; the new connections serve them too. */
  #keepReserve(stuck: boolean, poolSize: number): void {
    this.#pool.options.max = poolSize + (stuck ? RESERVE : 0);
    if (stuck) for (let i = 0; i < RESERVE; i++) void this.get(ping).catch(() => undefined);
  }

  /** It answers nobody, or it is a standby now and what it answers is old. */
  #leaveServer(): void {
    for (const servers of [this.#servers, this.#direct]) servers.doubt(servers.current);
    this.#dropConnections();
  }

  /**
   * After a stall no connection is trusted. When the network has lost them, they look open and never answer, and each
   * would make one more request wait. New connections are cheap.
   */
  #dropConnections(): void {
    for (const client of this.#clients) client.connection.stream.destroy();
  }

  /** Sends statements in one system call. With a time limit of their own they are not watched: a migration may take long. */
  async #send(
    client: PoolClient,
    statements: readonly QueryConfig[],
    timeoutMs?: number,
  ): Promise<Rows<unknown>[]> {
    const plans = this.#plans;
    const queries = plans === 0 ? statements : statements.map((each) => replanned(each, plans));
    try {
      const results = await (timeoutMs === undefined
        ? this.#monitor.guard(sendTogether(client, queries))
        : sendTogether(
            client,
            queries.map((each) => ({ ...each, query_timeout: timeoutMs }) as QueryConfig),
          ));
      this.#monitor.answered();
      return results;
    } catch (error) {
      if (isStalePlan(error)) this.#plans = Math.max(this.#plans, plans + 1);
      if (this.#servers.areSeveral && isReadOnly(error)) this.#leaveServer();
      throw translated(error);
    }
  }
}
