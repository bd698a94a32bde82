import { BoundedMap } from '../bounded-map.ts';
import type { Context } from '../context.ts';
import { ApiError, rateLimitExceeded } from '../errors.ts';
import { authenticateUncounted, checkKey } from './authenticate.ts';
import { clientAddress } from './client-address.ts';
import { ok } from './envelope.ts';
import { Type } from './input/type.ts';
import type { App } from './server.ts';
import { hashApiKey, isWellFormedApiKey } from '../ids/api-key.ts';
import { MemoryWindows } from '../rate-limit/memory.ts';
import { findKey } from '../rate-limit/rate-limit.ts';
import { clearCookie, cookieOf, setCookie } from '../sessions/cookie.ts';
import * as sessions from '../sessions/sessions.ts';

/** Keys that are not valid, from one address in any 60 seconds, at each process. Then every sign-in from there is rejected. */
const MAX_WRONG_KEYS = 10;
const MAX_ADDRESSES = 10_000;

const SignIn = Type.Object(
  { key: Type.String(), remember: { ...Type.Boolean(), default: false } },
  { additionalProperties: false },
);

/** Signing in to the console and out of it. Outside the API and its document. */
export function sessionRoutes(app: App, ctx: Context): void {
  const url = `${ctx.config.basePath}/console/session`;
  const find = findKey(ctx);
  const wrongKeys = new MemoryWindows(new BoundedMap(MAX_ADDRESSES));
  const refuseGuessing = (address: string): void => {
    const now = ctx.clock.now();
    const until = wrongKeys.closedUntil(address, MAX_WRONG_KEYS, now);
    if (until !== undefined) throw rateLimitExceeded(MAX_WRONG_KEYS, Math.ceil((until - now) / 1000));
  };
  app.route({
    method: 'POST',
    url,
    schema: { body: SignIn },
    // In this early hook, so that the body is not read.
    onRequest: async (request, reply) => {
      reply.header('cache-control', 'no-store');
      refuseGuessing(clientAddress(request.raw));
    },
    handler: async (request, reply) => {
      const { key, remember } = request.body;
      const address = clientAddress(request.raw);
      const hash = isWellFormedApiKey(key) ? hashApiKey(key) : undefined;
      const found = await checkKey(ctx, find, request, hash).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        return error;
      });
      // Once more: of guesses that were sent together, those beyond the limit are not told whether they were right.
      refuseGuessing(address);
      if (found instanceof ApiError) {
        wrongKeys.admit(address, MAX_WRONG_KEYS, ctx.clock.now());
        throw found;
      }
      const { id } = found.key;
      const session = await sessions.start(ctx, { id, hash: hash! }, remember, cookieOf(request));
      setCookie(reply, ctx.config, session);
      return ok(await sessions.describe(ctx, id, session));
    },
  });

  const resume = authenticateUncounted(ctx);
  const inSession = {
    config: { credential: 'session' },
    onRequest: async (...[request, reply]: Parameters<typeof resume>) => void (await resume(request, reply)),
  } as const;
  app.get(url, inSession, async ({ caller, session }) =>
    ok(await sessions.describe(ctx, caller.actor.id, session!)),
  );
  app.delete(url, inSession, async ({ session }, reply) => {
    await sessions.end(ctx, session!);
    clearCookie(reply, ctx.config);
    return ok({ signed_out: true });
  });
}
