import type { Context } from '../context.ts';
import { write } from '../db/database.ts';
import type { Admission } from './rule.ts';

const TOUCH_EVERY_MS = 60_000;

/**
 * Keeps last_used_at at most a minute behind. The request does not wait for it; if the write fails, the next
 * request writes it.
 */
export function noteUse(ctx: Context, { key, at }: Admission): void {
  if (key.last_used_at !== null && at - key.last_used_at < TOUCH_EVERY_MS) return;
  if (touching.has(key.id)) return;
  touching.add(key.id);
  ctx.db
    .transaction((tx) => tx.run(touchKey, [key.id, at]))
    .catch((error: unknown) => ctx.log.debug({ error }, 'last_used_at not updated'))
    .finally(() => touching.delete(key.id));
}

/** Keys whose last_used_at is being written, so that a burst of requests writes once. */
const touching = new Set<string>();

const touchKey = write('update api_keys set last_used_at = $2 where id = $1');
