import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { documentedRoute } from './document.ts';
import { onOneEngine } from '../../../test/support/engines.ts';
import { useWorld } from '../../../test/support/world.ts';

interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: unknown[];
  parameters?: {
    name: string;
    in: string;
    description?: string;
    schema: Json;
    example?: unknown;
    required: boolean;
  }[];
  requestBody?: { content: Record<string, { schema: object; example?: unknown }> };
  responses: Record<
    string,
    {
      content?: Record<
        string,
        { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> }
      >;
    }
  >;
}
interface Document {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
}
type Json = Record<string, unknown>;

/** The specification's table of endpoints. */
const ENDPOINTS = [
  'GET /api-listings/api/v1/spaces',
  'GET /api-listings/api/v1/spaces/{space_id}',
  'GET /api-availability/api/v1/spaces/{space_id}/availability',
  'GET /api-bookings/api/v1/bookings',
  'POST /api-create-booking/api/v1/bookings',
  'GET /api-booking-detail/api/v1/bookings/{booking_id}',
  'POST /api-cancel-booking/api/v1/bookings/{booking_id}/cancel',
  'POST /api-blocks/api/v1/spaces/{space_id}/blocks',
  'DELETE /api-blocks/api/v1/spaces/{space_id}/blocks',
  'PATCH /api-listing-update/api/v1/spaces/{space_id}',
  'GET /api-settlement-report/api/v1/settlement/report',
  'GET /api-earnings/api/v1/earnings',
  'GET /api-webhooks/api/v1/webhooks',
  'POST /api-webhooks/api/v1/webhooks',
  'PATCH /api-webhooks/api/v1/webhooks/{id}',
  'DELETE /api-webhooks/api/v1/webhooks/{id}',
  'GET /api-ical-feed',
  'GET /api-openapi',
];

