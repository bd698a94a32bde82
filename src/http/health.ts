import { ping } from '../db/database.ts';
import type { Context } from '../context.ts';
import { serviceUnavailable } from '../errors.ts';
import type { App } from './server.ts';

/**
 * For load balancers: `/healthz` says that the process runs, `/readyz` that it can serve, and that it keeps deliveries
 * still where it does. Not part of the API's document.
 */
export function healthRoutes(app: App, ctx: Context, isReady: () => boolean): void {
  const config = { alwaysServed: true };
  app.get('/healthz', { config }, async () => ({ status: 'ok' }));
  app.get('/readyz', { config }, async () => {
    if (!isReady()) throw serviceUnavailable();
    await ctx.db.get(ping);
    return ctx.config.deliveries ? { status: 'ready' } : { status: 'ready', deliveries: 'off' };
  });
}
