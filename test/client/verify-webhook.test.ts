import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Webhook as Signer } from 'standardwebhooks';
import { HourkeepError, signWebhook, verifyWebhook, type WebhookEvent } from '../../client/src/index.ts';

// What only TypeScript has; test/conformance has whom a delivery is trusted from. Signed by the independent implementation of
// Standard Webhooks.

const secret = `whsec_${Buffer.from('a'.repeat(32)).toString('base64')}`;
const payload = JSON.stringify({
  id: 'event-1',
  type: 'availability.changed',
  timestamp: '2027-03-01T09:30:00.000Z',
  data: { space_id: 's', date: '2027-03-18', hours: [10], cause: 'external_calendar', title: 'Zoë 한강' },
});

describe('verifyWebhook', () => {
  test('an event’s data is known by its type', async () => {
    const event: WebhookEvent = await verifyWebhook({ payload, headers: signed(), secret });
    if (event.type === 'availability.changed') assert.deepEqual(event.data.hours, [10]);
    else if (event.type === 'listing.updated') assert.fail(event.data.space.title);
    else assert.fail(event.data.booking.id);
  });

  test('takes the body as text or bytes, also a part of a larger buffer', async () => {
    const bytes = new TextEncoder().encode(payload);
    const larger = Buffer.from(`before${payload}after`).subarray(6, 6 + bytes.length);
    for (const body of [payload, bytes, bytes.buffer, larger]) {
      assert.equal((await verifyWebhook({ payload: body, headers: signed(), secret })).id, 'event-1');
    }
  });

  test('takes headers as Headers, which may lack what is needed', async () => {
    assert.equal((await verifyWebhook({ payload, headers: new Headers(signed()), secret })).id, 'event-1');
    for (const headers of [new Headers(), { ...signed(), 'webhook-signature': undefined }])
      await assert.rejects(verifyWebhook({ payload, headers, secret }), { code: 'INVALID_SIGNATURE' });
  });
});

test('signWebhook takes its time as a Date or in seconds', async () => {
  const at = 1_803_900_600;
  for (const timestamp of [at, new Date(at * 1000)])
    assert.deepEqual(await signWebhook({ payload, secret, id: 'event-1', timestamp }), signed(at));
});

test('the details of an error are known by its code', () => {
  const error = new HourkeepError('BOOKING_CONFLICT', 'Not free', { details: { hours: [14] } });
  if (error.code === 'BOOKING_CONFLICT') assert.deepEqual(error.details?.hours, [14]);
  else assert.fail();
  const invalid = new HourkeepError('VALIDATION_ERROR', 'date is required', {
    details: [{ field: 'date', message: 'is required' }],
  });
  if (invalid.code === 'VALIDATION_ERROR') assert.equal(invalid.details?.[0]?.field, 'date');
  else assert.fail();
});

function signed(at = Math.floor(Date.now() / 1000)): Record<string, string> {
  const signature = new Signer(secret).sign('event-1', new Date(at * 1000), payload);
  return { 'webhook-id': 'event-1', 'webhook-timestamp': String(at), 'webhook-signature': signature };
}
