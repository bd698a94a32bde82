import type { Context } from '../context.ts';
import type { SchemaWatch } from '../db/schema-watch.ts';
import { notReady, serviceUnavailable } from '../errors.ts';
import { createRateLimit } from '../rate-limit/rate-limit.ts';
import type { App } from './server.ts';
import { createWriteCheck } from './takes-writes.ts';

/** No hash is as short. */
const NOBODYS_KEY = '0';

/**
 * For load balancers: `/healthz` says that the process runs, `/readyz` that it can serve, writes included, and that it keeps
 * deliveries still where it does. A process that is too old for the database says so. Not part of the API's document.
 */
export function healthRoutes(app: App, ctx: Context, schema: SchemaWatch, isReady: () => boolean): void {
  const config = { alwaysServed: true };
  const admit = createRateLimit(ctx);
  const demandWrites = createWriteCheck(ctx);
  app.get('/healthz', { config }, async () => ({ status: 'ok' }));
  app.get('/readyz', { config }, async () => {
    if (!isReady()) throw serviceUnavailable();
    const tooOld = await schema.look();
    if (tooOld !== undefined) throw notReady(tooOld);
    // Every request begins so. A server whose procedural language cannot be loaded still answers what `look` asks.
    await admit(NOBODYS_KEY);
    await demandWrites();
    return ctx.config.deliveries ? { status: 'ready' } : { status: 'ready', deliveries: 'off' };
  });
}
