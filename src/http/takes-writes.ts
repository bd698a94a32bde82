import { setTimeout } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { write } from '../db/database.ts';
import { isLocked } from '../db/sqlite/connection.ts';
import { DatabaseAway } from '../errors.ts';

/** Load balancers ask every second or so, and from several places. */
const GOOD_FOR_MS = 2000;
/** A write that takes longer says nothing about the disk. */
const WAIT_MS = 1000;
/** PostgreSQL's code for a full disk. */
const DISK_FULL = '53100';

/**
 * Makes a function that throws where the database answers but cannot be written, because its disk is full. What else keeps a write
 * waiting is not asked here: a standby that is away, or a command that writes for long, must not take the reads away too. One
 * write at a time: those that wait for a standby would use up all connections.
 */
export function createWriteCheck(ctx: Context): () => Promise<void> {
  let goodUntil = 0;
  let writing: Promise<unknown> | undefined;
  return async () => {
    if (performance.now() < goodUntil) return;
    writing ??= ctx.db
      .once(noteWrite, [String(ctx.clock.now())])
      .then(() => {
        goodUntil = performance.now() + GOOD_FOR_MS;
        return undefined;
      })
      .catch((error: unknown) => error)
      .finally(() => {
        writing = undefined;
      });
    const error = await Promise.race([writing, setTimeout(WAIT_MS, undefined, { ref: false })]);
    if (error instanceof DatabaseAway && isLasting(ctx, error)) throw error;
  };
}

function isLasting(ctx: Context, error: DatabaseAway): boolean {
  if (ctx.db.engine === 'sqlite') return !isLocked(error);
  return isDiskFull(error);
}

/** Of PostgreSQL. */
export function isDiskFull({ cause }: Error): boolean {
  return (cause as { code?: unknown } | undefined)?.code === DISK_FULL;
}

const noteWrite = write(`
  insert into settings (name, value) values ('last_write', $1) on conflict (name) do update set value = excluded.value`);
