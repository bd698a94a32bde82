import { OperatorError } from '../../errors.ts';
import { placeOf } from './address.ts';
import { PgClient } from './pg-client.ts';
import { startError } from './start-errors.ts';
import { TRY_LOCK_TEXT } from './transaction.ts';

/**
 * What stands between us and the server. In session mode it keeps one connection to the server for each of ours. In
 * transaction mode each transaction gets any of its connections: nothing may be left behind on one of them, and LISTEN
 * must go past the pooler.
 */
export type Pooler = 'session' | 'transaction';

/** The ways to one database. */
export interface Route {
  readonly url: string;
  /** Which setting that address is from. */
  readonly setting: 'DATABASE_URL' | 'DATABASE_DIRECT_URL';
  readonly pooler: Pooler | undefined;
  /** Past the pooler. */
  readonly directUrl: string | undefined;
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
  for (const client of [ours, rival]) client.on('error', () => undefined);
  try {
    await ours.connect();
    const { rows: before } = await ours.query(SERVER_PID);
    // In transaction mode our connection to the server is free now, and the rival's transaction takes it.
    await rival.connect();
    await rival.query('begin');
    const { rows: after } = await ours.query(SERVER_PID.text);
    if (pooler !== 'transaction' && before[0]!.pid !== after[0]!.pid) throw changesConnections(url, setting);
    // A pooler that does not track prepared statements has lost this one.
    await ours.query(SERVER_PID);
    if (heldByDirect === undefined) return;
    const { rows: locks } = await ours.query(TRY_LOCK_TEXT, [JSON.stringify([heldByDirect])]);
    if (locks.length > 0) throw otherDatabase(url, directUrl!);
  } catch (error) {
    throw startError(error, url, setting);
  } finally {
    for (const client of [ours, rival]) client.end().catch(() => undefined);
  }
}

const SERVER_PID = { name: 'hk_pooler', text: 'select pg_backend_pid() as pid' };

function changesConnections(url: string, setting: Route['setting']): OperatorError {
  const { hosts } = placeOf(url);
  return new OperatorError(
    `PostgreSQL at ${hosts}: this is a pooler in transaction mode; ${ADVICE[setting]}`,
  );
}

function otherDatabase(url: string, directUrl: string): OperatorError {
  const [here, there] = [placeOf(url), placeOf(directUrl)];
  return new OperatorError(
    `PostgreSQL at ${there.hosts}: DATABASE_DIRECT_URL leads to another database ("${there.database}" there) than ` +
      `DATABASE_URL ("${here.database}" at ${here.hosts}); both must be the same, of the same server`,
  );
}

const ADVICE: Record<Route['setting'], string> = {
  DATABASE_URL:
    'set pool_mode = session in it, or (PgBouncer 1.21 or newer) DATABASE_POOLER=transaction and DATABASE_DIRECT_URL',
  DATABASE_DIRECT_URL: 'DATABASE_DIRECT_URL must lead past it, to the server',
};
