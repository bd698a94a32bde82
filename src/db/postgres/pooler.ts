import { Client } from 'pg';
import { DatabaseAway } from '../../errors.ts';

/** A pooler keeps us waiting while all its connections are in use. */
const TIMEOUT_MS = 2500;

/**
 * Throws when a pooler loses our prepared statements. In transaction mode it gives each transaction any of its
 * connections to the server, and a statement is prepared on one of them only. That goes well until two requests come at
 * once, so it must be noticed at the start.
 */
export async function checkPooler(url: string): Promise<void> {
  const options = { connectionString: url, connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS };
  const [ours, rival] = [new Client(options), new Client(options)];
  for (const client of [ours, rival]) client.on('error', () => undefined);
  const statement = { name: 'hk_pooler', text: 'select 1' };
  try {
    await ours.connect();
    await ours.query(statement);
    // In transaction mode our connection to the server is free now, and the rival's transaction takes it.
    await rival.connect();
    await rival.query('begin');
    await ours.query(statement);
  } catch (error) {
    throw new DatabaseAway(error);
  } finally {
    for (const client of [ours, rival]) client.end().catch(() => undefined);
  }
}
