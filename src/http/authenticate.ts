import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../ids/scopes.ts';
import { BoundedMap } from '../bounded-map.ts';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { createRateLimit, findKey, type Admission, type Admit } from '../rate-limit/rate-limit.ts';
import {
  accountNotActive,
  apiKeyRevoked,
  insufficientScope,
  invalidApiKey,
  notSignedIn,
  rateLimitExceeded,
} from '../errors.ts';
import { hashApiKey, isWellFormedApiKey, keyStatus } from '../ids/api-key.ts';
import { noteUse } from '../rate-limit/note-use.ts';
import { setRateHeaders } from '../rate-limit/rule.ts';
import { setCookie, tokenOf } from '../sessions/cookie.ts';
import * as sessions from '../sessions/sessions.ts';
import type { Session } from '../sessions/sessions.ts';
import { readTraceparent } from './traceparent.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** On routes outside the API: a session of the console; with `or key`, an Authorization header wins over it. */
    credential?: 'session' | 'session or key';
  }
  interface FastifyRequest {
    /** By what the request is counted before anything is read from the database: the hash of a key that may not exist. */
    keyHash: string | undefined;
    /** Of the console, where the request was made in one. */
    session: Session | undefined;
  }
}

/**
 * Checks the key, then the rate limit, then the scope, all before the request's input is looked at. The key and its
 * account are read from the database on every request, so that a revocation or deactivation holds from the next request
 * on, in every process.
 */
export function authenticate(ctx: Context) {
  const admit = createRateLimit(ctx);
  return async (request: FastifyRequest, reply: FastifyReply, scope: Scope): Promise<void> => {
    const admission = await identify(ctx, admit, request, reply);
    if (admission.rate !== undefined) {
      const secondsLeft = setRateHeaders(reply, admission.rate, admission.at);
      if (!admission.rate.admitted) throw rateLimitExceeded(admission.rate.limit, secondsLeft);
    }
    if (!admission.key.scopes.split(' ').includes(scope)) throw insufficientScope(scope);
  };
}

/** For requests that count towards no limit by themselves. Answers the key's scopes. */
export function authenticateUncounted(ctx: Context) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<readonly string[]> =>
    (await identify(ctx, findKey(ctx), request, reply)).key.scopes.split(' ');
}

async function identify(
  ctx: Context,
  find: Admit,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Admission> {
  reply.header('cache-control', 'no-store');
  if (!isInSession(request)) return checkKey(ctx, find, request, request.keyHash);
  const token = tokenOf(request);
  const session = token === undefined ? undefined : await sessions.find(ctx, token);
  if (session === undefined) throw notSignedIn();
  sessionKeys.set(session.token, session.keyHash);
  const admission = await checkKey(ctx, find, request, session.keyHash);
  const renewed = await sessions.renew(ctx, session);
  if (renewed !== undefined) setCookie(reply, ctx.config, renewed);
  request.session = renewed ?? session;
  return admission;
}

/** Finds a key that works, on whose behalf the request goes on. */
export async function checkKey(
  ctx: Context,
  find: Admit,
  request: FastifyRequest,
  keyHash: string | undefined,
): Promise<Admission> {
  const admission = keyHash === undefined ? undefined : await find(keyHash);
  if (admission === undefined) throw invalidApiKey();
  // Also of a key that is rejected below: the log and the figures say whose it was.
  const { key, at } = admission;
  const traceparent = readTraceparent(request.headers['traceparent']);
  request.caller = {
    hostId: key.host_id,
    environment: key.environment,
    actor: { type: 'key', id: key.id, requestId: request.id, traceparent },
  };
  if (keyStatus(key, at) !== 'active') throw apiKeyRevoked();
  if (key.deactivated_at !== null) throw accountNotActive();
  noteUse(ctx, admission);
  return admission;
}

/** An endpoint of the API under /console/api is that endpoint, with the console's session in place of a key. */
export function withoutConsole({ console, basePath }: Config, url: string): string {
  const prefix = `${basePath}/console/api/`;
  return console && url.startsWith(prefix) ? `${basePath}/${url.slice(prefix.length)}` : url;
}

export function isConsoleApi(request: FastifyRequest): boolean {
  return request.originalUrl !== request.url;
}

/** No other request has its cookies read. */
function isInSession(request: FastifyRequest): boolean {
  const { credential } = request.routeOptions.config;
  const hasHeader = request.headers.authorization !== undefined;
  return isConsoleApi(request) || credential === 'session' || (credential !== undefined && !hasHeader);
}

/** Keys of sessions seen lately, to know whose request it is before the database is asked. */
const sessionKeys = new BoundedMap<string, string>(10_000);

/** Called once for each request: what a session's key is may become known while the request is in progress. */
export function presumedKeyHash(request: FastifyRequest): string | undefined {
  return isInSession(request)
    ? sessionKeys.get(tokenOf(request) ?? '')
    : hashOfKey(request.headers.authorization ?? '');
}

/** Hashes of headers seen lately: checking and hashing a key anew was 6 µs of each request. */
const known = new BoundedMap<string, string>(1000);

/** Undefined where the header has not the form of a key. */
function hashOfKey(header: string): string | undefined {
  const seen = known.get(header);
  if (seen !== undefined) return seen;
  const key = /^Bearer +(\S+)$/i.exec(header)?.[1];
  if (key === undefined || !isWellFormedApiKey(key)) return undefined;
  const keyHash = hashApiKey(key);
  // Somebody who writes thousands of spaces before their key gets no room here.
  if (header.length < 100) known.set(header, keyHash);
  return keyHash;
}
