import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { claimDue, WEBHOOKS } from '../../test/support/webhooks.ts';
import { useWorld, type Answer, type World } from '../../test/support/world.ts';
import * as payments from '../payments/payments.ts';
import { recordResults } from '../webhooks/results.ts';
import { toTimestamp } from '../time/clock.ts';
import type { Action, Changes } from './audit.ts';
import { list, type Entry } from './list.ts';

const CREATE = '/api-create-booking/api/v1/bookings';
const A_WEBHOOK = { url: 'http://127.0.0.1:9/a?token=very-private', events: ['availability.changed'] };

/** What the trail tells about a host, oldest first. */
async function trailOf({ ctx }: World, { hostId }: Desk): Promise<Entry[]> {
  return (await list(ctx.db, { hostId, limit: 10_000 })).toReversed();
}

onBothEngines('the audit trail of the API', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  let keyId: string;
  before(async () => {
    desk = await openDesk(world);
    keyId = (await world.row<{ id: string }>('select id from api_keys where host_id = $1', [desk.hostId])).id;
  });

  let requests = 0;
  let hour = 0;
  /** Hours that nothing holds yet. */
  const freeHours = () => {
    const n = hour++;
    const day = String(1 + Math.floor(n / 24)).padStart(2, '0');
    return { date: `2027-05-${day}`, start_hour: n % 24, end_hour: (n % 24) + 1 };
  };

  /** Sends a request, and answers with it and what it added to the trail. */
  async function added(method: string, path: string, body?: unknown): Promise<[Answer, string, Entry[]]> {
    const earlier = (await trailOf(world, desk)).length;
    const requestId = `request-${++requests}`;
    const headers = { 'x-request-id': requestId };
    const answer = await world.call(method, path, { key: desk.key, headers, body });
    return [answer, requestId, (await trailOf(world, desk)).slice(earlier)];
  }

  const entry = (action: Action, subject: string, requestId: string, changes: Changes | null): Entry => ({
    at: toTimestamp(world.clock.now()),
    actor: { type: 'key', id: keyId },
    action,
    host_id: desk.hostId,
    environment: 'production',
    subject,
    reason: null,
    request_id: requestId,
    changes,
  });

  const guest = () => ({ guest_name: 'Ada Miller', guest_email: `guest-${hour}@example.com` });
  const bookingBody = () => ({ space_id: desk.spaceId, ...freeHours(), ...guest() });
  const blocksPath = () => `/api-blocks/api/v1/spaces/${desk.spaceId}/blocks`;
  const listingPath = () => `/api-listing-update/api/v1/spaces/${desk.spaceId}`;
  const newWebhook = async () =>
    (await world.call('POST', WEBHOOKS, { key: desk.key, body: A_WEBHOOK })).body.data.webhook.id;

  type Request = [method: string, path: string, body?: unknown];
  const patch = (body: object) => async (): Promise<Request> => [
    'PATCH',
    `${WEBHOOKS}/${await newWebhook()}`,
    body,
  ];
  type Change = [action: Action, changes?: Changes];
  const ORIGIN = 'http://127.0.0.1:9';
  const CHANGES: [what: string, request: () => Request | Promise<Request>, ...entries: Change[]][] = [
    ['a booking that is made', () => ['POST', CREATE, bookingBody()], ['booking.created']],
    [
      'a booking that is cancelled',
      async () => {
        const { id } = await desk.made({ ...freeHours(), ...guest() });
        return ['POST', `/api-cancel-booking/api/v1/bookings/${id}/cancel`, { reason: 'Ada is ill' }];
      },
      ['booking.cancelled'],
    ],
    ['hours that are blocked, by their space', () => ['POST', blocksPath(), freeHours()], ['block.created']],
    [
      'hours that are unblocked, by their space',
      async () => {
        const range = freeHours();
        await desk.block(range);
        return ['DELETE', blocksPath(), range];
      },
      ['block.removed'],
    ],
    [
      'a listing that is changed, with its prices in major units',
      () => ['PATCH', listingPath(), { title: 'Another title', price: 52.5 }],
      ['space.updated', { title: ['Test Space', 'Another title'], price_per_hour: [50, 52.5] }],
    ],
    ['a subscription that is made', () => ['POST', WEBHOOKS, A_WEBHOOK], ['webhook.created']],
    [
      'a subscription that is changed, with its URL as the origin',
      patch({ url: `${ORIGIN}/b?token=more-private`, events: ['booking.created'], is_active: false }),
      [
        'webhook.updated',
        {
          url: [ORIGIN, ORIGIN],
          events: [['availability.changed'], ['booking.created']],
          is_active: [true, false],
        },
      ],
    ],
    [
      'a subscription that is changed and gets a new secret: one entry for each, and the secret in none',
      patch({ description: 'To the till', rotate_secret: true }),
      ['webhook.updated', { description: [null, 'To the till'] }],
      ['webhook.secret_rotated', { secret: [null, 'changed'] }],
    ],
    [
      'a subscription that is deleted',
      async () => ['DELETE', `${WEBHOOKS}/${await newWebhook()}`],
      ['webhook.deleted'],
    ],
  ];
  for (const [what, request, ...changes] of CHANGES)
    test(what, async () => {
      const [answer, requestId, entries] = await added(...(await request()));
      assert.ok(answer.status < 300, answer.text);
      const { booking, webhook, id } = answer.body.data as Partial<Answer['body']['data']> & { id?: string };
      const subject = booking?.id ?? webhook?.id ?? id ?? desk.spaceId;
      assert.deepEqual(
        entries,
        changes.map(([action, changed = null]) => entry(action, subject, requestId, changed)),
      );
    });

  test('a request id of our own, where the caller gives none', async () => {
    const answer = await desk.book({ ...freeHours(), ...guest() });
    const last = (await trailOf(world, desk)).at(-1);
    assert.equal(last?.subject, answer.body.data.booking.id);
    assert.equal(last?.request_id, answer.headers.get('x-request-id'));
  });

  test('has no entry for requests that only read, repeat another, are rejected or change nothing', async () => {
    const listing = `/api-listings/api/v1/spaces/${desk.spaceId}`;
    const { title } = (await world.call('GET', listing, { key: desk.key })).body.data.space;
    const webhookPath = `${WEBHOOKS}/${await newWebhook()}`;
    const taken = { ...bookingBody(), idempotency_key: 'order-1' };
    assert.equal((await world.call('POST', CREATE, { key: desk.key, body: taken })).status, 200);
    const cancelled = (await desk.made({ ...freeHours(), ...guest() })).id;
    await desk.cancel(cancelled);
    const { date, start_hour, end_hour, idempotency_key: _, ...rest } = taken;
    const hours = { date, start_hour, end_hour };
    for (const [status, method, path, body] of [
      [200, 'GET', '/api-bookings/api/v1/bookings', undefined],
      [200, 'POST', CREATE, taken],
      [200, 'PATCH', listingPath(), { title }],
      [200, 'DELETE', blocksPath(), freeHours()],
      [200, 'PATCH', webhookPath, A_WEBHOOK],
      [200, 'PATCH', webhookPath, { is_active: true }],
      [409, 'POST', CREATE, { ...rest, ...hours }],
      [409, 'POST', blocksPath(), hours],
      [422, 'POST', `/api-cancel-booking/api/v1/bookings/${cancelled}/cancel`, { reason: 'again' }],
      [422, 'PATCH', listingPath(), { price: 0.001 }],
      [404, 'DELETE', `${WEBHOOKS}/0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01`, undefined],
    ] as const) {
      const [answer, , entries] = await added(method, path, body);
      assert.deepEqual([answer.status, entries], [status, []], `${method} ${path}`);
    }
  });

  test('has nothing of a guest but in a payment’s reference', async () => {
    const desk = await openDesk(world);
    const guest = {
      guest_name: 'Grace Baker',
      guest_email: 'Grace@Navy.example',
      guest_phone: '+1 555 0177',
    };
    const { id } = await desk.made({
      ...guest,
      idempotency_key: 'grace-1',
      settlement_mode: 'platform_settled',
    });
    await payments.confirm(world.ctx, operator, id, null);
    await payments.confirm(world.ctx, operator, id, 'wire 4711');
    await desk.cancel(id, 'Grace Baker is seasick');
    await desk.block({ reason: 'regatta of Grace Baker' });
    const entries = await trailOf(world, desk);
    assert.deepEqual(
      entries.map(({ action, changes }) => [action, changes]),
      [
        ['booking.created', null],
        [
          'payment.confirmed',
          {
            amount: [null, 100],
            payment_status: ['pending', 'confirmed'],
            paid_at: [null, '2027-03-01T12:00:00.000Z'],
          },
        ],
        ['payment.updated', { reference: [null, 'wire 4711'] }],
        ['booking.cancelled', null],
        ['block.created', null],
      ],
    );
    // Ids are hexadecimal digits and may have 0177 in them.
    const text = JSON.stringify(entries).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id');
    assert.doesNotMatch(text, /grace|baker|navy|0177|seasick|regatta/i);
  });
});

