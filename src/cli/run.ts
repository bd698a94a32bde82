import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { createLogger } from '../log.ts';
import { createGuard } from '../outbound/guard.ts';
import { resolveSecretKey } from '../secrets/secret-key.ts';
import { createSecrets } from '../secrets/secrets.ts';
import { systemClock } from '../time/clock.ts';

/** Nobody else waits for the command line, so it can wait long for a lock the service holds. */
const LOCK_WAIT_MS = 10_000;

/** Opens the database that the service uses, brings its schema up to date, and hands both to a command. */
export async function withContext<T>(
  work: (ctx: Context, applied: readonly string[]) => Promise<T>,
): Promise<T> {
  const config = readConfig(process.env);
  const log = createLogger('silent');
  const db = openDatabase(config, log, LOCK_WAIT_MS);
  try {
    const { applied } = await migrate(db, systemClock);
    const secrets = createSecrets(() => resolveSecretKey(config));
    const guard = createGuard(config.webhookAllowCidrs);
    return await work({ db, config, clock: systemClock, log, secrets, guard }, applied);
  } finally {
    await db.close();
  }
}
