import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readConfig } from '../../src/config.ts';
import type { Db } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { createLogger } from '../../src/log.ts';
import { TestClock } from './clock.ts';
import type { Engine, TestDatabase } from './engines.ts';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);

/** What was given out in the time of 0001: a key, and the request that its booking's idempotency key stands for. */
export const KEY = 'hk_live_7KgPnGAJRWsd0cp6t5TzUjtaUM5c3j3xZEyF';
export const SPACE = '01a1e8d6-9d71-7000-a58d-81677e629441';
export const BOOKING = '01a1e8d6-9da2-7000-b845-9fe1f6ebac7d';
export const ORDER = {
  space_id: SPACE,
  date: '2027-06-01',
  start_hour: 10,
  end_hour: 12,
  guest_email: 'ada@example.com',
  guest_name: 'Ada Miller',
  guest_phone: '+1 555 0100',
  idempotency_key: 'order-1',
};

/** A database as it was after this migration, with the rows that are kept of that time. */
export async function filled(engine: Engine, number: string): Promise<TestDatabase> {
  const database = await engine.createDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'hourkeep-migrations-'));
  for (const name of readdirSync(MIGRATIONS))
    if (name.slice(0, 4) <= number) copyFileSync(new URL(name, MIGRATIONS), join(folder, name));
  await onDatabase(database, async (db) => {
    await migrate(db, new TestClock(), { folder: pathToFileURL(`${folder}/`) });
    const text = readFileSync(new URL(`../schemas/${number}.sql`, import.meta.url), 'utf8');
    await db.migration((tx) => tx.script(text));
  });
  rmSync(folder, { recursive: true });
  return database;
}

export function open(database: TestDatabase): Db {
  return openDatabase(readConfig({ DATABASE_URL: database.url }), createLogger('silent'));
}

export async function onDatabase<T>(database: TestDatabase, work: (db: Db) => Promise<T>): Promise<T> {
  const db = open(database);
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
