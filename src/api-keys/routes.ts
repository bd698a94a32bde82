import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { rateLimitExceeded } from '../errors.ts';
import { BoundedMap } from '../bounded-map.ts';
import { clientAddress } from '../http/client-address.ts';
import { inputSchema } from '../fields/fields.ts';
import { ok } from '../http/envelope.ts';
import { idParam, timestamp } from '../http/input/schemas.ts';
import { Type } from '../http/input/type.ts';
import type { App } from '../http/server.ts';
import { MemoryWindows } from '../rate-limit/memory.ts';
import { KEY } from './fields.ts';
import * as ownKeys from './own-keys.ts';
import { claim } from './invitations.ts';

/** Claims of one address in any 60 seconds, at each process. A person makes one. */
const CLAIM_LIMIT = 30;
const ADDRESSES = 10_000;

const Claim = Type.Object(
  { token: Type.String({ maxLength: 200, description: 'What stands behind the # of the link' }) },
  { additionalProperties: false },
);

type Page = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

const MakeKey = Type.Object(
  {
    name: inputSchema(KEY.name),
    scopes: KEY.scopes.schema,
    expires_at: Type.Optional(Type.Nullable(timestamp('When it expires'))),
  },
  { additionalProperties: false },
);

/** The keys that a host makes and revokes, for the console's screen. Outside the API and its document. */
export function keyRoutes(app: App, ctx: Context, page: Page): void {
  const url = `${ctx.config.basePath}/console/keys`;
  const config = { credential: 'session or key' } as const;
  const authenticate = (request: FastifyRequest, reply: FastifyReply) =>
    app.authenticate(request, reply, 'keys:write');
  app.get(
    url,
    { config, onRequest: async (request, reply) => isForPage(request) || authenticate(request, reply) },
    async (request, reply) =>
      isForPage(request) ? page(request, reply) : ok({ keys: await ownKeys.list(ctx, request.caller) }),
  );
  app.route({
    method: 'POST',
    url,
    config,
    schema: { body: MakeKey },
    onRequest: authenticate,
    handler: async (request) => {
      const issued = await ownKeys.make(ctx, request.caller, request.body);
      request.recordId = issued.id;
      return ok(issued);
    },
  });
  app.delete(`${url}/:id`, { config, onRequest: authenticate }, async ({ params, caller }) => {
    const id = idParam((params as { id: string }).id);
    await ownKeys.revoke(ctx, caller, id);
    return ok({ id, revoked: true });
  });
}

/** A person who opens the screen by its address. */
function isForPage({ headers }: FastifyRequest): boolean {
  const hasCredential = (headers.authorization ?? headers['x-hourkeep-console']) !== undefined;
  return !hasCredential && headers.accept?.includes('text/html') === true;
}

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
