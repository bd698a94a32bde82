import { Client } from 'pg';
import { DatabaseAway } from '../../errors.ts';

/** A pooler that has no connection to give lets us wait. */
const TIMEOUT_MS = 2500;

/**
 * Throws where a pooler gives every transaction another connection to the server without taking prepared statements
 * along. Such a pooler works until the first two requests at once, so it must be found at the start.
 */
export async function checkPooler(url: string): Promise<void> {
  const options = { connectionString: url, connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS };
  const [ours, rival] = [new Client(options), new Client(options)];
  for (const client of [ours, rival]) client.on('error', () => undefined);
  const statement = { name: 'hk_pooler', text: 'select 1' };
  try {
    await ours.connect();
    await ours.query(statement);
    // The rival's transaction takes the connection that we have just given back, if we have.
    await rival.connect();
    await rival.query('begin');
    await ours.query(statement);
  } catch (error) {
    throw new DatabaseAway(error);
  } finally {
    for (const client of [ours, rival]) client.end().catch(() => undefined);
  }
}
