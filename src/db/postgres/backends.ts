import { Client, type PoolClient } from 'pg';

/** pg_stat_activity shows this name, so our connections can be told from those of others. */
export const APPLICATION_NAME = 'hourkeep';

/** Not those that wait for their client ('Client'): the network may have lost the connection between it and us. */
const AT_WORK = `select count(*) as busy from pg_stat_activity
  where ($1::int[] is null or pid = any($1::int[])) and state = 'active'
    and wait_event_type is distinct from 'Client' and datname = current_database()
    and usename = session_user and application_name = $2`;

/**
 * Whether the server is running a statement for one of these connections. Asks over a new connection.
 *
 * Undefined: behind a pooler nobody knows which of the server's processes work for whom. One that works for any of our
 * processes counts: ours may be waiting in the pooler's queue behind it.
 */
export async function isAtWork(
  url: string,
  clients: Iterable<PoolClient> | undefined,
  withinMs: number,
): Promise<boolean> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: withinMs,
    query_timeout: withinMs,
    application_name: 'hourkeep watch',
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const pids = clients === undefined ? null : pidsOf(clients);
    const { rows } = await client.query<{ busy: number }>(AT_WORK, [pids, APPLICATION_NAME]);
    client.end().catch(() => undefined);
    return rows[0]!.busy > 0;
  } catch {
    client.connection.stream.destroy();
    return false;
  }
}

export function pidsOf(clients: Iterable<PoolClient>): number[] {
  return [...clients].map((client) => (client as Served).processID);
}

/** pg's types leave out the number of the server's process that serves this connection. */
type Served = PoolClient & { processID: number };
