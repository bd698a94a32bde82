import { Compressed, sendCompressed } from '../compressed.ts';
import { Type } from '../input/type.ts';
import type { App } from '../server.ts';
import type { Operation } from './operation.ts';

/** `document` is called on the first request: by then every route and the listening port are known. */
export function openApiRoute(app: App, document: () => object): void {
  let made: Compressed | undefined;
  app.route({
    method: 'GET',
    url: '/api-openapi',
    schema: {
      response: {
        200: Type.Object({}, { additionalProperties: true, description: 'The OpenAPI document' }),
        304: Type.Null({ description: 'Not changed since the `ETag` in `If-None-Match`' }),
      },
    },
    config: { operation: getOpenApi },
    handler: async (request, reply) => {
      made ??= new Compressed('application/json; charset=utf-8', Buffer.from(JSON.stringify(document())));
      reply.header('access-control-allow-origin', '*');
      return sendCompressed(request, reply, made, 'no-cache');
    },
  });
}

const getOpenApi: Operation = {
  id: 'getOpenApi',
  tag: 'Interface',
  summary: 'Get the interface description as JSON',
  description: 'This document. Public; carries a strong `ETag`.',
  headers: ['ETag', 'Access-Control-Allow-Origin'],
  example: {
    data: { openapi: '3.1.0', info: { title: 'Hourkeep Host Integration API', version: '1.0.0' } },
  },
};
