import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Context } from '../context.ts';
import { requestDuration } from '../metrics.ts';

/**
 * Puts the request id on every answer, and writes one log line and one measurement for each request. They name the
 * route's pattern, never the URL as it was sent: that may contain a token.
 */
export function recordRequests(app: FastifyInstance, ctx: Context): void {
  // Without redaction, which would be half the cost of a line: nothing in this line comes from the request's body or headers.
  const log = ctx.log.child({}, { redact: [] });
  let ended: Ended[] = [];
  // Records all requests that ended in one turn of the event loop together: half as much work as one by one.
  const recordEnded = (): void => {
    for (const request of ended) record(log, request);
    ended = [];
  };
  app.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now();
    reply.header('x-request-id', request.id);
    // Not the onResponse hook: "close" also comes when the client has hung up.
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

/** The client hung up before it had its answer. Not a status that is ever sent; nginx logs the same number. */
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
