import { Client } from 'pg';

/** Works with a connection of its own to a PostgreSQL database, past everything. */
export async function onConnection<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The rows of one statement. */
export async function query<Row = Record<string, unknown>>(url: string, text: string): Promise<Row[]> {
  return onConnection(url, async (client) => (await client.query(text)).rows as Row[]);
}
