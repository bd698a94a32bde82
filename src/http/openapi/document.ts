import type { FastifySchema, RouteOptions } from 'fastify';
import { ERROR_STATUS, notHttp, type ApiError, type ErrorCode } from '../../errors.ts';
import { failure, ok } from '../envelope.ts';
import { ERROR_EXAMPLES } from './error-examples.ts';
import { HEADERS, type HeaderName } from './headers.ts';
import { DESCRIPTION, errorSchema, ErrorSchema, SECURITY_SCHEMES, TAGS } from './parts.ts';
import { jsonBody, webhookObjects, type WebhookDocument } from './webhooks.ts';
import type { Operation } from './operation.ts';
import { schemaObject } from './schema-object.ts';
import { components, UUID } from '../input/schemas.ts';
import type { Schema } from '../input/type.ts';

/** A route as the document needs it. `path` is written as in the specification: `/spaces/{space_id}`. */
export interface DocumentedRoute {
  method: string;
  path: string;
  schema: FastifySchema;
  operation: Operation;
}

export function documentedRoute(route: RouteOptions, basePath: string): DocumentedRoute[] {
  const operation = route.config?.operation;
  const path = route.url.slice(basePath.length).replaceAll(/:(\w+)/g, '{$1}');
  if (operation === undefined && route.config?.allow === undefined && path.startsWith('/api-')) {
    throw new Error(
      `${String(route.method)} ${path} has no operation: the API serves nothing it does not describe`,
    );
  }
  if (operation === undefined || route.method === 'HEAD') return [];
  return [{ method: String(route.method), path, schema: route.schema ?? {}, operation }];
}

/** The OpenAPI 3.1 document, made from the schemas that validate requests and write answers. */
export function openApiDocument(
  routes: readonly DocumentedRoute[],
  webhooks: readonly WebhookDocument[],
  baseUrl: string,
): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operationObject(route);
  }
  const used = new Set(routes.map((route) => route.operation.tag));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hourkeep Host Integration API',
      version: '1.0.0',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl, description: 'This service, production and sandbox', 'x-internal': false }],
    tags: TAGS.filter((tag) => used.has(tag.name)),
    paths,
    webhooks: webhookObjects(webhooks),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: Object.fromEntries(
        [...components].map(([schema, name]) => [name, schemaObject(schema, schema)]),
      ),
      headers: schemaObject(HEADERS),
    },
  };
}

function operationObject(route: DocumentedRoute): object {
  const { schema } = route;
  const { id, tag, summary, description, scope, example } = route.operation;
  const parameters = [
    ...parametersOf(schema.params, 'path', example.params),
    ...parametersOf(schema.querystring, 'query', example.query),
    ...parametersOf(schema.headers, 'header', example.headers),
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: scope === undefined ? description : `${description}\n\nScope: \`${scope}\`.`,
    security: scope === undefined ? [] : [{ apiKey: [scope] }],
    ...(parameters.length > 0 && { parameters }),
    ...(schema.body !== undefined && { requestBody: jsonBody(schema.body as Schema, example.body) }),
    responses: { ...successResponses(route), ...errorResponses(route) },
  };
}

function parametersOf(
  schema: unknown,
  where: 'path' | 'query' | 'header',
  examples: Readonly<Record<string, string | number>> = {},
): object[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => {
    // Every path parameter is an id. Its schema has no format, since a malformed one is 404 and not 422.
    const { description, ...rest } = where === 'path' ? { ...property, ...UUID } : property;
    return {
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      description,
      schema: schemaObject(rest),
      ...(examples[name] === undefined ? {} : { example: examples[name] }),
    };
  });
}

function successResponses({ schema, operation }: DocumentedRoute): object {
  const responses = (schema.response ?? {}) as Record<string, Schema & { 'x-content-type'?: string }>;
  return Object.fromEntries(
    Object.entries(responses).map(([status, body]) => {
      const headers = headersFor(operation, status);
      if (body['type'] === 'null') return [status, { description: String(body['description']), headers }];
      const { 'x-content-type': contentType = 'application/json', ...rest } = body;
      const { data } = operation.example;
      const example = operation.scope === undefined ? data : ok(data);
      const description = typeof rest['description'] === 'string' ? rest['description'] : 'Success';
      return [
        status,
        { description, headers, content: { [contentType]: { schema: schemaObject(rest), example } } },
      ];
    }),
  );
}

const KEY_ERRORS = [
  'INVALID_API_KEY',
  'API_KEY_REVOKED',
  'INSUFFICIENT_SCOPE',
  'RATE_LIMIT_EXCEEDED',
  'VALIDATION_ERROR',
] as const;

/** Also of a DELETE without a body schema: it needs no body, but one that is sent is read and can be refused. */
const BODY_ERRORS = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const;

function errorResponses({ method, operation }: DocumentedRoute): object {
  const codes = new Set<ErrorCode>([
    ...(operation.scope === undefined ? [] : KEY_ERRORS),
    ...(method === 'GET' ? [] : BODY_ERRORS),
    ...(operation.errors ?? []),
    'INTERNAL_ERROR',
    'SERVICE_UNAVAILABLE',
  ]);
  const byStatus = Map.groupBy(codes, (code) => ERROR_STATUS[code]);
  const responses = [...byStatus].map(([status, group]): [number, object] => [
    status,
    {
      description: group.map((code) => `\`${code}\``).join(' or '),
      headers: headersFor(operation, String(status)),
      content: errorContent(
        errorSchema(group),
        group.map((code) => ERROR_EXAMPLES[code]),
      ),
    },
  ]);
  // Every operation answers so, but only the one without any other refusal says it: linters want one from each.
  if (responses.every(([status]) => status >= 500)) responses.push([400, NOT_HTTP]);
  return Object.fromEntries(responses);
}

function errorContent(schema: Schema, examples: readonly ApiError[]): object {
  const named = examples.map((error) => [error.code, { value: failure(error, EXAMPLE_REQUEST_ID) }]);
  return {
    'application/json': { schema: schemaObject(schema), examples: Object.fromEntries(named) },
  };
}

const EXAMPLE_REQUEST_ID = 'c0b1f6f6-3f0b-4f0e-9d43-8f2f6f2b7d11';

const NOT_HTTP = {
  description: 'Not a valid HTTP request',
  headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
  content: errorContent(ErrorSchema, [notHttp(400, 'The request is not valid HTTP')]),
};

const KEY_HEADERS = ['WWW-Authenticate'] as const;
const RATE_HEADERS = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const;

function headersFor(operation: Operation, status: string): object {
  const names: HeaderName[] = ['X-Request-Id'];
  if (operation.scope !== undefined) names.push(...(status === '401' ? KEY_HEADERS : RATE_HEADERS));
  if (status === '429' || status === '503') names.push('Retry-After');
  if (Number(status) < 400) names.push(...(operation.headers ?? []));
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
