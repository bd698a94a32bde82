import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HourkeepOptions } from '../../client/src/index.ts';
import type { Context } from '../context.ts';
import { batchNotSupported, originNotAllowed, invalid } from '../errors.ts';
import { authenticateUncounted } from '../http/authenticate.ts';
import type { App } from '../http/server.ts';
import type { Document } from '../http/openapi/published.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the key that asks. */
    scopes: readonly string[];
  }
}

/**
 * POST /mcp: the API as tools, for agents from afar. Outside the API and its document. Every message stands alone, without a
 * session. A call makes requests of the API with the caller's own key, by the way that any request goes, so limits, scopes, log
 * and audit trail are the API's own.
 */
export function mcpRoute(app: App, ctx: Context, document: () => object, baseUrl: () => string): void {
  const authenticate = authenticateUncounted(ctx);
  let known: Document | undefined;
  app.decorateRequest('scopes', null as never);
  app.post(
    '/mcp',
    {
      // In this early hook, so that the body of whoever is refused is not read.
      onRequest: async (request, reply) => {
        const { origin } = request.headers;
        // A page of another site, in the browser of somebody who can reach this service.
        if (origin !== undefined && origin !== new URL(baseUrl()).origin) throw originNotAllowed();
        request.scopes = await authenticate(request, reply);
      },
    },
    async (request, reply) => {
      if (request.body === undefined) throw invalid('body', 'must be a message of JSON-RPC');
      // A short batch of tools/list would have a response of megabytes, and counts towards no limit.
      if (Array.isArray(request.body)) throw batchNotSupported();
      if (hasMoreValues(request.body, MAX_VALUES))
        throw invalid('body', `must have at most ${MAX_VALUES} values`);
      known ??= document() as Document;
      // What the call asks of the API takes its place.
      reply.leaveLimiter();
      return send(reply, await answerTo(app, ctx, request, known));
    },
  );
}

/** More than any tool takes. The SDK copies objects several times: for 256 KiB of small fields that took 30 times as long as parsing. */
const MAX_VALUES = 1000;

function hasMoreValues(message: unknown, limit: number): boolean {
  const values = [message];
  for (const value of values) {
    if (values.length > limit) return true;
    if (typeof value === 'object' && value !== null)
      for (const child of Object.values(value)) values.push(child);
  }
  return false;
}

async function answerTo(
  app: App,
  ctx: Context,
  request: FastifyRequest,
  document: Document,
): Promise<Response> {
  // Loaded here: most processes never need the protocol.
  const [sdk, { createMcpServer }, { Hourkeep }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('./server.ts'),
    import('../../client/src/hourkeep.ts'),
  ]);
  const hk = new Hourkeep({
    apiKey: request.headers.authorization!.replace(/^Bearer +/i, ''),
    baseUrl: `http://hourkeep${ctx.config.basePath}`,
    // An agent that is told what is wrong decides better than one that waits.
    maxRetries: 0,
    maxWaitMs: 0,
    fetch: fetchWithin(app, request),
  });
  const createServer = () =>
    createMcpServer(hk, document, ctx.clock, (_tool, scopes) =>
      scopes.every((scope) => request.scopes.includes(scope)),
    );
  const parsedBody = request.body;
  const message = asFetched(request);
  if (await sdk.isLegacyRequest(message, parsedBody)) {
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    const server = createServer();
    await server.connect(transport);
    const answer = await transport.handleRequest(message, { parsedBody });
    await server.close();
    return answer;
  }
  // Nobody may keep a stream open: nothing that it would tell ever changes.
  const handler = sdk.createMcpHandler(createServer, { legacy: 'reject', maxSubscriptions: 0 });
  return handler.fetch(message, { parsedBody });
}

/** Asks this very process, without a socket. The trail of what is done leads back to this request. */
function fetchWithin(app: App, { id, headers }: FastifyRequest): HourkeepOptions['fetch'] {
  return async (url, { method, headers: own, body }) => {
    const { traceparent } = headers;
    const answer = await app.inject({
      method: method as 'GET',
      url,
      headers: {
        ...(own as Record<string, string>),
        'x-request-id': id,
        ...(typeof traceparent === 'string' && { traceparent }),
      },
      ...(typeof body === 'string' && { payload: body }),
    });
    return new Response(answer.payload, {
      status: answer.statusCode,
      headers: answer.headers as Record<string, string>,
    });
  };
}

/** The SDK insists on clients that also take streams. We always answer with JSON, which everybody takes. */
function asFetched({ raw, headers }: FastifyRequest): Request {
  const given = Object.entries(headers).filter(([name]) => name.startsWith('mcp-'));
  return new Request(`http://hourkeep${raw.url}`, {
    method: 'POST',
    headers: {
      ...(Object.fromEntries(given) as Record<string, string>),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
  });
}

async function send(reply: FastifyReply, answer: Response): Promise<FastifyReply> {
  const type = answer.headers.get('content-type');
  reply.code(answer.status).serializer(String);
  if (type !== null) reply.type(type);
  return reply.send(await answer.text());
}
