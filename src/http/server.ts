import { randomUUID } from 'node:crypto';
import { METHODS, type IncomingMessage } from 'node:http';
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { Context } from '../context.ts';
import type { SchemaWatch } from '../db/migrate.ts';
import {
  ApiError,
  DatabaseAway,
  OperatorError,
  internalError,
  methodNotAllowed,
  notFound,
  payloadTooLarge,
  serviceUnavailable,
  unsupportedMediaType,
  validationError,
  invalid,
} from '../errors.ts';
import { logTrouble } from '../log.ts';
import { authenticate, isConsoleApi, withoutConsole } from './authenticate.ts';
import { answerBrokenHttp, closeIdle, hostProblem } from './broken-http.ts';
import { isAlwaysServed, limitCallers, recognizeCallers } from './callers.ts';
import { failure } from './envelope.ts';
import { headersOfAll } from './headers.ts';
import { acceptJsonBodies } from './input/json-body.ts';
import { queryReader } from './input/query.ts';
import { shedOverload } from './overload.ts';
import { recordRequests } from './request-log.ts';
import type { Schema, SchemaTypes } from './input/type.ts';
import { fieldErrors } from './input/validation.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The service has been told to stop. */
    stopping: boolean;
    /** For routes that are not operations of the API, and need a key with a scope all the same. */
    authenticate: ReturnType<typeof authenticate>;
  }
}

export type App = ReturnType<typeof createServer>;

const BODY_LIMIT = 256 * 1024;
const CONNECTION_TIMEOUT_MS = 60_000;
/** The order in which `Allow` lists them. */
const OWN_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const REQUEST_ID = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * Fastify with its defaults changed where this API differs: input is neither converted nor stripped of unknown fields, and
 * every error has the envelope.
 */
export function createServer(ctx: Context, schema: SchemaWatch) {
  const app = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    genReqId: requestId,
    // While the service stops, requests in flight are answered, and so is the next one on a connection that is open.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: 30_000,
    // After which closeIdle is asked. A partial write restarts the timer, so a dead reader lasts 60 to 120 s.
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    // Checked by hostProblem.
    http: { requireHostHeader: false },
    routerOptions: { ignoreTrailingSlash: true },
    rewriteUrl: ({ url }) => withoutConsole(ctx.config, url!),
    schemaController: {
      compilersFactory: {
        // Typed for Ajv: Fastify itself takes any function that returns an error or the value.
        buildValidator: () => validatorFor as never,
        // V8 takes a half to a quarter of the time that functions compiled from the schemas took.
        buildSerializer: () => () => JSON.stringify,
      },
    },
    frameworkErrors: (error, request, reply) => {
      void answerError(ctx, hostProblem(request.raw) ?? malformedUrl(error), request, reply);
    },
    clientErrorHandler: answerBrokenHttp,
  }).withTypeProvider<SchemaTypes>();

  // Node answers an unknown `Expect` header with 417 and no body. Ignore the header instead.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  continueLate(app);
  app.server.on('timeout', closeIdle);
  // A client may close its own side once it has sent its request, and still wants the answer. Neither documented nor typed.
  Object.assign(app.server, { httpAllowHalfOpen: true });
  announceClosing(app);
  app.decorateRequest('caller', null as never);
  app.decorateRequest('recordId', undefined);
  app.decorateRequest('session', undefined);
  app.decorate('authenticate', authenticate(ctx));
  app.decorateRequest('errorCode', undefined);
  // Register Node's other methods, so that they get 405 and not 404.
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method) && method !== 'CONNECT') app.addHttpMethod(method);
  }
  acceptJsonBodies(app);
  recognizeCallers(app);
  // Before the log: a refusal must be cheap, and its line in the log would be a fifth of its cost.
  shedOverload(app, ctx);
  recordRequests(app, ctx);
  refuseWhenTooOld(app, schema);
  app.addHook('onRequest', (request, _reply, done) => done(hostProblem(request.raw)));
  limitCallers(app);
  app.addHook('onRequest', async (request, reply) => {
    const scope = request.routeOptions.config.operation?.scope;
    if (scope !== undefined) await app.authenticate(request, reply, scope);
  });
  // In this early hook, so that the body of a request to an unknown path is not read.
  app.addHook('onRequest', (request, _reply, done) =>
    done(request.is404 || isBesideEndpoints(request) ? notFound('no such endpoint') : undefined),
  );
  app.addHook('onRoute', (route) => {
    const read = queryReader(route);
    if (read !== undefined) route.preValidation = read;
  });
  app.setErrorHandler((error, request, reply) => {
    // At once: refusals are paced by what each of them takes (overload.ts).
    if (toApiError(error).code !== 'INTERNAL_ERROR') return answerError(ctx, error, request, reply);
    return blamedOnSchema(schema, error).then((blamed) => answerError(ctx, blamed, request, reply));
  });
  app.setNotFoundHandler((request, reply) => answerError(ctx, notFound('no such endpoint'), request, reply));
  return app;
}

