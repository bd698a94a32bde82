import type { Actor } from '../caller.ts';
import { accessSync } from 'node:fs';
import { userInfo } from 'node:os';
import { type Config, describeDatabase, readConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { migrate, type Migration } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { OperatorError } from '../errors.ts';
import { HostFigures } from '../host-figures.ts';
import { createLogger } from '../log.ts';
import { createGuard } from '../outbound/guard.ts';
import { findSecretKey } from '../secret-key/secret-key.ts';
import { createSecrets } from '../secrets/secrets.ts';
import { systemClock } from '../time/clock.ts';
import { note } from './output.ts';

/** Whoever types the command, for the audit trail; sudo says who that was. A container may run as a user without a name. */
export const operator: Actor = { type: 'operator', id: userName(), requestId: null };

function userName(): string {
  const typedBy = process.env['SUDO_USER'];
  if (typedBy !== undefined && typedBy !== '') return typedBy;
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** Nobody waits behind a command, so it can wait long for a lock that the service holds. */
const LOCK_WAIT_MS = 10_000;

/**
 * Opens the database that the service uses, brings its schema up to date, and hands both to a command. A database that
 * is not there is refused, unless creating it is what the command is for: in the wrong folder, a new and empty one would
 * look as if all data were gone.
 */
export async function withContext<T>(
  work: (ctx: Context, applied: readonly Migration[]) => Promise<T>,
  { mayCreate = false } = {},
): Promise<T> {
  const config = readConfig(process.env);
  if (!mayCreate) refuseMissingFile(config);
  const log = createLogger('silent');
  const db = openDatabase(config, log, LOCK_WAIT_MS);
  try {
    const { applied } = await migrate(db, systemClock, {
      ...(mayCreate ? {} : { refuseNew: notSetUp(config) }),
      onWait: (why) => note(`hourkeep: ${why}`),
    });
    const secrets = createSecrets(() => findSecretKey(config), config.secretKeyOld);
    const guard = createGuard(config.webhookAllowCidrs);
    return await work(
      { db, config, clock: systemClock, log, secrets, guard, figures: new HostFigures() },
      applied,
    );
  } finally {
    await db.close();
  }
}

export function refuseMissingFile({ database }: Config): void {
  if (database.engine === 'postgres' || !isMissing(database.file)) return;
  throw new OperatorError(
    `there is no database at ${database.file}; set DATA_DIR or DATABASE_URL to where it is, or create it with "hourkeep migrate"`,
  );
}

/** A file that we may not look at is there: opening it tells what is wrong. */
function isMissing(file: string): boolean {
  try {
    accessSync(file);
    return false;
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

function notSetUp(config: Config): OperatorError {
  const where = describeDatabase(config);
  return new OperatorError(
    `${where} has no tables of Hourkeep; set DATABASE_URL to the right one, or create them with "hourkeep migrate"`,
  );
}
