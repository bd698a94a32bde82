import { randomUUID } from 'node:crypto';
import { Pool, type PoolClient, type QueryConfig, type QueryResult, types } from 'pg';
import { DatabaseAway } from '../../errors.ts';
import {
  type Answers,
  type Asked,
  type Db,
  forPostgres,
  ping,
  type PoolState,
  type Read,
  type SchemaTx,
  type SqlValue,
  type Tx,
  type Write,
} from '../database.ts';
import { isLost, isReadOnly, isRetryable, startError, translated } from './errors.ts';
import { APPLICATION_NAME, Monitor } from './monitor.ts';
import { ImpatientClient, type PgClient, refuseReadOnly, Servers } from './servers.ts';
import {
  BEGIN_EXCLUSIVE,
  BEGIN_TEXT,
  beginWithLimits,
  checkPooler,
  givingWay,
  inOwnSession,
  limitsOfSession,
  lockForBuilding,
  refuseUnfit,
  type Route,
  SERVER,
  sessionDefaults,
  waitingForServer,
} from './session.ts';
import { SharedReads } from './sharing.ts';
import {
  ASK_CLOCK,
  isLateArrival,
  type ClockRow,
  closeBeforeParsingAgain,
  longestOpenMs,
  OLDEST_OPEN,
  type OpenRow,
  PLAN_ONCE_IN_ORDER,
  prepared,
  type Rows,
  sayOpen,
  sendTogether,
  type Server,
  ServerClock,
  Transaction,
} from './transaction.ts';

interface PostgresOptions extends Route {
  poolSize: number;
  /** Called when an idle connection breaks. The pool opens a new one by itself. */
  onConnectionLost(error: Error): void;
  /** Where the address names several servers: this one takes writes now. */
  onServerFound(host: string): void;
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

export class Postgres implements Db {
  readonly engine = 'postgres';
  readonly #options: PostgresOptions;
  readonly #pool: Pool;
  readonly #clients = new Set<PoolClient>();
  readonly #servers: Servers;
  /** Past the pooler where there is a way, otherwise the same. */
  readonly #direct: Route;
  readonly #directServers: Servers;
  readonly #monitor: Monitor;
  readonly #clock = new ServerClock();
  readonly #shared = new SharedReads((statements) => this.#queryAll(statements));
  /** Then the server's processes are not those that our connections were told. */
  #isPooled: boolean;

