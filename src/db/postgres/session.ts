import { setTimeout as delay } from 'node:timers/promises';
import type { PoolClient, QueryConfig } from 'pg';
import type { Pooler, PostgresDatabase } from '../../config.ts';
import { DatabaseAway, OperatorError } from '../../errors.ts';
import type { Write } from '../database.ts';
import { placeOf } from '../../postgres-url.ts';
import { codeOf, DEADLOCK, NO_ANSWER, NoWriter, refusalOf, startError } from './errors.ts';
import { IS_READ_ONLY, PgClient } from './servers.ts';
import { TRY_LOCK_TEXT } from './transaction.ts';

// What our answers depend on, said on every connection and in every transaction: server, database and role may have
// other defaults.

/**
 * Dates come as YYYY-MM-DD. Poolers allow these two: PgBouncer keeps track of them for each of its clients, in transaction
 * mode too.
 */
const FORMS = `set datestyle = 'ISO, YMD'; set timezone = 'UTC'`;

/**
 * For statements outside of any transaction, and for sums of money, which are doubles. A pooler would hand these settings
 * to others. Behind it a single statement that writes is a transaction (`once`), and one that reads is the same at any level.
 */
const DEFAULTS = `set default_transaction_isolation = 'read committed'; set extra_float_digits = 1`;

/**
 * A plan that was made while a table had a few rows reads it from end to end, and is kept until the table is next counted: a
 * booking then read 9 098 pages of 100 000 events, and the rate limit's tables are empty after each crash of the server. Every
 * statement that has an index takes it instead. What has none would then look so dear that it is compiled, hence the second.
 */
const PLANS = 'set enable_seqscan = off; set jit = off';

/** What a new connection of the pool is told first. Answers, as every standby does, whether it can only read. */
export function sessionDefaults(pooler: Pooler | undefined): string {
  return `${pooler === undefined ? `${FORMS}; ${DEFAULTS}; ${PLANS}` : FORMS}; ${IS_READ_ONLY}`;
}

/**
 * When the network loses a connection in the middle of a transaction, the server does not notice, and the rows stay
 * locked until this limit ends the transaction. Our transactions are idle for milliseconds. Much less than this would
 * also end those of a process that waits for a busy machine.
 */
const IDLE_IN_TRANSACTION_MS = 4000;
/**
 * Shorter than a lost transaction keeps a row. Those lost with it that wait for the row give up before they get it: they
 * would keep it for as long again, one after the other.
 */
const LOCK_WAIT_MS = 3000;

const LIMITS = {
  lock_timeout: LOCK_WAIT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
};

/** What the server is told when a connection is opened. Poolers refuse such parameters. */
export function limitsOfSession(pooler: Pooler | undefined): Partial<typeof LIMITS> {
  return pooler === undefined ? LIMITS : {};
}

/** Whoever waits for a lock must then see what the one before has written: velocity counts by that. */
export const BEGIN_TEXT = 'begin isolation level read committed';

const BEGIN: QueryConfig = { name: 'hk_begin', text: BEGIN_TEXT };
const SET_LIMITS: QueryConfig = {
  name: 'hk_limits',
  text: `select ${Object.entries(LIMITS)
    .map(([name, ms]) => `set_config('${name}', '${ms}', true)`)
    .join(', ')}`,
};

/**
 * Begins a transaction. Behind a pooler it brings its limits with it, in the same message. A single statement that reads
 * has none there: it leaves nothing locked, and the role can have a lock_timeout (docs/settings.md).
 */
export function beginWithLimits(pooler: Pooler | undefined): readonly QueryConfig[] {
  return pooler === undefined ? [BEGIN] : [BEGIN, SET_LIMITS];
}

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

/** Throws where the service could not work on this database, whatever is granted and set up otherwise. */
export function refuseUnfit({ encoding, schema, search_path }: FoundServer, url: string): void {
  const { user, database } = placeOf(url);
  if (encoding !== 'UTF8' && encoding !== 'SQL_ASCII')
    throw refusalOf(
      url,
      `the database "${database}" is in ${encoding}, which has not the letters of all names; ` +
        `create one in UTF8: create database … encoding 'UTF8' template template0`,
    );
  if (schema === null)
    throw refusalOf(
      url,
      `search_path is ${search_path || "''"}, and no schema of it can be used; ` +
        `let the user use one, or: alter role "${user}" set search_path = public`,
    );
}

/** An arbitrary number. It must never change: processes of all versions wait for the same lock. */
const MIGRATION_LOCK = 4_150_711_225;

/**
 * Everybody who needs a table waits behind a migration that waits for it. So a migration waits this long, gives way, and
 * tries again later. Shorter than PostgreSQL's deadlock_timeout: in a deadlock with a request it is the migration that
 * gives way.
 */
const TABLE_WAIT_MS = 500;

/** The wait for another process's migration may take long; the wait for a table must not. */
export const BEGIN_EXCLUSIVE = {
  text: `${BEGIN_TEXT}; set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0;
    select pg_advisory_xact_lock(${MIGRATION_LOCK}); set local lock_timeout = ${TABLE_WAIT_MS}`,
};

const HELD_UP = 'a migration needs a table that an open transaction holds (pg_dump, say)';

/** Makes the attempt again for as long as it fails only for a lock, with longer and longer pauses. */
export async function givingWay<T>(attempt: () => Promise<T>, onWait: (why: string) => void): Promise<T> {
  const deadline = performance.now() + 10 * 60_000;
  for (let pause = 1000; ; pause = Math.min(2 * pause, 15_000)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLockTrouble(error)) throw error;
      if (performance.now() > deadline) throw new OperatorError(`${HELD_UP}; end it, then start again`);
      onWait(`${HELD_UP}; the next try is in ${pause / 1000} s`);
      await delay(pause);
    }
  }
}

