import { setTimeout } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { write } from '../db/database.ts';
import type { SchemaWatch } from '../db/migrate.ts';
import { isLocked } from '../db/sqlite/connection.ts';
import { DatabaseAway, notReady, OperatorError, type Lack } from '../errors.ts';
import { logTrouble } from '../log.ts';
import { createRateLimit } from '../rate-limit/rate-limit.ts';
import type { App } from './server.ts';

/** No hash is as short. */
const NOBODYS_KEY = '0';

/**
 * For load balancers: `/healthz` says that the process runs, `/readyz` that it can serve, writes included, and that it keeps
 * deliveries still where it does. `details.reason` is what it lacks; the log has the rest. Not part of the API's document.
 */
export function healthRoutes(app: App, ctx: Context, schema: SchemaWatch, isReady: () => boolean): void {
  const config = { alwaysServed: true };
  const admit = createRateLimit(ctx);
  const demandWrites = createWriteCheck(ctx);
  app.get('/healthz', { config }, async () => ({ status: 'ok' }));
  app.get('/readyz', { config }, async (request) => {
    const lacking =
      (reason: Lack) =>
      (error: unknown): never => {
        if (!(error instanceof DatabaseAway) && !(error instanceof OperatorError)) throw error;
        logTrouble(ctx.log, error, { request_id: request.id }, 'not ready');
        throw notReady(isDiskFull(error) ? 'disk' : reason);
      };
    if (!isReady()) throw notReady('starting');
    const tooOld = await schema.look().catch(lacking('database'));
    if (tooOld !== undefined) throw notReady('schema', tooOld);
    // Every request begins so. A server whose procedural language cannot be loaded still answers what `look` asks.
    await admit(NOBODYS_KEY).catch(lacking('database'));
    await demandWrites().catch(lacking('disk'));
    return ctx.config.deliveries ? { status: 'ready' } : { status: 'ready', deliveries: 'off' };
  });
}

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
function createWriteCheck(ctx: Context): () => Promise<void> {
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
  return ctx.db.engine === 'sqlite' ? !isLocked(error) : isDiskFull(error);
}

/** Of PostgreSQL. */
function isDiskFull({ cause }: Error): boolean {
  return (cause as { code?: unknown } | undefined)?.code === DISK_FULL;
}

const noteWrite = write(`
  insert into settings (name, value) values ('last_write', $1) on conflict (name) do update set value = excluded.value`);
