import { existsSync, realpathSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import * as audit from '../audit/audit.ts';
import { list, type Entry } from '../audit/list.ts';
import { newest, type NewestBooking } from '../bookings/for-operators.ts';
import { readConfig, type Config } from '../config.ts';
import type { Db, Sql } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { copyDatabase, swapIn } from '../db/sqlite/backup.ts';
import { refuseCopied, type EmbeddedFile, lockForServing } from '../db/sqlite/file.ts';
import { openSqlite } from '../db/sqlite/engine.ts';
import { OperatorError } from '../errors.ts';
import { NO_ID } from '../ids/uuid.ts';
import { checkSecretKey } from '../secret-key/secret-key.ts';
import { endSessions } from '../sessions/sessions.ts';
import { systemClock, toTimestamp } from '../time/clock.ts';
import { command, flag } from './command.ts';
import { note } from './output.ts';
import { confirm, demandTerminal, withProgress } from './terminal.ts';
import { operator } from './run.ts';

/** The end of a database, by which a person tells how old it is. */
interface Newest {
  newest_booking: NewestBooking | null;
  last_audit: Entry | null;
}

export const restore = command('restore', {
  about: 'put a backup in the place of the SQLite file, while the service stands still',
  argument: ['<file>', 'what hourkeep backup made; it stays as it is'],
  options: { yes: flag('do not ask') },
  json: 'print {file, kept, replaced, restored}, the last two with newest_booking and last_audit',
  notes:
    'The backup is checked and migrated first. The file that it replaces is kept beside it. Everybody is signed out of the console.',
  examples: ['hourkeep restore /backups/hourkeep-2027-06-01.db'],
  start: ({ id, yes = false }) => {
    const config = readConfig(process.env);
    const { database } = config;
    if (database.engine === 'postgres')
      throw new OperatorError(
        'this database is PostgreSQL’s; use its own tool: pg_restore (docs/operations.md, Back up and restore)',
      );
    if (!yes) demandTerminal('restoring replaces the database: add --yes');
    return restoreFile(config, database, resolve(id), yes);
  },
  print: ({ file, kept, replaced, restored }) => [
    ...linesOf(replaced, restored),
    `Restored ${file}.${kept === null ? '' : ` The database that it replaces is ${kept}.`}`,
    'Erase again the guests who were erased since the backup.',
  ],
});

/** `kept` is where the database that was replaced is now; null where there was none, as `replaced`, or it cannot be read. */
async function restoreFile(config: Config, database: EmbeddedFile, backup: string, yes: boolean) {
  const { file } = database;
  if (!existsSync(backup)) throw new OperatorError(`there is no backup ${backup}`);
  const wasThere = existsSync(file);
  if (wasThere && realpathSync(file) === realpathSync(backup))
    throw new OperatorError(`${backup} is the database itself`);
  const lock = lockForServing(file);
  const copy = `${realpathSync(file)}.restoring`;
  const removeCopy = (): void => {
    for (const end of ['', '-wal', '-shm']) rmSync(copy + end, { force: true });
  };
  try {
    const replaced = await lookAtReplaced(database);
    removeCopy();
    await withProgress((show) => copyDatabase(backup, copy, show, async () => undefined));
    const restored = await makeReady(config, copy, backup);
    if (!yes) {
      note(linesOf(replaced, restored));
      await confirm(`Replace ${file} by ${backup}?`, 'nothing was changed');
    }
    const kept = `${realpathSync(file)}.before-${toTimestamp(systemClock.now()).replaceAll(/[-:]|\.\d+/g, '')}`;
    const hadContent = swapIn(copy, file, kept);
    return { file, kept: hadContent ? kept : null, replaced, restored };
  } finally {
    removeCopy();
    // The lock has made an empty one.
    if (!wasThere && statSync(file, { throwIfNoEntry: false })?.size === 0) rmSync(file);
    lock.release();
  }
}

/** Null for one that cannot be read: that may be why a backup is needed. */
async function lookAtReplaced(database: EmbeddedFile): Promise<Newest | null> {
  if (statSync(database.file).size === 0) return null;
  let db: Db;
  try {
    db = openSqlite({ ...database, lockWaitMs: 0 });
  } catch {
    return null;
  }
  try {
    await refuseCopied(db, database).catch((error: unknown) => {
      if (error instanceof OperatorError) throw error;
    });
    return await newestOf(db).catch(() => null);
  } finally {
    await db.close();
  }
}

/** Brings the copy up to date, signs everybody out and writes into its trail what became of it. */
async function makeReady(config: Config, copy: string, backup: string): Promise<Newest> {
  const db = openSqlite({ file: copy, lockWaitMs: 0 });
  try {
    const refuseNew = new OperatorError('it is no backup of Hourkeep');
    await migrate(db, systemClock, { refuseNew }).catch((error: unknown) => {
      throw error instanceof OperatorError ? new OperatorError(`${backup}: ${error.message}`) : error;
    });
    await checkSecretKey(db, config);
    const newest = await newestOf(db);
    await db.transaction(async (tx) => {
      await endSessions(tx);
      const change = { action: 'database.restored', hostId: NO_ID, environment: null } as const;
      await audit.record(tx, systemClock.now(), operator, { ...change, subject: backup });
    });
    return newest;
  } finally {
    await db.close();
  }
}

async function newestOf(db: Sql): Promise<Newest> {
  const [last_audit = null] = await list(db, { limit: 1 });
  return { newest_booking: (await newest(db)) ?? null, last_audit };
}

function linesOf(replaced: Newest | null, restored: Newest): string[] {
  return [`The database now:  ${toLine(replaced)}`, `The backup:        ${toLine(restored)}`];
}

function toLine(newest: Newest | null): string {
  if (newest === null) return 'there is none that can be read';
  const { newest_booking: booking, last_audit: last } = newest;
  const made = booking === null ? 'no bookings' : `newest booking ${booking.id} of ${booking.created_at}`;
  return `${made}, ${last === null ? 'no audit trail' : `last change ${last.at} ${last.action} ${last.subject}`}`;
}
