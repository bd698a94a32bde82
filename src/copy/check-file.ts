import type { Config } from '../config.ts';
import type { Sql } from '../db/database.ts';
import { lookAtSchema } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { OperatorError } from '../errors.ts';
import { createLogger } from '../log.ts';
import { checkSecretKey, findSecretKey, knownKeys } from '../secret-key/secret-key.ts';
import { createSecrets } from '../secrets/secrets.ts';
import { describeSealed, isLocked, sealedPages, type SealedRow } from '../secret-key/sealed-rows.ts';
import { validSecrets } from '../secrets/signing-secrets.ts';

/** Throws where the file is not ready to be copied: it has an older schema, or the key that we have is not its own. */
export async function checkFile(config: Config, now: number): Promise<{ locked: number }> {
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
    return { locked: await checkSecrets(db, config, now) };
  } finally {
    await db.close();
  }
}

const ROWS_PER_PAGE = 1000;

/**
 * Whoever does not have the key would learn it only when webhooks are not signed any more. Answers how many webhooks and
 * calendars have a secret that no key of this database opens: they wait already, and go on waiting.
 */
async function checkSecrets(db: Sql, config: Config, now: number): Promise<number> {
  if (!(await checkSecretKey(db, config))) return 0;
  const known = await knownKeys(db);
  const secrets = createSecrets(() => findSecretKey(config), config.secretKeyOld);
  let locked = 0;
  for await (const rows of sealedPages(db, ROWS_PER_PAGE)) {
    for (const row of rows) {
      if (isLocked(row, known, now)) locked++;
      else if (!opens(() => validSecrets(secrets, row.id, row, now))) throw doesNotOpen(row);
    }
  }
  return locked;
}

/** What was damaged throws. */
function opens(open: () => readonly string[] | undefined): boolean {
  try {
    return open() !== undefined;
  } catch {
    return false;
  }
}

function doesNotOpen(row: SealedRow): OperatorError {
  return new OperatorError(
    `${describeSealed(row)} does not open; while SECRET_KEY is being changed, SECRET_KEY_OLD is needed too`,
  );
}
