import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { requestDuration } from './metrics.ts';

/**
 * The request id on every answer, and one line and one measurement a request. The line has the route's
 * pattern, never the address as sent: that may carry a token.
 */
export function recordRequests(app: FastifyInstance, ctx: Context): void {
  app.addHook('onRequest', async (request, reply) => {
    request.startedAt = performance.now();
    reply.header('x-request-id', request.id);
  });
  app.addHook('onResponse', async (request, reply) => {
    const milliseconds = performance.now() - request.startedAt;
    const route = request.routeOptions.url ?? 'unknown';
    requestDuration.observe({ method: request.method, route, status: reply.statusCode }, milliseconds / 1000);
    ctx.log.info(
      {
        request_id: request.id,
        method: request.method,
        route,
        status: reply.statusCode,
        duration_ms: Math.round(milliseconds * 100) / 100,
        host_id: request.caller?.hostId,
      },
      'request',
    );
  });
}
