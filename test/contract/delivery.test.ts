import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { exampleBooking } from '../../src/bookings/operations.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { deliveryContract } from '../support/contract.ts';
import { deliveryProblems } from './delivery.ts';

// The receiver of every test holds what it gets against the document. That it notices is shown here: a delivery as it
// should be, and the same with one thing wrong.

const body = {
  id: '0199a3c4-9a71-7e02-b1d4-5a7c3e9f0b12',
  type: 'booking.created',
  timestamp: '2027-03-01T09:30:00.000Z',
  api_version: 'v1',
  environment: 'production',
  request_id: null,
  data: { booking: exampleBooking },
};
const headers = {
  'content-type': 'application/json',
  'webhook-id': body.id,
  'webhook-timestamp': '1803979800',
  'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
};

const faults: [problem: RegExp, changed: { body?: object; headers?: object }][] = [
  [/no webhook of the type guest.left/, { body: { type: 'guest.left' } }],
  [/additional properties/, { body: { mood: 'good' } }],
  [/required property 'timestamp'/, { body: { timestamp: undefined } }],
  [
    /required property 'timezone'/,
    { body: { data: { booking: { ...exampleBooking, timezone: undefined } } } },
  ],
  [/webhook-signature \(undefined\)/, { headers: { 'webhook-signature': undefined } }],
  [/webhook-id is not the id/, { headers: { 'webhook-id': 'another' } }],
  [/the content type is text\/plain/, { headers: { 'content-type': 'text/plain' } }],
];

describe('a delivery is outside the document', () => {
  const problems = (changed: { body?: object; headers?: object } = {}): string[] =>
    deliveryProblems(deliveryContract(), {
      headers: { ...headers, ...changed.headers },
      text: JSON.stringify({ ...body, ...changed.body }),
    });

  test('but not as it should be', () => assert.deepEqual(problems(), []));

  for (const [problem, changed] of faults)
    test(`where ${problem.source}`, () => assert.match(problems(changed).join('; '), problem));
});

describe('a receiver that got a delivery outside the document', () => {
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
  });
  after(() => receiver.close().catch(() => undefined));

  test('answers it all the same, and fails when it is closed', async () => {
    const text = JSON.stringify({ ...body, mood: 'good' });
    const answer = await fetch(receiver.url, { method: 'POST', headers, body: text });
    assert.equal(answer.status, 204);
    await assert.rejects(receiver.close(), /booking.created was delivered outside the document.*mood/);
  });
});
