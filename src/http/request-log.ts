import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { requestDuration } from './metrics.ts';

/**
 * The request id on every answer, and one line and one measurement a request. The line has the route's
 * pattern, never the address as sent: that may carry a token.
 */
export function recordRequests(app: FastifyInstance, ctx: Context): void {
  // Nothing of a caller's is in the line, so it needs no redaction, which would be half of its cost.
  const log = ctx.log.child({}, { redact: [] });
  app.addHook('onRequest', (request, reply, done) => {
    request.startedAt = performance.now();
    reply.header('x-request-id', request.id);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const milliseconds = performance.now() - request.startedAt;
    const route = request.routeOptions.url ?? 'unknown';
    requestDuration.observe({ method: request.method, route, status: reply.statusCode }, milliseconds / 1000);
    log.info(
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
    done();
  });
}
