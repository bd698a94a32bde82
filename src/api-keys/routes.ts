import type { Context } from '../context.ts';
import { rateLimitExceeded } from '../errors.ts';
import { BoundedMap } from '../bounded-map.ts';
import { clientAddress } from '../http/client-address.ts';
import { ok } from '../http/envelope.ts';
import { Type } from '../http/input/type.ts';
import type { App } from '../http/server.ts';
import { MemoryWindows } from '../rate-limit/memory.ts';
import { claim } from './invitations.ts';

/** Claims of one address in any 60 seconds, at each process. A person makes one. */
const CLAIM_LIMIT = 30;
const ADDRESSES = 10_000;

const Claim = Type.Object(
  { token: Type.String({ maxLength: 200, description: 'What stands behind the # of the link' }) },
  { additionalProperties: false },
);

/** The console's own address: makes the key of an invitation. It stands outside the API and its document. */
export function claimRoute(app: App, ctx: Context): void {
  const windows = new MemoryWindows(new BoundedMap(ADDRESSES));
  app.route({
    method: 'POST',
    url: `${ctx.config.basePath}/console/claim`,
    schema: { body: Claim },
    onRequest: async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const { at, rate } = windows.admit(clientAddress(request.raw), CLAIM_LIMIT, ctx.clock.now());
      if (!rate.admitted) throw rateLimitExceeded(CLAIM_LIMIT, Math.ceil((rate.resetsAt - at) / 1000));
    },
    handler: async (request) => {
      const issued = await claim(ctx, request.body.token, request.id);
      request.recordId = issued.id;
      return ok(issued);
    },
  });
}
