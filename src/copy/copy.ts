import type { Actor } from '../caller.ts';
import * as audit from '../audit/audit.ts';
import type { Config } from '../config.ts';
import type { Sql } from '../db/database.ts';
import { lookAtSchema } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { lockForServing } from '../db/sqlite/file.ts';
import { OperatorError } from '../errors.ts';
import { NO_ID } from '../ids/uuid.ts';
import { createLogger } from '../log.ts';
import { sealedRows } from '../secret-key/sealed-rows.ts';
import { checkSecretKey, findSecretKey, knownKeys } from '../secret-key/secret-key.ts';
import { fingerprint } from '../secrets/secrets.ts';
import { keysOf } from '../secrets/signing-secrets.ts';
import { systemClock, toTimestamp } from '../time/clock.ts';
import { Source } from './source.ts';
import type { Sum } from './tables.ts';
import { Target } from './target.ts';

export interface Copied extends Sum {
  readonly table: string;
}

export type Progress = (text: string) => void;

/**
 * Copies everything of an SQLite file into an empty PostgreSQL database, in one transaction that commits only when both
 * hold the same. Meanwhile no service can start on the file, and no command can write to it.
 */
export async function copyToPostgres(
  config: Config & { database: { engine: 'sqlite' } },
  url: string,
  actor: Actor,
  progress: Progress,
): Promise<Copied[]> {
  const { file } = config.database;
  const lock = lockForServing(file);
  const source = new Source(file);
  try {
    await checkFile(config);
    const tables = await fill(source, file, url, actor, progress);
    mark(source, file, url);
    return tables;
  } finally {
    source.close();
    lock.release();
  }
}

/** Throws where the file is not ready to be copied: it has an older schema, or the key that we have is not its own. */
async function checkFile(config: Config): Promise<void> {
  const db = openDatabase(config, createLogger('silent'));
  try {
    const { pending, newer } = await lookAtSchema(db, 'sqlite');
    if (pending.length > 0)
      throw new OperatorError(
        `the file’s schema is not up to date (${pending.map(({ name }) => name).join(', ')}); run "hourkeep migrate" first`,
      );
    // What it has added would be left behind.
    if (newer.length > 0)
      throw new OperatorError(
        `the file was migrated by a newer Hourkeep (${newer.join(', ')}); copy with that version`,
      );
    if (await checkSecretKey(db, config)) await refuseMissingKey(db, config);
  } finally {
    await db.close();
  }
}

/**
 * Whoever lacks a key would learn it only when webhooks are not signed any more. What no key of this database opens waits already,
 * and goes on waiting.
 */
async function refuseMissingKey(db: Sql, config: Config): Promise<void> {
  const known = await knownKeys(db);
  const held = [findSecretKey(config), config.secretKeyOld ?? []].flat().map(fingerprint);
  const isMissing = (key: string): boolean => known.includes(key) && !held.includes(key);
  const row = (await sealedRows(db)).find((each) => keysOf(each, systemClock.now()).some(isMissing));
  if (row !== undefined)
    throw new OperatorError(
      `${row.kind} ${row.id} does not open; while SECRET_KEY is being changed, SECRET_KEY_OLD is needed too`,
    );
}

function mark(source: Source, file: string, url: string): void {
  try {
    source.mark(`${withoutPassword(url)} at ${toTimestamp(systemClock.now())}`);
  } catch (error) {
    const why = (error as Error).message;
    throw new OperatorError(`everything was copied, but ${file} could not be marked as copied: ${why}`);
  }
}

/** In a line to be typed or kept, a password is to be filled in. */
export function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/[^:@/]*):[^@/]*@/, '$1:…@');
}

async function fill(
  source: Source,
  file: string,
  url: string,
  actor: Actor,
  progress: Progress,
): Promise<Copied[]> {
  const target = await Target.open(url);
  try {
    const tables = await target.createSchema(systemClock);
    const parts = await target.setAside();
    for (const table of tables) {
      const total = source.count(table);
      const told = (rows: number): void => progress(`copying ${table.name}: ${rows} of ${total} rows`);
      await target.fill(table, source.lines(table, told));
    }
    for (const part of parts) {
      progress(`building ${part.name}`);
      await target.tx.script(part.make);
    }
    progress('collecting statistics');
    await target.setCounters();
    // Without statistics the first queries would get the plans of empty tables.
    await target.tx.script('analyze');
    const copied: Copied[] = [];
    for (const table of tables) {
      progress(`checking ${table.name}`);
      // At the same time: one is PostgreSQL's work, the other this process's.
      const [theirs, ours] = await Promise.all([target.sum(table), Promise.try(() => source.sum(table))]);
      if (ours.rows !== theirs.rows || ours.hash !== theirs.hash) throw differs(table.name, ours, theirs);
      copied.push({ table: table.name, ...theirs });
    }
    const change = { action: 'database.copied', hostId: NO_ID, environment: null, subject: file } as const;
    await audit.record(target.tx, systemClock.now(), actor, change);
    await target.tx.commit();
    return copied;
  } finally {
    await target.close();
  }
}

function differs(table: string, ours: Sum, theirs: Sum): OperatorError {
  const [file, postgres] = [ours, theirs].map(({ rows, hash }) => `${rows} rows with the hash ${hash}`);
  return new OperatorError(
    `table ${table} is not the same: ${file} in the file, ${postgres} in PostgreSQL; nothing was copied`,
  );
}
