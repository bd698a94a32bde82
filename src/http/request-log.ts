import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Context } from '../context.ts';
import { requestDuration } from '../metrics.ts';

/**
 * The request id on every answer, and one line and one measurement a request. The line has the route's
 * pattern, never the address as sent: that may carry a token.
 */
export function recordRequests(app: FastifyInstance, ctx: Context): void {
  // Nothing of a caller's is in the line, so it needs no redaction, which would be half of its cost.
  const log = ctx.log.child({}, { redact: [] });
  let ended: Ended[] = [];
  // All that ended in one turn of the event loop, in a row: that is half as much work as one by one.
  const recordEnded = (): void => {
    for (const request of ended) record(log, request);
    ended = [];
  };
  app.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now();
    reply.header('x-request-id', request.id);
    // Not the onResponse hook: "close" comes in every case, also when the client has hung up.
    reply.raw.on('close', () => {
      const count = ended.push({ request, reply, milliseconds: performance.now() - startedAt });
      if (count === 1) setImmediate(recordEnded);
    });
    done();
  });
}

interface Ended {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly milliseconds: number;
}

/** What others too write down for a client that did not wait for its answer. */
const HUNG_UP = 499;

function record(log: Logger, { request, reply, milliseconds }: Ended): void {
  const route = request.routeOptions.url ?? 'unknown';
  const status = reply.raw.writableFinished ? reply.statusCode : HUNG_UP;
  requestDuration.observe({ method: request.method, route, status }, milliseconds / 1000);
  log.info(
    {
      request_id: request.id,
      method: request.method,
      route,
      status,
      duration_ms: Math.round(milliseconds * 100) / 100,
      host_id: request.caller?.hostId,
    },
    'request',
  );
}
