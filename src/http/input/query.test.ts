import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { refused } from '../../../test/support/answer.ts';
import { onOneEngine } from '../../../test/support/engines.ts';
import { contractOf } from '../../../test/support/contract.ts';
import { openStage, ask, rowOf, type Stage } from '../../../test/contract/rows.ts';
import type { Contract } from '../../../test/contract/document.ts';
import { useWorld } from '../../../test/support/world.ts';

const LIST = '/api-bookings/api/v1/bookings';

onOneEngine('a query', (engine) => {
  const world = useWorld(engine);
  let key: string;
  let contract: Contract;
  let stage: Stage;
  before(async () => {
    const hostId = await world.addHost();
    key = (await world.addKey(hostId)).key;
    contract = await contractOf(world.url);
    stage = await openStage(world, hostId);
  });

  const refusal = async (path: string) =>
    refused(await world.call('GET', path, { key }), 422, 'VALIDATION_ERROR').details;

  test('that has an unknown parameter is refused with the name that was probably meant', async () => {
    const meantBy = {
      Status: 'status',
      spaceId: 'space_id',
      'space-id': 'space_id',
      limits: 'limit',
      form: 'from',
      curser: 'cursor',
    };
    for (const [given, meant] of Object.entries(meantBy))
      assert.deepEqual(await refusal(`${LIST}?${given}=x`), [
        { field: given, message: `is not a known query parameter: did you mean ${meant}?` },
      ]);
  });

  test('that has an unknown parameter is refused with all names where none is near, or says that there are none', async () => {
    const [colour] = await refusal(`${LIST}?colour=red`);
    assert.match(colour.message, /^is not a known query parameter: there are space_id, status, from, to, /);
    assert.deepEqual(await refusal('/api-listings/api/v1/spaces?limit=5'), [
      { field: 'limit', message: 'is not known: this endpoint has no query parameters' },
    ]);
  });

  test('that has an unknown parameter is refused however long or strange its name is, and names at most 50', async () => {
    const names = Array.from({ length: 60 }, (_, i) => `x${i}=1`).join('&');
    assert.equal((await refusal(`${LIST}?${names}`)).length, 50);
    const [long] = await refusal(`${LIST}?${'y'.repeat(3000)}=1`);
    assert.equal(long.field.length, 200);
    for (const name of ['__proto__', 'constructor', '%00', ''])
      assert.equal((await refusal(`${LIST}?${name}=1`)).length, 1);
  });

  test('that has an unknown parameter is refused by all 16 operations behind a key, and ignored by the two that need none', async () => {
    const strict: string[] = [];
    for (const endpoint of contract.endpoints) {
      const input = await rowOf(endpoint).input(stage);
      const query = { ...input.query, Utm_Source: 'x' };
      const isPublic = rowOf(endpoint).scope === null;
      const answer = await ask(
        world,
        endpoint,
        { ...input, query },
        isPublic ? {} : { key: (await stage.newKey()).key },
      );
      const isRefused = answer.status === 422 && answer.body.error.details[0].field === 'Utm_Source';
      if (isRefused) strict.push(endpoint.operation.operationId);
      else assert.equal(answer.status, 200, endpoint.operation.operationId);
    }
    assert.equal(strict.length, 16);
    assert.equal(contract.endpoints.length, 18);
  });

  for (const value of ['%ff', 'caf%C3', '%ed%a0%80', '%c0%af', '%zz', '50%', 'caf%C3%A9%2'])
    test(`that is not percent-encoded UTF-8, such as ${value}, is rejected`, async () => {
      for (const query of [`guest=${value}`, `guest=a${value}&limit=5`, `${value}=x`])
        assert.deepEqual(await refusal(`${LIST}?${query}`), [
          { field: 'query', message: 'must be percent-encoded UTF-8' },
        ]);
    });

  test('that is not is ignored by the two operations that need no key, like all they do not know', async () => {
    assert.equal((await world.call('GET', '/api-openapi?utm=%ff')).status, 200);
    refused(await world.call('GET', '/api-ical-feed?space_id=%ff&token=%ff'), 401, 'INVALID_TOKEN');
  });
});