onOneEngine('the OpenAPI document', (engine) => {
  const world = useWorld(engine);
  let document: Document;
  let operations: [name: string, operation: Operation][];
  before(async () => {
    document = JSON.parse((await world.call('GET', '/api-openapi')).text) as Document;
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    );
  });

  test('is OpenAPI 3.1 of version 1.0.0', () => {
    assert.match(document.openapi, /^3\.1\./);
    assert.equal(document.info.version, '1.0.0');
  });

  test('has exactly the endpoints of the specification', () => {
    assert.deepEqual(operations.map(([name]) => name).sort(), [...ENDPOINTS].sort());
  });

  test('a route that nobody has described cannot be served', () => {
    const route = { method: 'GET', url: '/api-secret', path: '/api-secret', prefix: '', routePath: '' };
    const undescribed = { ...route, handler: async () => undefined };
    assert.throws(() => documentedRoute(undescribed, ''), /GET \/api-secret has no operation/);
  });

  test('an operation with an unknown tag stops the start', () => {
    const operation = { id: 'getX', tag: 'Nonsense' as 'Spaces', summary: '', description: '', example: {} };
    const route = { method: 'GET', url: '/api-x', path: '/api-x', prefix: '', routePath: '' };
    const tagged = { ...route, handler: async () => undefined, config: { operation } } as never;
    assert.throws(() => documentedRoute(tagged, ''), /getX has the tag Nonsense/);
  });

  test('every operation has summary, description, operationId, tag and examples', () => {
    for (const [name, operation] of operations) {
      assert.ok(operation.summary && operation.description && operation.operationId, name);
      assert.equal(operation.tags?.length, 1, name);
      for (const [status, response] of Object.entries(operation.responses)) {
        for (const content of Object.values(response.content ?? {})) {
          assert.ok(content.example ?? content.examples, `${name} ${status} has no example`);
        }
      }
      for (const content of Object.values(operation.requestBody?.content ?? {}))
        assert.ok(content.example, name);
      for (const parameter of operation.parameters ?? []) {
        if (parameter.required) assert.ok(parameter.example, `${name}: ${parameter.name}`);
      }
    }
    assert.equal(new Set(operations.map(([, operation]) => operation.operationId)).size, operations.length);
  });

  test('every parameter has a description, and every property one of its own or of what it refers to', () => {
    const silent = operations.flatMap(([name, operation]) =>
      (operation.parameters ?? []).flatMap((parameter) =>
        parameter.description ? [] : `${name}: ${parameter.name}`,
      ),
    );
    for (const [where, schema] of schemasOf(document)) {
      for (const [name, property] of Object.entries((schema['properties'] ?? {}) as Record<string, Json>)) {
        const target = document.components.schemas[String(property['$ref']).split('/').at(-1)!];
        if (!property['description'] && !target?.['description']) silent.push(`${where}/properties/${name}`);
      }
    }
    assert.deepEqual(silent, []);
  });

  test('every enum has a type, and null is never one of its values', () => {
    const enums = schemasOf(document).filter(([, schema]) => 'enum' in schema);
    assert.ok(enums.length > 20);
    for (const [where, schema] of enums) {
      assert.equal(schema['type'], 'string', where);
      assert.ok(!(schema['enum'] as unknown[]).includes(null), where);
    }
  });

  test('nothing in a request body has a default: generated clients would demand it', () => {
    const bodies = operations.flatMap(([name, operation]) => {
      const content = Object.values(operation.requestBody?.content ?? {})[0];
      return content === undefined ? [] : [[name, resolve(document, content.schema as Json)] as const];
    });
    assert.ok(bodies.length > 5);
    for (const [name, body] of bodies) {
      for (const [field, property] of Object.entries(body['properties'] as Record<string, Json>)) {
        assert.ok(!('default' in property), `${name}: ${field}`);
      }
    }
  });

  test('the example of Idempotency-Key is the one in the body beside it', () => {
    const create = operations.find(([, { operationId }]) => operationId === 'createBooking')![1];
    const header = create.parameters?.find(({ name }) => name === 'idempotency-key');
    const { example } = Object.values(create.requestBody!.content)[0]!;
    assert.equal(header?.example, (example as Json)['idempotency_key']);
    assert.ok(header?.example);
  });

  test('every operation behind a key names the errors every such operation has', () => {
    for (const [name, operation] of operations) {
      if (operation.security?.length === 0) continue;
      for (const status of ['401', '403', '429', '500', '503'])
        assert.ok(operation.responses[status], `${name} ${status}`);
      assert.deepEqual(
        Object.keys(Object.values(operation.responses['401']?.content ?? {})[0]?.examples ?? {}),
        ['INVALID_API_KEY', 'API_KEY_REVOKED'],
      );
    }
  });

  test('every example is valid by the schema beside it', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    (addFormats as unknown as (instance: Ajv2020) => void)(ajv);
    ajv.addSchema({ $id: 'document', ...document });
    const check = (schema: object, value: unknown, where: string): void => {
      const valid = ajv.validate(
        JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components')),
        value,
      );
      assert.ok(valid, `${where}: ${ajv.errorsText()}`);
    };
    for (const [name, operation] of operations) {
      for (const content of Object.values(operation.requestBody?.content ?? {}))
        check(content.schema, content.example, name);
      for (const [status, response] of Object.entries(operation.responses)) {
        const content = response.content?.['application/json'];
        if (content === undefined) continue;
        const examples = content.examples
          ? Object.values(content.examples).map(({ value }) => value)
          : [content.example];
        for (const example of examples) check(content.schema, example, `${name} ${status}`);
      }
    }
  });

  test('has a strong ETag, and 304 when it has not changed', async () => {
    const first = await world.call('GET', '/api-openapi');
    const etag = first.headers.get('etag') ?? '';
    assert.match(etag, /^"[\w-]+"$/);
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await world.call('GET', '/api-openapi', { headers: { 'if-none-match': tag } });
      assert.equal(again.status, 304, tag);
      assert.equal(again.text, '');
      assert.equal(again.headers.get('etag'), etag);
    }
    assert.equal(
      (await world.call('GET', '/api-openapi', { headers: { 'if-none-match': '"other"' } })).status,
      200,
    );
  });
});

onOneEngine('pages around the API', (engine) => {
  const world = useWorld(engine);

  test('the reference page and its script come from this service, nothing from elsewhere', async () => {
    const page = await world.call('GET', '/docs/');
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    const loaded = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
    assert.ok(loaded.length > 0);
    for (const address of loaded) {
      assert.equal(new URL(address, `${world.url}/docs/`).origin, new URL(world.url).origin, address);
      assert.equal((await fetch(new URL(address, `${world.url}/docs/`))).status, 200, address);
    }
  });

  test('/healthz and /readyz answer without a key and stand outside the document', async () => {
    assert.deepEqual((await world.call('GET', '/healthz')).body, { status: 'ok' });
    assert.deepEqual((await world.call('GET', '/readyz')).body, { status: 'ready' });
  });
});

function resolve(document: Document, schema: Json): Json {
  const name = String(schema['$ref']).split('/').at(-1)!;
  return document.components.schemas[name] ?? schema;
}

/** Every schema of the document, inner ones too, with where it stands. Examples are not schemas. */
function schemasOf(value: unknown, where = '#'): [where: string, schema: Json][] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, item]) =>
    name === 'example' || name === 'examples' ? [] : schemasOf(item, `${where}/${name}`),
  );
  return [[where, value as Json], ...inner];
}
