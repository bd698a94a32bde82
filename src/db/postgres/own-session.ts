import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import type { SchemaSession, SqlValue, Statement } from '../database.ts';
import { forPostgres } from '../dialect.ts';
import { PgClient } from './pg-client.ts';

/** An arbitrary number. It must never change: processes of all versions wait for the same lock. */
const BUILD_LOCK = 4_150_711_226;
const TRY_AGAIN_MS = 500;

/**
 * Hands over a connection outside the pool on which statements may take as long as they need. Only one process has it at
 * a time. Processes that only start are not kept waiting: this lock is another than the migrations'.
 */
export async function inOwnSession(
  url: string,
  work: (session: SchemaSession) => Promise<void>,
): Promise<void> {
  const client = new PgClient({
    connectionString: url,
    connectionTimeoutMillis: 2500,
    keepAlive: true,
    application_name: 'hourkeep migrate',
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(
      "set lock_timeout = 0; set statement_timeout = 0; set default_transaction_isolation = 'read committed'",
    );
    await takeLock(client);
    await work(asSession(client));
  } finally {
    // Without the connection there is no lock either.
    client.end().catch(() => undefined);
  }
}

/**
 * Asks again and again. A statement that waits for the lock would hold a snapshot, and an index that is built
 * concurrently waits for all snapshots: both would wait for ever.
 */
async function takeLock(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ mine: boolean }>(
      `select pg_try_advisory_lock(${BUILD_LOCK}) as mine`,
    );
    if (rows[0]!.mine) return;
    await delay(TRY_AGAIN_MS);
  }
}

function asSession(client: Client): SchemaSession {
  const query = (statement: Statement<unknown>, values: readonly SqlValue[] = []) =>
    client.query({ text: forPostgres(statement), values: [...values] });
  return {
    all: async <Row>(statement: Statement<Row>, values?: readonly SqlValue[]) =>
      (await query(statement, values)).rows as Row[],
    get: async <Row>(statement: Statement<Row>, values?: readonly SqlValue[]) =>
      (await query(statement, values)).rows[0] as Row | undefined,
    run: async (statement, values) => (await query(statement, values)).rowCount ?? 0,
    script: async (text) => {
      await client.query(text);
    },
  };
}
