import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { trailOf, type TrailRow } from '../../test/support/trail.ts';
import { claimDue, WEBHOOKS } from '../../test/support/webhooks.ts';
import { useWorld, type Answer } from '../../test/support/world.ts';
import * as bookings from '../bookings/by-clock.ts';
import { serveSandboxGuests } from '../payments/sandbox-guests.ts';
import { recordResults } from '../webhooks/results.ts';
import type { Action } from './audit.ts';

const CREATE = '/api-create-booking/api/v1/bookings';
const A_WEBHOOK = { url: 'http://127.0.0.1:9/', events: ['availability.changed'] };

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
  async function added(method: string, path: string, body?: unknown): Promise<[Answer, string, TrailRow[]]> {
    const earlier = (await trailOf(world, desk.hostId)).length;
    const requestId = `request-${++requests}`;
    const headers = { 'x-request-id': requestId };
    const answer = await world.call(method, path, { key: desk.key, headers, body });
    return [answer, requestId, (await trailOf(world, desk.hostId)).slice(earlier)];
  }

  const entry = (action: string, subject: string, requestId: string) => ({
    host_id: desk.hostId,
    at: world.clock.now(),
    actor_type: 'key',
    actor_id: keyId,
    action,
    environment: 'production',
    subject,
    reason: null,
    request_id: requestId,
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
  const CHANGES: [what: string, request: () => Request | Promise<Request>, ...actions: Action[]][] = [
    ['a booking that is made', () => ['POST', CREATE, bookingBody()], 'booking.created'],
    [
      'a booking that is cancelled',
      async () => {
        const { id } = await desk.made({ ...freeHours(), ...guest() });
        return ['POST', `/api-cancel-booking/api/v1/bookings/${id}/cancel`, { reason: 'Ada is ill' }];
      },
      'booking.cancelled',
    ],
    ['hours that are blocked, by their space', () => ['POST', blocksPath(), freeHours()], 'block.created'],
    [
      'hours that are unblocked, by their space',
      async () => {
        const range = freeHours();
        await desk.block(range);
        return ['DELETE', blocksPath(), range];
      },
      'block.removed',
    ],
    [
      'a listing that is changed',
      () => ['PATCH', listingPath(), { title: 'Another title' }],
      'space.updated',
    ],
    ['a subscription that is made', () => ['POST', WEBHOOKS, A_WEBHOOK], 'webhook.created'],
    ['a subscription that is changed', patch({ is_active: false }), 'webhook.updated'],
    ['a secret that is rotated', patch({ rotate_secret: true }), 'webhook.secret_rotated'],
    [
      'a subscription that is changed and gets a new secret: one entry for each',
      patch({ description: 'To the till', rotate_secret: true }),
      'webhook.updated',
      'webhook.secret_rotated',
    ],
    [
      'a subscription that is deleted',
      async () => ['DELETE', `${WEBHOOKS}/${await newWebhook()}`],
      'webhook.deleted',
    ],
  ];
  for (const [what, request, ...actions] of CHANGES)
    test(what, async () => {
      const [answer, requestId, entries] = await added(...(await request()));
      assert.ok(answer.status < 300, answer.text);
      const { booking, webhook, id } = answer.body.data as Partial<Answer['body']['data']> & { id?: string };
      const subject = booking?.id ?? webhook?.id ?? id ?? desk.spaceId;
      assert.deepEqual(
        entries,
        actions.map((action) => entry(action, subject, requestId)),
      );
    });

  test('a request id of our own, where the caller gives none', async () => {
    const answer = await desk.book({ ...freeHours(), ...guest() });
    const last = (await trailOf(world, desk.hostId)).at(-1);
    assert.equal(last?.subject, answer.body.data.booking.id);
    assert.equal(last?.request_id, answer.headers.get('x-request-id'));
  });

  test('is not told about requests that only read', async () => {
    const { id } = await desk.made({ ...freeHours(), ...guest() });
    for (const path of [
      `/api-booking-detail/api/v1/bookings/${id}`,
      '/api-bookings/api/v1/bookings',
      `/api-listings/api/v1/spaces/${desk.spaceId}`,
      WEBHOOKS,
    ]) {
      const [answer, , entries] = await added('GET', path);
      assert.deepEqual([answer.status, entries], [200, []]);
    }
  });

  test('has one entry for a booking that is asked for twice with one idempotency key', async () => {
    const body = { ...bookingBody(), idempotency_key: 'order-1' };
    const [first, , entries] = await added('POST', CREATE, body);
    assert.deepEqual([first.status, entries.length], [200, 1]);
    const [again, , none] = await added('POST', CREATE, body);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(none, []);
  });

  test('has no entry for changes that are rejected or change nothing', async () => {
    const { title } = (
      await world.call('GET', `/api-listings/api/v1/spaces/${desk.spaceId}`, { key: desk.key })
    ).body.data.space;
    const webhookPath = `${WEBHOOKS}/${await newWebhook()}`;
    const taken = bookingBody();
    assert.equal((await world.call('POST', CREATE, { key: desk.key, body: taken })).status, 200);
    const cancelled = (await desk.made({ ...freeHours(), ...guest() })).id;
    await desk.cancel(cancelled);
    const { date, start_hour, end_hour } = taken;
    for (const [status, method, path, body] of [
      [200, 'PATCH', listingPath(), { title }],
      [200, 'DELETE', blocksPath(), freeHours()],
      [200, 'PATCH', webhookPath, A_WEBHOOK],
      [200, 'PATCH', webhookPath, { is_active: true }],
      [409, 'POST', CREATE, { ...taken, ...guest() }],
      [409, 'POST', blocksPath(), { date, start_hour, end_hour }],
      [422, 'POST', `/api-cancel-booking/api/v1/bookings/${cancelled}/cancel`, { reason: 'again' }],
      [422, 'PATCH', listingPath(), { price: 0.001 }],
      [404, 'DELETE', `${WEBHOOKS}/0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01`, undefined],
    ] as const) {
      const [answer, , entries] = await added(method, path, body);
      assert.deepEqual([answer.status, entries], [status, []], `${method} ${path}`);
    }
  });

  test('has nothing of a guest in any column', async () => {
    const secrets = ['Grace Hopper', 'grace', 'navy', '+1 212 555 0199', '0199', 'seasick', 'regatta'];
    const person = {
      guest_name: 'Grace Hopper',
      guest_email: 'Grace@Navy.example',
      guest_phone: '+1 212 555 0199',
      idempotency_key: 'grace-1',
      settlement_mode: 'platform_settled',
    };
    const { id } = await desk.made({ ...freeHours(), ...person });
    await desk.cancel(id, 'Grace Hopper is seasick');
    await desk.block({ ...freeHours(), reason: 'regatta of Grace Hopper' });
    const rows = await world.rows<Record<string, unknown>>('select * from audit');
    assert.ok(rows.some((row) => row['subject'] === id));
    // Ids are hexadecimal digits and may have 0199 in them.
    const text = JSON.stringify(rows).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id');
    for (const secret of secrets) assert.ok(!text.toLowerCase().includes(secret.toLowerCase()), secret);
  });
});

