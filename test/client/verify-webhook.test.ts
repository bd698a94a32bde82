import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { Webhook as Signer } from 'standardwebhooks';
import {
  HourkeepError,
  signWebhook,
  verifyWebhook,
  type WebhookDeliveryToVerify,
  type WebhookEvent,
} from '../../client/src/index.ts';

// Signed by the independent implementation of Standard Webhooks.

const secret = secretOf('a');
const payload = JSON.stringify({
  id: 'event-1',
  type: 'availability.changed',
  timestamp: '2027-03-01T09:30:00.000Z',
  api_version: 'v1',
  environment: 'sandbox',
  data: { space_id: 's', date: '2027-03-18', hours: [10], cause: 'external_calendar', title: 'Zoë 한강' },
});

describe('verifyWebhook', () => {
  test('answers with the event of a delivery that was signed with the secret', async () => {
    assert.deepEqual(await verifyWebhook({ payload, headers: signed(), secret }), JSON.parse(payload));
  });

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

  test('takes headers as Headers or as an object, in whatever case', async () => {
    const headers = signed();
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    for (const form of [new Headers(headers), headers, upper, lists]) {
      assert.equal((await verifyWebhook({ payload, headers: form, secret })).id, 'event-1');
    }
  });

  test('names the header that is missing', async () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      const headers: Record<string, string> = { ...signed() };
      delete headers[name];
      await assert.rejects(verifyWebhook({ payload, headers, secret }), {
        code: 'INVALID_SIGNATURE',
        message: `This delivery cannot be trusted: the header ${name} is missing`,
      });
    }
  });

  test('one of several signatures is enough, as after a rotation, whatever else stands beside it', async () => {
    const other = signed({ secret: secretOf('b') })['webhook-signature'];
    const headers = signed();
    headers['webhook-signature'] = `v2,abc x ${other} ${headers['webhook-signature']}`;
    assert.equal((await verifyWebhook({ payload, headers, secret })).id, 'event-1');
  });

  test('takes a secret without its prefix', async () => {
    await verifyWebhook({ payload, headers: signed(), secret: secret.slice('whsec_'.length) });
  });

  describe('rejects with INVALID_SIGNATURE', () => {
    const signature = signed()['webhook-signature']!;
    const cases: Record<string, () => Partial<WebhookDeliveryToVerify>> = {
      'another body': () => ({ payload: payload.replace('10', '11') }),
      'another secret': () => ({ secret: secretOf('b') }),
      'another id': () => ({ headers: { ...signed(), 'webhook-id': 'event-2' } }),
      'another time': () => ({ headers: { ...signed(), 'webhook-timestamp': String(seconds() + 1) } }),
      'a time that is too old': () => ({ headers: signed({ at: seconds() - 301 }) }),
      'a time that is too far ahead': () => ({ headers: signed({ at: seconds() + 301 }) }),
      'a time that is none, though it was signed': () => {
        const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
        const mac = createHmac('sha256', key).update(`event-1.now.${payload}`).digest('base64');
        const headers = { ...signed(), 'webhook-timestamp': 'now', 'webhook-signature': `v1,${mac}` };
        return { headers };
      },
      'no signature': () => ({ headers: { ...signed(), 'webhook-signature': undefined } }),
      'no headers at all': () => ({ headers: new Headers() }),
      'a signature of another scheme': () => ({
        headers: { ...signed(), 'webhook-signature': signature.replace('v1,', 'v2,') },
      }),
      'a signature that is cut off': () => ({
        headers: { ...signed(), 'webhook-signature': signature.slice(0, -8) },
      }),
      'a signature that is not base64': () => ({
        headers: { ...signed(), 'webhook-signature': 'v1,***' },
      }),
      'an empty signature': () => ({ headers: { ...signed(), 'webhook-signature': 'v1,' } }),
    };
    for (const [what, change] of Object.entries(cases)) {
      test(what, async () => {
        const delivery = { payload, headers: signed(), secret, ...change() };
        await assert.rejects(verifyWebhook(delivery), {
          name: 'HourkeepError',
          code: 'INVALID_SIGNATURE',
          status: 0,
        });
      });
    }
  });

  test('toleranceSeconds says how old a delivery may be', async () => {
    const headers = signed({ at: seconds() - 1000 });
    await verifyWebhook({ payload, headers, secret, toleranceSeconds: 1100 });
    await assert.rejects(verifyWebhook({ payload, headers, secret, toleranceSeconds: 900 }));
  });

  test('what cannot be verified with is a mistake of the program, and says which', async () => {
    const parsed = JSON.parse(payload) as string;
    await assert.rejects(verifyWebhook({ payload: parsed, headers: signed(), secret }), /raw body/);
    for (const wrong of ['', 'whsec_', 'not base64!', undefined as unknown as string]) {
      await assert.rejects(verifyWebhook({ payload, headers: signed(), secret: wrong }), /secret must be/);
    }
  });
});

describe('signWebhook', () => {
  test('signs as the independent implementation does', async () => {
    const timestamp = new Date('2027-03-01T09:30:00Z');
    const headers = await signWebhook({ payload, secret, id: 'event-1', timestamp });
    assert.deepEqual(headers, {
      'webhook-id': 'event-1',
      'webhook-timestamp': String(timestamp.getTime() / 1000),
      'webhook-signature': new Signer(secret).sign('event-1', timestamp, payload),
    });
    const inSeconds = { payload, secret, id: 'event-1', timestamp: timestamp.getTime() / 1000 };
    assert.deepEqual(await signWebhook(inSeconds), headers);
  });

  test('makes headers that a receiver trusts now, with an id of their own each time', async () => {
    const [first, second] = [await signWebhook({ payload, secret }), await signWebhook({ payload, secret })];
    assert.equal((await verifyWebhook({ payload, headers: first, secret })).id, 'event-1');
    assert.notEqual(first['webhook-id'], second['webhook-id']);
  });
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

function secretOf(letter: string): string {
  return `whsec_${Buffer.from(letter.repeat(32)).toString('base64')}`;
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

function signed({ secret: by = secret, at = seconds() } = {}): Record<string, string> {
  const signature = new Signer(by).sign('event-1', new Date(at * 1000), payload);
  return {
    'webhook-id': 'event-1',
    'webhook-timestamp': String(at),
    'webhook-signature': signature,
  };
}
