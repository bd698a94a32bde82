import { Client, type PoolClient } from 'pg';

/** pg_stat_activity shows this name, so our connections can be told from those of others. */
export const APPLICATION_NAME = 'hourkeep';

/**
 * Those of our own that keep something locked or wait for such a lock, and were there before the connections were
 * given up: a server that took over may have given their numbers to others. One that waits for its replica must be
 * left alone, since its commit would then count without it.
 */
const END = `select pg_terminate_backend(pid) from pg_stat_activity
  where pid = any($1::int[]) and backend_start < clock_timestamp() - $2::float8 * interval '1 millisecond'
    and usename = session_user and application_name = current_setting('application_name')
    and (state like 'idle in transaction%' or wait_event_type = 'Lock')`;

/**
 * The server's processes behind connections that were given up. Where the server has not heard of it, they keep their
 * rows locked, and whoever waits for such a row would keep it in turn.
 */
export class Orphans {
  #pids: number[] = [];
  #addedAt = 0;

  add(clients: Iterable<PoolClient>): void {
    this.#addedAt = performance.now();
    this.#pids.push(...pidsOf(clients));
  }

  /** Over a new connection, before its first statement. Nobody waits for it; what fails is left to the next one. */
  end(client: PoolClient): void {
    if (this.#pids.length === 0) return;
    const pids = this.#pids;
    this.#pids = [];
    client.query(END, [pids, performance.now() - this.#addedAt]).catch(() => this.#pids.push(...pids));
  }
}

/** Not those that wait for their client ('Client'): the network may have lost the connection between it and us. */
const AT_WORK = `select count(*) as busy from pg_stat_activity
  where pid = any($1::int[]) and state = 'active' and wait_event_type is distinct from 'Client'
    and usename = session_user and application_name = $2`;

/** Whether the server is running a statement for one of these connections. Asks over a new connection. */
export async function isAtWork(
  url: string,
  clients: Iterable<PoolClient>,
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
    const { rows } = await client.query<{ busy: number }>(AT_WORK, [pidsOf(clients), APPLICATION_NAME]);
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
