import type { Context } from '../context.ts';
import type { SchemaWatch } from '../db/schema-watch.ts';
import { notReady, serviceUnavailable } from '../errors.ts';
import type { App } from './server.ts';

/**
 * For load balancers: `/healthz` says that the process runs, `/readyz` that it can serve, and that it keeps deliveries
 * still where it does. A process that is too old for the database says so. Not part of the API's document.
 */
export function healthRoutes(app: App, ctx: Context, schema: SchemaWatch, isReady: () => boolean): void {
  const config = { alwaysServed: true };
  app.get('/healthz', { config }, async () => ({ status: 'ok' }));
  app.get('/readyz', { config }, async () => {
    if (!isReady()) throw serviceUnavailable();
    const tooOld = await schema.look();
    if (tooOld !== undefined) throw notReady(tooOld);
    return ctx.config.deliveries ? { status: 'ready' } : { status: 'ready', deliveries: 'off' };
  });
}
