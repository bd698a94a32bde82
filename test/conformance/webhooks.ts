import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { Webhook as Signer } from 'standardwebhooks';
import { each, type Cases } from './bench.ts';

// Signed by the independent implementation of Standard Webhooks.

const secret = secretOf('a');
const event = {
  id: 'event-1',
  type: 'availability.changed',
  timestamp: '2027-03-01T09:30:00.000Z',
  data: { space_id: 's', date: '2027-03-18', hours: [10], cause: 'external_calendar', title: 'Zoë 한강' },
};
const payload = JSON.stringify(event);

const DISTRUSTED: Record<string, () => object> = {
  'another body': () => ({ payload: payload.replace('10', '11') }),
  'another secret': () => ({ secret: secretOf('b') }),
  'another id': () => ({ headers: { ...signed(), 'webhook-id': 'event-2' } }),
  'another time': () => ({ headers: { ...signed(), 'webhook-timestamp': String(seconds() + 1) } }),
  'a time that is too old': () => ({ headers: signed({ at: seconds() - 301 }) }),
  'a time that is too far ahead': () => ({ headers: signed({ at: seconds() + 310 }) }),
  'a time that is none, though it was signed': () => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const mac = createHmac('sha256', key).update(`event-1.now.${payload}`).digest('base64');
    return { headers: { ...signed(), 'webhook-timestamp': 'now', 'webhook-signature': `v1,${mac}` } };
  },
  'a signature of another scheme': () => withSignature((signature) => signature.replace('v1,', 'v2,')),
  'a signature that is cut off': () => withSignature((signature) => signature.slice(0, -8)),
  'a signature that is not base64': () => withSignature(() => 'v1,***'),
  'an empty signature': () => withSignature(() => 'v1,'),
};

export const WEBHOOKS: Cases = {
  'a delivery that was signed with the secret is its event': async ({ connect }) => {
    assert.deepEqual(await connect().call('verifyWebhook', { payload, headers: signed(), secret }), event);
    const bare = secret.slice('whsec_'.length);
    assert.deepEqual(
      await connect().call('verifyWebhook', { payload, headers: signed(), secret: bare }),
      event,
    );
  },
  'headers may have names in any case, and lists as values': async ({ connect }) => {
    const entries = Object.entries(signed());
    const upper = Object.fromEntries(entries.map(([name, value]) => [name.toUpperCase(), value]));
    const lists = Object.fromEntries(entries.map(([name, value]) => [name, [value]]));
    for (const headers of [upper, lists])
      assert.deepEqual(await connect().call('verifyWebhook', { payload, headers, secret }), event);
  },
  'one of several signatures is enough, as after a rotation': async ({ connect }) => {
    const other = signed({ secret: secretOf('b') })['webhook-signature'];
    const { headers } = withSignature((signature) => `v2,abc x ${other} ${signature}`);
    assert.deepEqual(await connect().call('verifyWebhook', { payload, headers, secret }), event);
  },
  'a header that is missing is named': async ({ connect }) => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      const headers: Record<string, string> = { ...signed() };
      delete headers[name];
      const error = await connect().fails('verifyWebhook', { payload, headers, secret });
      assert.deepEqual(
        [error.code, error.status, error.message],
        ['INVALID_SIGNATURE', 0, `This delivery cannot be trusted: the header ${name} is missing`],
      );
    }
  },
  ...each(Object.entries(DISTRUSTED), ([what, change]) => [
    `a delivery with ${what} is INVALID_SIGNATURE`,
    async ({ connect }) => {
      const delivery = { payload, headers: signed(), secret, ...change() };
      await connect().failsWith('INVALID_SIGNATURE', 0, 'verifyWebhook', delivery);
    },
  ]),
  'how old a delivery may be can be said': async ({ connect }) => {
    const delivery = { payload, headers: signed({ at: seconds() - 1000 }), secret };
    await connect().call('verifyWebhook', { ...delivery, toleranceSeconds: 1100 });
    const error = await connect().fails('verifyWebhook', { ...delivery, toleranceSeconds: 900 });
    assert.equal(error.code, 'INVALID_SIGNATURE');
  },
  'what cannot be verified with is a mistake of the program': async ({ connect }) => {
    await connect().isMistaken('verifyWebhook', { payload: event, headers: signed(), secret });
    for (const wrong of ['', 'whsec_', 'not base64!', null])
      await connect().isMistaken('verifyWebhook', { payload, headers: signed(), secret: wrong });
  },
  'a delivery is signed as the independent implementation signs it': async ({ connect }) => {
    const at = 1_803_900_600;
    const headers = await connect().call('signWebhook', { payload, secret, id: 'event-1', timestamp: at });
    assert.deepEqual(headers, signed({ at }));
  },
  'what is signed now is trusted now, with an id of its own each time': async ({ connect }) => {
    const hk = connect();
    const [first, second] = [
      await hk.call('signWebhook', { payload, secret }),
      await hk.call('signWebhook', { payload, secret }),
    ];
    assert.notEqual(first['webhook-id'], second['webhook-id']);
    assert.deepEqual(await hk.call('verifyWebhook', { payload, headers: first, secret }), event);
  },
};

function secretOf(letter: string): string {
  return `whsec_${Buffer.from(letter.repeat(32)).toString('base64')}`;
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

function signed({ secret: by = secret, at = seconds() } = {}): Record<string, string> {
  const signature = new Signer(by).sign('event-1', new Date(at * 1000), payload);
  return { 'webhook-id': 'event-1', 'webhook-timestamp': String(at), 'webhook-signature': signature };
}

function withSignature(change: (signature: string) => string): { headers: Record<string, string> } {
  const headers = signed();
  return { headers: { ...headers, 'webhook-signature': change(headers['webhook-signature']!) } };
}
