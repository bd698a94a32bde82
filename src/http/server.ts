import { randomUUID } from 'node:crypto';
import { METHODS, type Server } from 'node:http';
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { Context } from '../context.ts';
import {
  ApiError,
  DatabaseAway,
  internalError,
  methodNotAllowed,
  notFound,
  payloadTooLarge,
  serviceUnavailable,
  unsupportedMediaType,
  validationError,
} from '../errors.ts';
import { logTrouble } from '../log.ts';
import { isCalendarDate } from '../time/dates.ts';
import { authenticate } from './authenticate.ts';
import { answerBrokenHttp, hostProblem } from './broken-http.ts';
import { failure } from './envelope.ts';
import { acceptJsonBodies } from './input/json-body.ts';
import { numberParser } from './input/query-numbers.ts';
import { shedOverload } from './overload.ts';
import { recordRequests } from './request-log.ts';
import type { SchemaTypes } from './input/type.ts';
import { fieldErrors } from './input/validation.ts';

export type App = ReturnType<typeof createServer>;

const BODY_LIMIT = 256 * 1024;
/** In the order in which `Allow` names them. */
const OWN_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const REQUEST_ID = /^[A-Za-z0-9_-]{1,128}$/;

/** Fastify with the manners of this API instead of its own: no coercion, nothing stripped, one envelope. */
export function createServer(ctx: Context) {
  const app = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    genReqId: requestId,
    // Closing answers what is in flight; a connection that sends one more request is served, then closed.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: 30_000,
    // A connection on which nothing moves, such as one whose client has stopped reading its answer. Node starts this
    // time again when it comes due and some bytes had gone out, so that a dead reader lasts one to two minutes.
    connectionTimeout: 60_000,
    http: { requireHostHeader: false },
    routerOptions: { ignoreTrailingSlash: true },
    ajv: {
      customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: true, allErrors: true },
      // Ajv takes the year 0000 for a date; PostgreSQL does not.
      onCreate: (ajv) => ajv.addFormat('date', isCalendarDate),
    },
    frameworkErrors: (error, request, reply) => {
      void answerError(ctx, hostProblem(request.raw) ?? malformedUrl(error), request, reply);
    },
    clientErrorHandler: answerBrokenHttp,
  }).withTypeProvider<SchemaTypes>();

  // Node would refuse what it does not know with a bare 417. Nobody has to meet an expectation of ours.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  answerHalfClosed(app.server);
  announceClosing(app);
  app.decorateRequest('caller', null as never);
  // Or those that Fastify does not know would find no route, and no path would have them to refuse.
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method) && method !== 'CONNECT') app.addHttpMethod(method);
  }
  acceptJsonBodies(app);
  // First: a refusal must cost little, and a line in the log would be a fifth of it.
  shedOverload(app, ctx);
  recordRequests(app, ctx);
  app.addHook('onRequest', (request, _reply, done) => done(hostProblem(request.raw)));
  app.addHook('onRequest', authenticate(ctx));
  // Before any body is read: there is nothing here that could want it.
  app.addHook('onRequest', (request, _reply, done) =>
    done(request.is404 ? notFound('no such endpoint') : undefined),
  );
  app.addHook('onRoute', (route) => {
    const parse = numberParser(route);
    if (parse !== undefined) route.preValidation = parse;
  });
  app.setErrorHandler((error, request, reply) => answerError(ctx, error, request, reply));
  app.setNotFoundHandler((request, reply) => answerError(ctx, notFound('no such endpoint'), request, reply));
  return app;
}

/** Gives every path an answer to the methods it does not have. Called when all routes are known. */
export function answerOtherMethods(
  app: FastifyInstance,
  methodsByUrl: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  for (const [url, methods] of methodsByUrl) {
    const allow = OWN_METHODS.filter((method) => methods.has(method)).join(', ');
    app.route({
      method: app.supportedMethods.filter((method) => !methods.has(method)),
      url,
      config: { allow },
      exposeHeadRoute: false,
      // Before any body is read: the method is wrong whatever it carries.
      onRequest: async (request) => {
        throw methodNotAllowed(request.method, allow);
      },
      handler: async () => undefined,
    });
  }
}

/** A client may close its own side once it has sent its request, and still wants the answer. */
function answerHalfClosed(server: Server): void {
  // Not in the types or the documentation of Node, which reads it since its first versions.
  Object.assign(server, { httpAllowHalfOpen: true });
}

/**
 * Once the service stops, every answer says that its connection closes, so that clients and proxies do not send their
 * next request into it. Fastify says so only to requests that arrive after the stop began.
 */
function announceClosing(app: FastifyInstance): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close');
    done();
  });
}

function requestId(request: { headers: Record<string, string | string[] | undefined> }): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

function answerError(
  ctx: Context,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const answer = toApiError(error);
  // What was refused on purpose, in overload or before all is ready, is no failure.
  if (answer.httpStatus >= 500 && answer !== error)
    logTrouble(ctx.log, error, { request_id: request.id }, 'request failed');
  return (
    reply
      .code(answer.httpStatus)
      // A refusal is never worth keeping, and HTTP lets caches keep a 404 that does not say so.
      .header('cache-control', 'no-store')
      // Here too: a path that cannot be decoded is answered before any hook has run.
      .header('x-request-id', request.id)
      .headers(answer.headers)
      .type('application/json; charset=utf-8')
      .serializer(JSON.stringify)
      .send(failure(answer, request.id))
  );
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof DatabaseAway) return serviceUnavailable();
  const { code, statusCode, validation, validationContext } = error as Partial<FastifyError>;
  if (validation !== undefined) {
    return validationError(fieldErrors(validation, validationContext === 'querystring' ? 'query' : 'body'));
  }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return payloadTooLarge(BODY_LIMIT);
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedMediaType();
  if (statusCode === 400) return validationError([{ field: 'body', message: 'could not be read' }]);
  return internalError();
}

/** A path that cannot be decoded names nothing. */
function malformedUrl(error: FastifyError): Error {
  return error.code === 'FST_ERR_BAD_URL' || error.code === 'FST_ERR_MAX_PARAM_LENGTH'
    ? notFound('no such endpoint')
    : error;
}