function validatorFor({ schema, httpPart }: { schema: Schema; httpPart?: string }) {
  // A path with a malformed id names nothing: its handler answers 404.
  if (httpPart === 'params') return (value: unknown) => ({ value });
  const part = httpPart === 'querystring' ? 'query' : 'body';
  return (value: unknown) => {
    const problems = fieldErrors(schema, value, part);
    return problems.length > 0 ? { error: validationError(problems) } : { value };
  };
}

/** Under /console/api is nothing but the endpoints that need a key. */
function isBesideEndpoints(request: FastifyRequest): boolean {
  const { url = '', config } = request.routeOptions;
  const isEndpoint =
    config.operation?.scope !== undefined || (config.allow !== undefined && url.includes('/api-'));
  return isConsoleApi(request) && !isEndpoint;
}

/** Adds a 405 to every path for the methods that it does not have. Call it when all routes are registered. */
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
      // In this early hook, so that the body is not read.
      onRequest: async (request) => {
        throw methodNotAllowed(request.method, allow);
      },
      handler: async () => undefined,
    });
  }
}

/**
 * Node sends 100 Continue before anything is checked. Here it is sent when the body is about to be read: whoever is rejected
 * by a header, such as a key that is not valid, gets that response instead, and Node closes the connection after it.
 */
function continueLate(app: FastifyInstance): void {
  const waiting = new WeakSet<IncomingMessage>();
  app.server.on('checkContinue', (request, response) => {
    waiting.add(request);
    app.server.emit('request', request, response);
  });
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (waiting.has(request.raw)) reply.raw.writeContinue();
    done();
  });
}

/**
 * Once the service stops, every answer says that its connection closes, so that clients and proxies do not send their
 * next request into it. The service sets `stopping` some seconds before it closes the server.
 */
function announceClosing(app: FastifyInstance): void {
  app.decorate('stopping', false);
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (app.stopping) reply.header('connection', 'close');
    done();
  });
}

/** Another process, of a newer version, can serve the request. */
function refuseWhenTooOld(app: FastifyInstance, schema: SchemaWatch): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const served = schema.tooOld === undefined || isAlwaysServed(request);
    done(served ? undefined : serviceUnavailable());
  });
}

/** An error that nobody expected may be the first sign that the database has been migrated past this version. */
async function blamedOnSchema(schema: SchemaWatch, error: unknown): Promise<unknown> {
  const tooOld = await schema.look().catch(() => undefined);
  return tooOld === undefined ? error : serviceUnavailable();
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
  request.errorCode = answer.code;
  // Where they are the same, the 503 was thrown on purpose: overload, or a service that is not ready yet.
  if (answer.httpStatus >= 500 && answer !== error)
    logTrouble(ctx.log, error, { request_id: request.id }, 'request failed');
  return (
    reply
      .code(answer.httpStatus)
      // HTTP lets caches keep a 404 that says nothing about caching.
      .header('cache-control', 'no-store')
      // Set by a hook already, but for paths that cannot be decoded: those are answered before any hook runs.
      .headers(headersOfAll(request.id))
      .headers(answer.headers)
      .type('application/json; charset=utf-8')
      .send(failure(answer, request.id))
  );
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  // What the operator must put right is not the request's fault: it may succeed later, or at another process.
  if (error instanceof OperatorError) return serviceUnavailable();
  if (error instanceof DatabaseAway) return serviceUnavailable(error.outcome);
  const { code, statusCode } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return payloadTooLarge(BODY_LIMIT);
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedMediaType();
  if (statusCode === 400) return invalid('body', 'could not be read');
  return internalError();
}

/** A path that cannot be decoded is one that does not exist. */
function malformedUrl(error: FastifyError): Error {
  return error.code === 'FST_ERR_BAD_URL' || error.code === 'FST_ERR_MAX_PARAM_LENGTH'
    ? notFound('no such endpoint')
    : error;
}
