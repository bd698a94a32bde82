import type { FastifySchema, RouteOptions } from 'fastify';
import type { TSchema } from 'typebox';
import { ERROR_STATUS, type ErrorCode } from '../../errors.ts';
import { MONTH_PATTERN } from '../../time/month.ts';
import { failure, ok } from '../envelope.ts';
import { ERROR_EXAMPLES } from './error-examples.ts';
import { HEADERS, type HeaderName } from './headers.ts';
import { DESCRIPTION, ErrorSchema, SECURITY_SCHEMES, TAGS } from './parts.ts';
import { webhookObjects, type WebhookDocument } from './webhooks.ts';
import type { Operation } from './operation.ts';
import { components, Id, PathId } from '../input/schemas.ts';

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

/** The OpenAPI 3.1 document, from the schemas that validate and serialise. */
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
    webhooks: webhookObjects(webhooks, (schema) => withRefs(schema as unknown as Json)),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: Object.fromEntries(
        [...components].map(([schema, name]) => [name, withRefs(schema as unknown as Json, schema)]),
      ),
      headers: withRefs(HEADERS),
    },
  };
}

function operationObject(route: DocumentedRoute): object {
  const { operation, schema } = route;
  const parameters = [
    ...parametersOf(schema.params, 'path', operation.example.params),
    ...parametersOf(schema.querystring, 'query', operation.example.query),
    ...parametersOf(schema.headers, 'header'),
  ];
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description:
      operation.scope === undefined
        ? operation.description
        : `${operation.description}\n\nScope: \`${operation.scope}\`.`,
    security: operation.scope === undefined ? [] : [{ apiKey: [operation.scope] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(schema.body === undefined ? {} : { requestBody: requestBody(schema.body as Json, operation) }),
    responses: { ...successResponses(route), ...errorResponses(errorCodes(route), operation) },
  };
}

function parametersOf(
  schema: unknown,
  where: string,
  examples: Operation['example']['params' | 'query'] = {},
): object[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = (property === (PathId as unknown) ? Id : property) as Json;
    return {
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: withRefs(rest),
      ...(examples[name] === undefined ? {} : { example: examples[name] }),
    };
  });
}

function requestBody(schema: Json, operation: Operation): object {
  return {
    required: true,
    content: { 'application/json': { schema: withRefs(schema), example: operation.example.body } },
  };
}

function successResponses({ schema, operation }: DocumentedRoute): object {
  const responses = (schema.response ?? {}) as Record<string, Json & { 'x-content-type'?: string }>;
  return Object.fromEntries(
    Object.entries(responses).map(([status, body]) => {
      const headers = headersFor(operation, status);
      if (body['type'] === 'null') return [status, { description: String(body['description']), headers }];
      const { 'x-content-type': contentType = 'application/json', ...rest } = body;
      const example =
        contentType === 'application/json' && operation.scope !== undefined
          ? ok(operation.example.data)
          : operation.example.data;
      const description = typeof rest['description'] === 'string' ? rest['description'] : 'Success';
      return [
        status,
        { description, headers, content: { [contentType]: { schema: withRefs(rest), example } } },
      ];
    }),
  );
}

function errorCodes({ method, operation, schema }: DocumentedRoute): ErrorCode[] {
  // A DELETE without a body schema needs none, but one that is sent is read like any other.
  const readsBody = method !== 'GET';
  const takesInput = readsBody || schema.querystring !== undefined;
  return [
    ...(operation.scope === undefined
      ? []
      : (['INVALID_API_KEY', 'API_KEY_REVOKED', 'INSUFFICIENT_SCOPE', 'RATE_LIMIT_EXCEEDED'] as const)),
    ...(takesInput && operation.scope !== undefined ? (['VALIDATION_ERROR'] as const) : []),
    ...(!readsBody ? [] : (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)),
    ...(operation.errors ?? []),
    'INTERNAL_ERROR',
    'SERVICE_UNAVAILABLE',
  ];
}

function errorResponses(codes: readonly ErrorCode[], operation: Operation): object {
  const byStatus = Map.groupBy(new Set(codes), (code) => String(ERROR_STATUS[code]));
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\``).join(' or '),
        headers: headersFor(operation, status),
        content: {
          'application/json': {
            schema: withRefs(ErrorSchema as unknown as Json),
            examples: Object.fromEntries(
              group.map((code) => [
                code,
                { value: failure(ERROR_EXAMPLES[code], 'c0b1f6f6-3f0b-4f0e-9d43-8f2f6f2b7d11') },
              ]),
            ),
          },
        },
      },
    ]),
  );
}

function headersFor(operation: Operation, status: string): object {
  const names: HeaderName[] = ['X-Request-Id'];
  if (operation.scope !== undefined && status !== '401') {
    names.push(
      'RateLimit-Policy',
      'RateLimit',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
    );
  }
  if (operation.scope !== undefined && status === '401') names.push('WWW-Authenticate');
  if (status === '429' || status === '503') names.push('Retry-After');
  if (Number(status) < 400) names.push(...(operation.headers ?? []));
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

type Json = Record<string, unknown>;

/** A copy in which every named schema, but not `self`, is a reference to its component. */
function withRefs(value: Json, self?: TSchema): Json {
  return copy(value, self) as Json;
}

function copy(value: unknown, self?: TSchema): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => copy(item, self));
  const name = value === (self as unknown) ? undefined : components.get(value);
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  return withImpliedBounds(
    Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item, self)])),
  );
}

/** What follows from a schema but must be spelled out for tools that reserve space: lengths and widths. */
function withImpliedBounds(schema: Json): Json {
  const types = [schema['type']].flat();
  const maxLength = LENGTHS[String(schema['format'] ?? schema['pattern'])];
  if (types.includes('string') && maxLength !== undefined) return { maxLength, ...schema };
  if (!types.includes('integer')) return schema;
  const fits = Number(schema['maximum'] ?? Infinity) < 2 ** 31;
  return { ...schema, format: fits ? 'int32' : 'int64' };
}

const LENGTHS: Record<string, number> = {
  uuid: 36,
  date: 10,
  'date-time': 24,
  email: 254,
  [MONTH_PATTERN]: 7,
};