const LOCK_TIMEOUT = '55P03';

function isLockTrouble(error: unknown): boolean {
  const code = codeOf(error instanceof DatabaseAway ? error.cause : error);
  return code === LOCK_TIMEOUT || code === DEADLOCK;
}

/** A server that is just starting, or is slow to wake up, answers within this time. */
const WAIT_FOR_SERVER_MS = 15_000;

/** Makes the attempt again for as long as the server gives no answer. One that refuses us is not waited for. */
export async function waitingForServer<T>(
  attempt: () => Promise<T>,
  onWait: (why: string) => void,
): Promise<T> {
  const deadline = performance.now() + WAIT_FOR_SERVER_MS;
  for (let told = false; ; told = true) {
    try {
      return await attempt();
    } catch (error) {
      if (!isSlow(error) || performance.now() > deadline) throw error;
      if (!told) onWait(`${error.message}; waiting for it for ${WAIT_FOR_SERVER_MS / 1000} s`);
      await delay(200);
    }
  }
}

const CANNOT_CONNECT_NOW = '57P03';

function isSlow(error: unknown): error is DatabaseAway {
  if (!(error instanceof DatabaseAway) || !(error.cause instanceof Error)) return false;
  const { cause } = error;
  const code = codeOf(cause);
  if (code === CANNOT_CONNECT_NOW || code === 'ETIMEDOUT') return true;
  return (code === undefined || cause instanceof NoWriter) && NO_ANSWER.test(cause.message);
}

/** Hands over a connection outside the pool, on which statements may take as long as they need. */
export async function inOwnSession<T>(
  url: string,
  pooler: Pooler | undefined,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = new PgClient({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...limitsOfSession(pooler),
    application_name: 'hourkeep migrate',
  });
  try {
    await client.connect().catch((error: unknown) => {
      throw new DatabaseAway(error);
    });
    await client.query(`${FORMS}; ${DEFAULTS}; set lock_timeout = 0; set statement_timeout = 0`);
    return await work(Object.assign(client, { release: () => undefined }));
  } finally {
    client.end().catch(() => undefined);
  }
}

/** An arbitrary number. It must never change: processes of all versions wait for the same lock. */
const BUILD_LOCK = 4_150_711_226;

/**
 * Lets one process at a time build indexes, for as long as it has the connection. Processes that only start are not kept waiting:
 * this lock is another than the migrations'. Asks again and again: a statement that waits for the lock would hold a snapshot, and
 * an index that is built concurrently waits for all snapshots.
 */
export async function lockForBuilding(client: PoolClient): Promise<void> {
  for (;;) {
    const { rows } = await client.query(`select pg_try_advisory_lock(${BUILD_LOCK}) as mine`);
    if (rows[0].mine) return;
    await delay(500);
  }
}

/** The ways to one database. */
export interface Route extends Omit<PostgresDatabase, 'engine'> {
  /** Which setting that address is from. */
  readonly setting: 'DATABASE_URL' | 'DATABASE_DIRECT_URL';
}

/** A pooler keeps us waiting while all its connections are in use. */
const TIMEOUT_MS = 2500;

/**
 * Throws when a pooler cannot do what we need of it. A lost prepared statement shows only when two requests come at once,
 * and a lost LISTEN shows in nothing but webhooks that are late. So both must be noticed at the start.
 *
 * `heldByDirect` is the name of a lock that a transaction at `directUrl` holds. Locks are a database's own: if it can be had
 * here, that is another database.
 */
export async function checkPooler(
  { url, setting, pooler, directUrl }: Route,
  heldByDirect?: string,
): Promise<void> {
  const options = { connectionString: url, connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS };
  const [ours, rival] = [new PgClient(options), new PgClient(options)];
  try {
    await ours.connect();
    const { rows: before } = await ours.query(SERVER_PID);
    // In transaction mode our connection to the server is free now, and the rival's transaction takes it.
    await rival.connect();
    await rival.query('begin');
    const { rows: after } = await ours.query(SERVER_PID.text);
    if (pooler !== 'transaction' && before[0]!.pid !== after[0]!.pid)
      throw refusalOf(url, `this is a pooler in transaction mode; ${ADVICE[setting]}`);
    // A pooler that does not track prepared statements has lost this one.
    await ours.query(SERVER_PID);
    if (heldByDirect === undefined) return;
    const { rows: locks } = await ours.query(TRY_LOCK_TEXT, [JSON.stringify([heldByDirect])]);
    if (locks.length === 0) return;
    const [here, there] = [placeOf(url), placeOf(directUrl!)];
    throw refusalOf(
      directUrl!,
      `DATABASE_DIRECT_URL leads to another database ("${there.database}" there) than ` +
        `DATABASE_URL ("${here.database}" at ${here.hosts}); both must be the same, of the same server`,
    );
  } catch (error) {
    throw startError(error, url, setting);
  } finally {
    for (const client of [ours, rival]) client.end().catch(() => undefined);
  }
}

const SERVER_PID = { name: 'hk_pooler', text: 'select pg_backend_pid() as pid' };

const ADVICE: Record<Route['setting'], string> = {
  DATABASE_URL:
    'set pool_mode = session in it, or (PgBouncer 1.21 or newer) DATABASE_POOLER=transaction and DATABASE_DIRECT_URL',
  DATABASE_DIRECT_URL: 'DATABASE_DIRECT_URL must lead past it, to the server',
};
