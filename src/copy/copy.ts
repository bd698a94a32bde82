import * as audit from '../audit/audit.ts';
import type { Config } from '../config.ts';
import { prepareFile } from '../db/sqlite/file.ts';
import { lockForServing } from '../db/sqlite/serve-lock.ts';
import { OperatorError } from '../errors.ts';
import { NO_ID } from '../ids/uuid.ts';
import { systemClock } from '../time/clock.ts';
import { checkFile } from './check-file.ts';
import { Source } from './source.ts';
import type { Sum } from './sum.ts';
import type { Table } from './tables.ts';
import { Target } from './target.ts';

export interface Copied {
  readonly tables: readonly (Sum & { readonly table: string })[];
  /** Subscriptions whose secret opens with no key that the file knows. */
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
  actor: audit.Actor,
  progress: Progress,
): Promise<Copied> {
  const { file } = config.database;
  const lock = lockForServing(file);
  prepareFile(file);
  const source = new Source(file);
  try {
    const { locked } = await checkFile(config);
    return { tables: await fill(source, file, url, actor, progress), locked };
  } finally {
    source.close();
    lock.release();
  }
}

async function fill(source: Source, file: string, url: string, actor: audit.Actor, progress: Progress) {
  const target = await Target.open(url);
  try {
    const tables = await target.createSchema(systemClock);
    await load(source, target, tables, progress);
    const sums = await compare(source, target, tables, progress);
    const change = { action: 'database.copied', hostId: NO_ID, environment: null, subject: file } as const;
    await audit.record(target.tx, systemClock.now(), actor, change);
    progress('committing');
    await target.commit();
    return sums;
  } finally {
    await target.close();
  }
}

async function load(source: Source, target: Target, tables: readonly Table[], progress: Progress) {
  const parts = await target.setAside();
  for (const table of tables) {
    const total = source.count(table);
    const lines = source.lines(table, (rows) => progress(`copying ${table.name}: ${rows} of ${total} rows`));
    await target.fill(table, lines);
  }
  for (const part of parts) {
    progress(`building ${part.name}`);
    await target.bringBack(part);
  }
  progress('collecting statistics');
  await target.setCounters();
  await target.analyze();
}

/** Both sides are asked at once: each needs a processor of its own. */
async function compare(source: Source, target: Target, tables: readonly Table[], progress: Progress) {
  const sums: Copied['tables'][number][] = [];
  for (const table of tables) {
    const [ours, theirs] = await Promise.all([
      source.sum(table, (rows) => progress(`checking ${table.name}: ${rows} rows`)),
      target.sum(table),
    ]);
    if (ours.rows !== theirs.rows || ours.hash !== theirs.hash) throw differs(table.name, ours, theirs);
    sums.push({ table: table.name, ...theirs });
  }
  return sums;
}

function differs(table: string, ours: Sum, theirs: Sum): OperatorError {
  const [file, postgres] = [ours, theirs].map(({ rows, hash }) => `${rows} rows with the hash ${hash}`);
  return new OperatorError(
    `table ${table} is not the same: ${file} in the file, ${postgres} in PostgreSQL; nothing was copied`,
  );
}
