import type { PoolClient } from 'pg';
import { VERSION } from '../../version.ts';
import type { Write } from '../database.ts';
import { PgClient } from './pg-client.ts';

/** pg_stat_activity shows this name, so our connections can be told from those of others, and from those of other versions. */
export const APPLICATION_NAME = `hourkeep ${VERSION}`;
export const LISTENER_NAME = `${APPLICATION_NAME} listen`;

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
