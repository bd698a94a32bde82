import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { documentedRoute } from './document.ts';
import type { Contract, Json } from '../../../test/contract/document.ts';
import { contractOf } from '../../../test/support/contract.ts';
import { onOneEngine } from '../../../test/support/engines.ts';
import { useWorld } from '../../../test/support/world.ts';

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
  let contract: Contract;
  before(async () => {
    contract = await contractOf(world.url);
  });

  test('is OpenAPI 3.1 of version 1.0.0, with exactly the endpoints of the specification', () => {
    const { openapi, info } = contract.document as unknown as { openapi: string; info: { version: string } };
    assert.deepEqual([openapi, info.version], ['3.1.0', '1.0.0']);
    const served = contract.endpoints.map(({ method, template }) => `${method} ${template}`);
    assert.deepEqual(served.sort(), [...ENDPOINTS].sort());
  });

  test('a route that nobody has described stops the start', () => {
    const route = { method: 'GET', url: '/api-x', config: {} } as never;
    assert.throws(() => documentedRoute(route, ''), /GET \/api-x has no operation/);
  });

  test('every parameter has a description, and every property one of its own or of what it refers to', () => {
    const { components } = contract.document;
    const silent = contract.endpoints.flatMap(({ operation }) =>
      (operation.parameters ?? []).flatMap(({ name, description }) =>
        description ? [] : `${operation.operationId}: ${name}`,
      ),
    );
    for (const [where, schema] of schemasOf(contract.document)) {
      for (const [name, property] of Object.entries((schema['properties'] ?? {}) as Record<string, Json>)) {
        const target = components.schemas[String(property['$ref']).split('/').at(-1)!];
        if (!property['description'] && !target?.['description']) silent.push(`${where}/properties/${name}`);
      }
    }
    assert.deepEqual(silent, []);
  });

  test('every enum has a type, and null is never one of its values', () => {
    const enums = schemasOf(contract.document).filter(([, schema]) => 'enum' in schema);
    assert.ok(enums.length > 20);
    for (const [where, schema] of enums) {
      assert.equal(schema['type'], 'string', where);
      assert.ok(!(schema['enum'] as unknown[]).includes(null), where);
    }
  });

  test('the example of Idempotency-Key is the one in the body beside it', () => {
    const { operation } = contract.endpoints.find((each) => each.operation.operationId === 'createBooking')!;
    const header = operation.parameters?.find(({ name }) => name === 'idempotency-key');
    const { example } = Object.values(operation.requestBody!.content)[0]!;
    assert.ok(header?.example);
    assert.equal(header.example, (example as Json)['idempotency_key']);
  });

  test('every example is valid by the schema beside it', () => {
    let checked = 0;
    const check = (value: unknown, steps: readonly string[]): void => {
      if (typeof value !== 'object' || value === null) return;
      const { schema, example, examples = {} } = value as Json;
      const named = Object.values(examples as Record<string, { value: unknown }>).map((each) => each.value);
      if (schema !== undefined && steps.includes('application/json'))
        for (const each of example === undefined ? named : [example]) {
          assert.deepEqual(contract.errors([...steps, 'schema'], each), [], steps.join(' '));
          checked++;
        }
      else for (const [name, inner] of Object.entries(value)) check(inner, [...steps, name]);
    };
    check(contract.document.paths, ['paths']);
    assert.ok(checked > 150, String(checked));
    check(contract.document.webhooks, ['webhooks']);
  });

  test('is 304 for its strong ETag, alone, weak or among others', async () => {
    const etag = (await world.call('GET', '/api-openapi')).headers.get('etag') ?? '';
    assert.match(etag, /^"[\w-]+"$/);
    for (const [tag, status] of [
      [etag, 304],
      [`W/${etag}`, 304],
      [`"other", ${etag}`, 304],
      ['*', 304],
      ['"other"', 200],
    ] as const) {
      const again = await world.call('GET', '/api-openapi', { headers: { 'if-none-match': tag } });
      assert.deepEqual([again.status, again.headers.get('etag')], [status, etag], tag);
    }
  });
});

/** Every schema of the document, inner ones too, with where it stands. Examples are not schemas. */
function schemasOf(value: unknown, where = '#'): [where: string, schema: Json][] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, item]) =>
    name === 'example' || name === 'examples' ? [] : schemasOf(item, `${where}/${name}`),
  );
  return [[where, value as Json], ...inner];
}
