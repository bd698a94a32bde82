import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { parseId } from '../ids/uuid.ts';
import { writeLines } from '../log.ts';
import { requestDuration } from '../metrics.ts';
import { toTimestamp, systemClock } from '../time/clock.ts';
import { headersOfAll } from './headers.ts';
import { traceIdOf } from './traceparent.ts';

/**
 * Puts the headers that all have on every answer, and writes one log line and one measurement for each request. They name the
 * route's pattern, never the URL as it was sent: that may contain a token.
 */
export function recordRequests(app: FastifyInstance, ctx: Context): void {
  let ended: Ended[] = [];
  // Records all requests that ended in one turn of the event loop together: a third of the work of one by one.
  const recordEnded = (): void => {
    for (const request of ended) {
      measure(request);
      count(ctx, request);
    }
    const time = toTimestamp(systemClock.now());
    if (ctx.log.isLevelEnabled('info'))
      writeLines(
        ctx.log,
        ended.map((request) => toLine(request, time)),
      );
    ended = [];
  };
  app.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now();
    reply.headers(headersOfAll(request.id));
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

/** The client hung up before it had all of its answer, or did not read it. Never sent; nginx logs the same number. */
const HUNG_UP = 499;

function measure({ request, reply, milliseconds }: Ended): void {
  const { method } = request;
  requestDuration.observe(
    { method, route: routeOf(request), status: statusOf(request, reply) },
    milliseconds / 1000,
  );
}

/** Only what the API's document has: a call of an agent asks one of these itself. */
function count(ctx: Context, { request }: Ended): void {
  const hostId = request.caller?.hostId;
  if (hostId !== undefined && request.routeOptions.config.operation !== undefined)
    ctx.figures.request(hostId, request.errorCode);
}

/** Nothing in it comes from the request's body or headers, but for ids in forms that hold nothing else. */
function toLine({ request, reply, milliseconds }: Ended, time: string): string {
  return JSON.stringify({
    level: 'info',
    time,
    request_id: request.id,
    trace_id: traceIdOf(request.headers['traceparent']),
    method: request.method,
    route: routeOf(request),
    status: statusOf(request, reply),
    duration_ms: Math.round(milliseconds * 100) / 100,
    host_id: request.caller?.hostId,
    key_id: request.caller?.actor.id,
    record_id: request.recordId ?? idInPath(request),
    message: 'request',
  });
}

function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'unknown';
}

function statusOf(request: FastifyRequest, reply: FastifyReply): number {
  // What an agent's call asks of the API (mcp/route.ts) has no socket, and nobody who could hang up.
  if (reply.raw.writableFinished || !(request.raw.socket instanceof Socket)) return reply.statusCode;
  // A long answer that failed on its way was cut off by us.
  return request.errorCode === 'INTERNAL_ERROR' ? 500 : HUNG_UP;
}

/** Our paths have at most one parameter. Whatever is not an id stays out of the log: it may be anything. */
function idInPath({ params }: FastifyRequest): string | undefined {
  for (const name in params as Record<string, string>)
    return parseId((params as Record<string, string>)[name]!);
  return undefined;
}
