import type { Actor } from '../caller.ts';
import * as audit from '../audit/audit.ts';
import type { Config } from '../config.ts';
import { lockForServing } from '../db/sqlite/file.ts';
import { OperatorError } from '../errors.ts';
import { NO_ID } from '../ids/uuid.ts';
import { systemClock, toTimestamp } from '../time/clock.ts';
import { checkFile } from './check-file.ts';
import { Source } from './source.ts';
import type { Sum, Table } from './tables.ts';
import { Target, type Part } from './target.ts';

export interface Copied {
  readonly tables: readonly (Sum & { readonly table: string })[];
  /** Webhooks and calendars whose secret opens with no key that the file knows. */
  readonly locked: number;
}

/** Told what is being done now. */
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
): Promise<Copied> {
  const { file } = config.database;
  const lock = lockForServing(file);
  const source = new Source(file);
  try {
    const { locked } = await checkFile(config, systemClock.now());
    const tables = await fill(source, file, url, actor, progress);
    mark(source, file, url);
    return { tables, locked };
  } finally {
    source.close();
    lock.release();
  }
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

async function fill(source: Source, file: string, url: string, actor: Actor, progress: Progress) {
  const target = await Target.open(url);
  try {
    const tables = await target.createSchema(systemClock);
    const parts = await target.setAside();
    for (const table of tables) {
      const total = source.count(table);
      const told = (rows: number): void => progress(`copying ${table.name}: ${rows} of ${total} rows`);
      await target.fill(table, source.lines(table, told));
    }
    // At the same time: one is this process's work, the other PostgreSQL's.
    const [ours, theirs] = await Promise.all([
      sumsOf(source, tables),
      complete(target, parts, progress).then(() => sumsOf(target, tables, progress)),
    ]);
    refuseDifferent(tables, ours, theirs);
    const change = { action: 'database.copied', hostId: NO_ID, environment: null, subject: file } as const;
    await audit.record(target.tx, systemClock.now(), actor, change);
    await target.commit();
    return tables.map(({ name }, i) => ({ table: name, ...theirs[i]! }));
  } finally {
    await target.close();
  }
}

async function complete(target: Target, parts: readonly Part[], progress: Progress): Promise<void> {
  for (const part of parts) {
    progress(`building ${part.name}`);
    await target.bringBack(part);
  }
  progress('collecting statistics');
  await target.setCounters();
  await target.analyze();
}

async function sumsOf(side: Source | Target, tables: readonly Table[], progress?: Progress): Promise<Sum[]> {
  const sums: Sum[] = [];
  for (const table of tables) {
    progress?.(`checking ${table.name}`);
    sums.push(await side.sum(table));
  }
  return sums;
}

function refuseDifferent(tables: readonly Table[], ours: readonly Sum[], theirs: readonly Sum[]): void {
  for (const [i, { name }] of tables.entries()) {
    const [file, postgres] = [ours[i]!, theirs[i]!];
    if (file.rows !== postgres.rows || file.hash !== postgres.hash) throw differs(name, file, postgres);
  }
}

function differs(table: string, ours: Sum, theirs: Sum): OperatorError {
  const [file, postgres] = [ours, theirs].map(({ rows, hash }) => `${rows} rows with the hash ${hash}`);
  return new OperatorError(
    `table ${table} is not the same: ${file} in the file, ${postgres} in PostgreSQL; nothing was copied`,
  );
}