onBothEngines('the audit trail of the clock', (engine) => {
  const world = useWorld(engine);
  /** Desks have subscriptions of their own, which are claimed too. */
  const claimOf = async (id: string) => (await claimDue(world)).filter(({ webhook_id }) => webhook_id === id);

  test('a subscription whose receiver is gone, with the reason', async () => {
    const desk = await openDesk(world);
    const { id } = (await world.call('POST', WEBHOOKS, { key: desk.key, body: A_WEBHOOK })).body.data.webhook;
    await desk.block();
    await desk.block({ start_hour: 12, end_hour: 13 });
    const at = world.clock.now();
    const gone = { at, error: 'unsuccessful_status', responseStatus: 410, retryAfter: 0 } as const;
    const claimed = await claimOf(id);
    assert.equal(claimed.length, 2);
    for (const delivery of claimed) await recordResults(world.ctx, [{ delivery, attempt: gone }]);
    const byClock = (await trailOf(world, desk)).filter(({ actor }) => actor.type === 'clock');
    assert.deepEqual(byClock, [
      {
        at: toTimestamp(at),
        actor: { type: 'clock', id: 'deliver-webhooks' },
        action: 'webhook.disabled',
        host_id: desk.hostId,
        environment: 'production',
        subject: id,
        reason: 'receiver_gone',
        request_id: null,
        changes: null,
      },
    ]);
  });
});
