import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { hashToken } from '../src/ids/token.ts';
import type { Contract, Endpoint } from './contract/document.ts';
import { pathOf } from './contract/rows.ts';
import { CREATE } from './support/booking.ts';
import { contractOf } from './support/contract.ts';
import { onBothEngines } from './support/engines.ts';
import { assertShown } from './support/examples.ts';
import { readStrictly } from './support/rfc5545.ts';
import { useWorld } from './support/world.ts';

// Every request in the document's examples is sent as it stands, to a service that has what they name. The
// examples of refusals are made by what makes the real ones; that each was seen is checked after a whole run.

onBothEngines('the examples of the document', (engine) => {
  const world = useWorld(engine);
  let contract: Contract;
  let key: string;
  let exampleSpace: { real: string; example: string };
  before(async () => {
    contract = await contractOf(world.url);
    const hostId = await world.addHost();
    ({ key } = await world.addKey(hostId));
    const spaceId = await world.addSpace(hostId);
    const booking = {
      space_id: spaceId,
      date: '2027-03-20',
      start_hour: 10,
      end_hour: 12,
      guest_email: 'ada@example.com',
      guest_name: 'Ada Miller',
    };
    const webhook = { url: 'http://127.0.0.1:9/', events: ['booking.created'] };
    const { data: booked } = (await world.call('POST', CREATE, { key, body: booking })).body;
    const hooks = '/api-webhooks/api/v1/webhooks';
    const { data: made } = (await world.call('POST', hooks, { key, body: webhook })).body;
    const named = (name: string) => exampleOf(contract, name);
    // What the examples call by an id gets that id; a space, which other rows refer to, is put in their place.
    await world.ctx.db.migration((tx) =>
      tx.script(`
        update bookings set id = '${named('booking_id')}' where id = '${booked.booking.id}';
        update hours set booking_id = '${named('booking_id')}' where booking_id = '${booked.booking.id}';
        update webhooks set id = '${named('id')}' where id = '${made.webhook.id}'`),
    );
    const token = hashToken(named('token'));
    await world.write('update feeds set token_hash = $1 where space_id = $2', [token, spaceId]);
    exampleSpace = { real: spaceId, example: named('space_id') };
  });

  test('every request is answered with what its example shows', async () => {
    // Readers first, so that they find what writers take away.
    const inOrder = contract.endpoints.toSorted(
      (a, b) => Number(b.method === 'GET') - Number(a.method === 'GET'),
    );
    for (const endpoint of inOrder) {
      const { method, operation } = endpoint;
      const { path, headers, body } = exampleRequest(endpoint);
      const fill = (text: string) => text.replaceAll(exampleSpace.example, exampleSpace.real);
      const answer = await world.call(method, fill(path), {
        ...(operation.security.length === 0 ? {} : { key }),
        headers,
        ...(body === undefined ? {} : { body: fill(JSON.stringify(body)) }),
      });
      const where = `${operation.operationId}: ${String(answer.bytes)}`;
      const [status, response] = Object.entries(operation.responses)[0]!;
      assert.equal(answer.status, Number(status), where);
      const [type, { example }] = Object.entries(response.content!)[0]!;
      if (type === 'text/calendar') {
        readStrictly(Buffer.from(String(example)));
        readStrictly(answer.bytes);
      } else assertShown(answer.body, example, operation.operationId);
    }
  });
});

/** The value that the examples use for a parameter of this name. */
function exampleOf(contract: Contract, name: string): string {
  const parameters = contract.endpoints.flatMap(({ operation }) => operation.parameters ?? []);
  const examples = parameters.flatMap((parameter) =>
    parameter.name === name ? (parameter.example ?? []) : [],
  );
  assert.ok(examples.length > 0 && new Set(examples).size === 1, `one example for ${name}`);
  return String(examples[0]);
}

function exampleRequest(endpoint: Endpoint) {
  const given = { path: {}, query: {}, header: {} } as Record<string, Record<string, string>>;
  for (const { name, in: where, example } of endpoint.operation.parameters ?? []) {
    if (example !== undefined) given[where]![name] = String(example);
  }
  const { path: params = {}, query = {}, header: headers = {} } = given;
  return {
    path: pathOf(endpoint, { params, query }),
    headers,
    body: endpoint.operation.requestBody?.content['application/json']?.example,
  };
}