onBothEngines('the audit trail of the clock', (engine) => {
  const world = useWorld(engine);
  const byClock = (desk: Desk, task: string, fields: Partial<TrailRow>) => ({
    host_id: desk.hostId,
    at: world.clock.now(),
    actor_type: 'clock',
    actor_id: task,
    environment: 'production',
    reason: null,
    request_id: null,
    ...fields,
  });
  const clockOnly = async (desk: Desk) =>
    (await trailOf(world, desk.hostId)).filter(({ actor_type }) => actor_type === 'clock');

  test('each booking that is completed, once', async (t) => {
    world.clock.restoreAfter(t);
    const desk = await openDesk(world);
    const first = (await desk.made()).id;
    const second = (await desk.made({ start_hour: 12, end_hour: 13 })).id;
    world.clock.set('2027-06-02T12:00:00Z');
    await Promise.all([bookings.completeDue(world.ctx), bookings.completeDue(world.ctx)]);
    const completed = (subject: string) =>
      byClock(desk, 'complete-bookings', { action: 'booking.completed', subject });
    assert.deepEqual(
      (await clockOnly(desk)).sort((a, b) => (a.subject < b.subject ? -1 : 1)),
      [completed(first), completed(second)].sort((a, b) => (a.subject! < b.subject! ? -1 : 1)),
    );
  });

  test('what is done for sandbox guests', async () => {
    const desk = await openDesk(world, {}, { environment: 'sandbox' });
    const done = (await desk.made({ guest_email: 'complete@sandbox.test' })).id;
    const paid = (
      await desk.book({
        start_hour: 12,
        end_hour: 13,
        guest_email: 'pay@sandbox.test',
        settlement_mode: 'platform_settled',
      })
    ).body.data.booking.id;
    await serveSandboxGuests(world.ctx);
    await serveSandboxGuests(world.ctx);
    const served = (action: 'booking.completed' | 'payment.confirmed', subject: string) =>
      byClock(desk, 'serve-sandbox-guests', { action, subject, environment: 'sandbox' });
    assert.deepEqual(
      (await clockOnly(desk)).sort((a, b) => (a.action < b.action ? -1 : 1)),
      [served('booking.completed', done), served('payment.confirmed', paid)],
    );
  });

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
    assert.deepEqual(await clockOnly(desk), [
      byClock(desk, 'deliver-webhooks', { action: 'webhook.disabled', subject: id, reason: 'receiver_gone' }),
    ]);
  });
});