  constructor(options: PostgresOptions) {
    const { url, pooler, directUrl, poolSize, onConnectionLost, onServerFound } = options;
    this.#options = options;
    this.#isPooled = pooler !== undefined || directUrl !== undefined;
    const onMove = (to: string): void => {
      this.#dropConnections();
      this.#monitor.reconnect();
      onServerFound(new URL(to).host);
    };
    this.#servers = new Servers(url, (to) => {
      this.#pool.options.connectionString = to;
      onMove(to);
    });
    const past = { setting: 'DATABASE_DIRECT_URL', pooler: undefined, directUrl: undefined } as const;
    this.#direct = directUrl === undefined ? options : { url: directUrl, ...past };
    this.#directServers = directUrl === undefined ? this.#servers : new Servers(directUrl, onMove);
    this.#pool = new Pool({
      Client: ImpatientClient,
      connectionString: this.#servers.first,
      max: poolSize,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      ...limitsOfSession(pooler),
      pipeline: true,
      keepAlive: true,
      application_name: APPLICATION_NAME,
      // pg awaits it, though its types do not say so.
      onConnect: (client): unknown => this.#prepare(client as PoolClient),
    });
    this.#monitor = new Monitor([...new Set([this.#directServers, this.#servers])], {
      pids: () => (this.#isPooled ? null : [...this.#clients].map((client) => (client as Served).processID)),
      notify: (statement) => this.#pool.query(statement),
      onStall: () => this.#leaveServer(),
      onStuck: (areStuck) => this.#keepReserve(areStuck, poolSize),
      onConnectionLost,
    });
    this.#pool.on('error', (error) => {
      this.#servers.doubt(this.#servers.current);
      onConnectionLost(error);
    });
    this.#pool.on('remove', (client) => this.#clients.delete(client));
  }

  /** A connection whose answers would be wrong, or old, is not used: between choosing a server and now it may have become a standby. */
  async #prepare(client: PoolClient): Promise<void> {
    this.#clients.add(client);
    closeBeforeParsingAgain(client);
    // A pooler takes a connection also when the server behind it is away.
    if (!this.#isPooled) this.#monitor.answered();
    const applied = this.#applyDefaults(client);
    // With one server they travel in front of the first statement.
    if (this.#servers.areSeveral) await applied;
    else applied.catch(() => undefined);
  }

  async #applyDefaults(client: PoolClient): Promise<void> {
    try {
      const results: unknown = await client.query(sessionDefaults(this.#options.pooler));
      const { rows } = (results as QueryResult[]).at(-1)!;
      if (this.#servers.areSeveral) refuseReadOnly(rows);
      if ((client as unknown as PgClient).url !== this.#pool.options.connectionString)
        throw new Error('another server takes writes now');
      this.#monitor.answered();
    } catch (error) {
      this.#clients.delete(client);
      client.connection.stream.destroy();
      throw error;
    }
  }

  async all<Row>(statement: Read<Row>, values: readonly SqlValue[] = []): Promise<Row[]> {
    if (statement.valueTypes === undefined) return this.#query(prepared(statement, values)) as Promise<Row[]>;
    const row = await this.#shared.get(statement, values);
    return row === undefined ? [] : [row];
  }

  async get<Row>(statement: Read<Row>, values: readonly SqlValue[] = []): Promise<Row | undefined> {
    return (await this.all(statement, values))[0];
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
   * Repeats the transaction after a deadlock or a serialisation failure, when it came to the server too late, and when
   * `require` found something that does not hold.
   */
  async transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    let mayCommitEarly = true;
    for (let attempt = 1; ; attempt++) {
      const aheadMs = this.#clock.aheadMs ?? (await this.#askClock());
      const tx = new Transaction(this.#asServer(aheadMs), mayCommitEarly);
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

  async settledBefore(now: number): Promise<number> {
    const [row] = await this.#query(OLDEST_OPEN);
    return now - longestOpenMs(row as OpenRow);
  }

  /** Here a constraint is changed in its place: no table has to be made anew. */
  async migration<T>(body: (tx: SchemaTx) => Promise<T>, onWait?: (why: string) => void): Promise<T> {
    return this.#checked(BEGIN_EXCLUSIVE, body, onWait);
  }

  async check(): Promise<void> {
    await this.#checked({ text: BEGIN_TEXT }, async () => undefined);
  }

  /**
   * Every start begins here, with the migration, so errors about the server and our access to it are explained here. Where there
   * is a pooler, past it: it may have time limits of its own.
   */
  async #checked<T>(
    begin: QueryConfig,
    body: (tx: SchemaTx) => Promise<T>,
    onWait: (why: string) => void = () => undefined,
  ): Promise<T> {
    const attempt = async (): Promise<T> =>
      this.#inOwnSession(async (client) => {
        const server: Server = {
          ...this.#asServer(0),
          connect: async () => client,
          send: (_, statements) => sendTogether(client, statements.map(withTimeForAMigration)),
          begin: () => [begin],
          begun: undefined,
        };
        const value = await this.#attempt(new Transaction(server, false), async (tx) => {
          await this.#checkServer(tx, client);
          return body(tx);
        });
        this.#monitor.answered();
        return value;
      });
    return givingWay(() => waitingForServer(attempt, onWait), onWait).catch((error: unknown) =>
      this.#explain(error),
    );
  }

  async #checkServer(tx: SchemaTx, client: PoolClient): Promise<void> {
    const found = (await tx.get(SERVER))!;
    refuseUnfit(found, this.#direct.url);
    this.#shared.isCitus = found.is_citus;
    // If the server's process is not the one that our connection was told, a pooler is in between.
    const isPooled = this.#direct.pooler !== undefined || found.pid !== (client as Served).processID;
    this.#isPooled ||= isPooled;
    if (isPooled) await checkPooler({ ...this.#direct, url: await this.#directServers.writer() });
    if (this.#options.directUrl === undefined) return;
    const held = randomUUID();
    await tx.lock(held);
    await checkPooler({ ...this.#options, url: await this.#servers.writer() }, held);
  }

  async concurrently(work: (session: Pick<SchemaTx, 'all' | 'script'>) => Promise<void>): Promise<void> {
    await this.#inOwnSession(async (client) => {
      await lockForBuilding(client);
      await work({
        all: async (statement, values = []) =>
          (await client.query({ text: forPostgres(statement), values: [...values] })).rows,
        script: async (text) => void (await client.query(text)),
      });
    }).catch((error: unknown) => this.#explain(error));
  }

  async #inOwnSession<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return inOwnSession(await this.#directServers.writer(), this.#direct.pooler, work);
  }

  #explain(error: unknown): never {
    throw startError(translated(error), this.#direct.url, this.#direct.setting);
  }

  async once<Row>(statement: Write<Row>, values: readonly SqlValue[] = []): Promise<Row[]> {
    // Without conditions `require` is the commit alone.
    const body = async (tx: Tx): Promise<Row[]> =>
      (await Promise.all([tx.all(statement, values), tx.require()]))[0];
    if (!statement.unlogged) return this.transaction(body);
    // Not kept waiting by commits that are. Behind a pooler a transaction, which has its level and limits from nobody else.
    const { pooler } = this.#options;
    if (pooler === undefined) return this.#query(prepared(statement, values)) as Promise<Row[]>;
    const begin = (): readonly QueryConfig[] => beginWithLimits(pooler);
    const server = { ...this.#asServer(0), connect: () => this.#connect(), begin, begun: undefined };
    return this.#attempt(new Transaction(server, true), body);
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

  async #query(statement: QueryConfig): Promise<unknown[]> {
    return (await this.#queryAll([statement]))[0]!.rows;
  }

  async #queryAll(statements: readonly QueryConfig[]): Promise<Rows<unknown>[]> {
    const client = await this.#connect();
    try {
      const results = await this.#send(client, statements);
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

  /** `aheadMs`: the server's clock as it was known when the body began (transaction.ts). */
  #asServer(aheadMs: number): Server {
    return {
      connect: () => this.#connectToWrite(),
      send: (client, statements) => this.#send(client, statements),
      read: (statement, values) => this.all(statement, values),
      begin: (bodyBeganAt) => [...beginWithLimits(this.#options.pooler), sayOpen(aheadMs, bodyBeganAt)],
      begun: (results, sentAt) => this.#clock.learn(results.at(-1)!.rows[0] as ClockRow, sentAt),
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
    return this.#clock.learn((await this.#query(ASK_CLOCK))[0] as ClockRow, sentAt);
  }

  /** Without a connection the database is away, whatever the reason: its name, our password, no slot left. */
  async #connect(): Promise<PoolClient> {
    let server: string | undefined;
    const connected = this.#servers.writer().then((url) => {
      server = url;
      return this.#pool.connect();
    });
    try {
      return await this.#monitor.guard(connected, (client) => client.release());
    } catch (error) {
      this.#servers.doubt(server);
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
    for (const servers of [this.#servers, this.#directServers]) servers.doubt(servers.current);
    this.#dropConnections();
  }

  /**
   * After a stall no connection is trusted. When the network has lost them, they look open and never answer, and each
   * would make one more request wait. New connections are cheap.
   */
  #dropConnections(): void {
    for (const client of this.#clients) client.connection.stream.destroy();
  }

  async #send(client: PoolClient, statements: readonly QueryConfig[]): Promise<Rows<unknown>[]> {
    try {
      const results = await this.#monitor.guard(sendTogether(client, statements));
      this.#monitor.answered();
      return results;
    } catch (error) {
      if (this.#servers.areSeveral && isReadOnly(error)) this.#leaveServer();
      throw translated(error);
    }
  }
}

function withTimeForAMigration(statement: QueryConfig): QueryConfig {
  return { ...statement, query_timeout: MIGRATION_TIMEOUT_MS } as QueryConfig;
}

/** pg's types leave out the number of the server's process that serves this connection. */
type Served = PoolClient & { processID: number };
