import type { Context } from '../context.ts';
import { write } from '../db/database.ts';
import type { Admission } from './rule.ts';

const TOUCH_EVERY_MS = 60_000;

/**
 * Keeps last_used_at at most a minute behind. The request does not wait for it; if the write fails, the next
 * request writes it.
 */
export function noteUse(ctx: Context, key: Admission): void {
  if (key.lastUsedAt !== null && key.at - key.lastUsedAt < TOUCH_EVERY_MS) return;
  if (touching.has(key.keyId)) return;
  touching.add(key.keyId);
  ctx.db
    .transaction((tx) => tx.run(touchKey, [key.keyId, key.at]))
    .catch((error: unknown) => ctx.log.debug({ error }, 'last_used_at not updated'))
    .finally(() => touching.delete(key.keyId));
}

/** Keys whose last_used_at is being written, so that a burst of requests writes once. */
const touching = new Set<string>();

const touchKey = write('update api_keys set last_used_at = $2 where id = $1');
