import { hash } from 'node:crypto';
import { Type } from 'typebox';
import type { App } from './server.ts';

/** `document` is asked once, on the first request: by then every route and the listening port are known. */
export function openApiRoute(app: App, document: () => object): void {
  let made: { text: string; etag: string } | undefined;
  app.route({
    method: 'GET',
    url: '/api-openapi',
    schema: {
      response: {
        200: Type.Object({}, { additionalProperties: true, description: 'The OpenAPI document' }),
        304: Type.Null({ description: 'Not changed since the `ETag` in `If-None-Match`' }),
      },
    },
    config: {
      operation: {
        id: 'getOpenApi',
        tag: 'Interface',
        summary: 'Get the interface description as JSON',
        description: 'This document. Public; carries a strong `ETag`.',
        example: {
          data: { openapi: '3.1.0', info: { title: 'Hourkeep Host Integration API', version: '1.0.0' } },
        },
      },
    },
    handler: async (request, reply) => {
      made ??= withEtag(JSON.stringify(document()));
      reply
        .header('etag', made.etag)
        .header('cache-control', 'no-cache')
        .header('access-control-allow-origin', '*');
      if (matches(request.headers['if-none-match'], made.etag)) return reply.code(304).send(null);
      return reply
        .type('application/json; charset=utf-8')
        .serializer(String)
        .send(made.text as never);
    },
  });
}

function withEtag(text: string): { text: string; etag: string } {
  return { text, etag: `"${hash('sha256', text, 'base64url').slice(0, 27)}"` };
}

export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
