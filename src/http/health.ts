import type { Context } from '../context.ts';
import type { SchemaWatch } from '../db/migrate.ts';
import { DatabaseAway, notReady, OperatorError, type Lack } from '../errors.ts';
import { logTrouble } from '../log.ts';
import { createRateLimit } from '../rate-limit/rate-limit.ts';
import type { App } from './server.ts';
import { createWriteCheck, isDiskFull } from './takes-writes.ts';

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
