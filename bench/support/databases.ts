import { Client } from 'pg';

let made = 0;

/** A new database on this PostgreSQL server. */
export async function createDatabase(serverUrl: string): Promise<string> {
  const name = `bench_${made++}`;
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
