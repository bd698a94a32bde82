import type { FastifyReply, FastifyRequest } from 'fastify';
import * as apiKeys from '../api-keys/api-keys.ts';
import { BoundedMap } from '../bounded-map.ts';
import type { Context } from '../context.ts';
import { createRateLimit, findKey, isLive, type Admission, type Admit } from '../rate-limit/rate-limit.ts';
import {
  accountNotActive,
  apiKeyRevoked,
  insufficientScope,
  invalidApiKey,
  rateLimitExceeded,
} from '../errors.ts';
import { hashApiKey, isWellFormedApiKey } from '../ids/api-key.ts';
import { setRateHeaders } from '../rate-limit/headers.ts';
import { readTraceparent } from './traceparent.ts';

/**
 * Checks the key, then the rate limit, then the scope, all before the request's input is looked at. The key and its
 * account are read from the database on every request, so that a revocation or deactivation holds from the next request
 * on, in every process.
 */
export function authenticate(ctx: Context) {
  const admit = createRateLimit(ctx);
  return async function authenticateRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const scope = request.routeOptions.config.operation?.scope;
    if (scope === undefined) return;
    const admission = await identify(ctx, admit, request, reply);
    if (admission.rate !== undefined) {
      const secondsLeft = setRateHeaders(reply, admission.rate, admission.at);
      if (!admission.rate.admitted) throw rateLimitExceeded(admission.rate.limit, secondsLeft);
    }
    if (!admission.scopes.split(' ').includes(scope)) throw insufficientScope(scope);
  };
}

/** For requests that count towards no limit by themselves. Answers the key's scopes. */
export function authenticateUncounted(ctx: Context) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<readonly string[]> =>
    (await identify(ctx, findKey(ctx), request, reply)).scopes.split(' ');
}

async function identify(
  ctx: Context,
  find: Admit,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Admission> {
  reply.header('cache-control', 'no-store');
  const keyHash = hashOfKey(request.headers.authorization ?? '');
  const admission = keyHash === undefined ? undefined : await find(keyHash);
  if (admission === undefined) throw invalidApiKey();
  if (!isLive({ revoked_at: admission.revokedAt, expires_at: admission.expiresAt }, admission.at)) {
    throw apiKeyRevoked();
  }
  if (admission.deactivatedAt !== null) throw accountNotActive();
  const { keyId, hostId, environment } = admission;
  const traceparent = readTraceparent(request.headers['traceparent']);
  request.caller = {
    hostId,
    environment,
    actor: { type: 'key', id: keyId, requestId: request.id, traceparent },
  };
  apiKeys.noteUse(ctx, admission);
  return admission;
}

/** Hashes of headers seen lately: checking and hashing a key anew was 6 µs of each request. */
const known = new BoundedMap<string, string>(1000);

/** Undefined where the header has not the form of a key. */
export function hashOfKey(header: string): string | undefined {
  const seen = known.get(header);
  if (seen !== undefined) return seen;
  const key = /^Bearer +(\S+)$/i.exec(header)?.[1];
  if (key === undefined || !isWellFormedApiKey(key)) return undefined;
  const keyHash = hashApiKey(key);
  // Somebody who writes thousands of spaces before their key gets no room here.
  if (header.length < 100) known.set(header, keyHash);
  return keyHash;
}
