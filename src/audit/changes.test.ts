import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { WEBHOOKS } from '../../test/support/webhooks.ts';
import { useWorld } from '../../test/support/world.ts';
import * as hosts from '../accounts/update.ts';
import * as payments from '../payments/payments.ts';
import * as spaces from '../spaces/update.ts';
import type { Action } from './audit.ts';
import { list, type Entry } from './list.ts';

onBothEngines('what the audit trail says was changed', (engine) => {
  const world = useWorld(engine);
  const trail = (hostId: string): Promise<Entry[]> => list(world.ctx.db, { hostId, since: 0, limit: 1000 });
  const changes = async (hostId: string, action: Action) => {
    const [newest] = await list(world.ctx.db, { hostId, since: 0, limit: 1, action });
    return newest?.changes;
  };

  test('of a host are its fields as its record has them, before and after', async () => {
    const hostId = await world.addHost({ name: 'Old', max_booking_value: 50 });
    await hosts.update(world.ctx, operator, hostId, {
      name: 'New',
      commission_rate: 0.125,
      settlement_modes: ['host_settled'],
      max_booking_value: null,
    });
    assert.deepEqual(await changes(hostId, 'host.updated'), {
      name: ['Old', 'New'],
      commission_rate: [0.1, 0.125],
      settlement_modes: [['host_settled', 'platform_settled'], ['host_settled']],
      max_booking_value: [50, null],
    });
  });

  test('of a space are its fields, prices in major units, whether the host or the operator changed it', async () => {
    const desk = await openDesk(world);
    const path = `/api-listing-update/api/v1/spaces/${desk.spaceId}`;
    const body = { price: 52.5, title: 'Attic' };
    assert.equal((await world.call('PATCH', path, { key: desk.key, body })).status, 200);
    assert.deepEqual(await changes(desk.hostId, 'space.updated'), {
      title: ['Test Space', 'Attic'],
      price_per_hour: [50, 52.5],
    });
    await spaces.update(world.ctx, operator, desk.spaceId, {
      operating_hours: { start_hour: 8, end_hour: 24 },
      cancellation_notice_hours: 12,
    });
    assert.deepEqual(await changes(desk.hostId, 'space.updated'), {
      operating_hours: [
        { start_hour: 0, end_hour: 24 },
        { start_hour: 8, end_hour: 24 },
      ],
      cancellation_notice_hours: [0, 12],
    });
  });

  test('of a webhook name its address by the origin, and a secret never', async () => {
    const desk = await openDesk(world);
    const call = async (method: string, path: string, body: object) => {
      const answer = await world.call(method, path, { key: desk.key, body });
      assert.equal(answer.status, method === 'POST' ? 201 : 200, answer.text);
      return answer.body.data.webhook;
    };
    const first = { url: 'http://127.0.0.1:9/a?token=very-private', events: ['booking.created'] };
    const { id } = await call('POST', WEBHOOKS, first);
    const path = `${WEBHOOKS}/${id}`;
    await call('PATCH', path, { url: 'http://127.0.0.1:9/b?token=more-private', description: 'Till' });
    assert.deepEqual(await changes(desk.hostId, 'webhook.updated'), {
      url: ['http://127.0.0.1:9', 'http://127.0.0.1:9'],
      description: [null, 'Till'],
    });
    await call('PATCH', path, { is_active: false, events: ['booking.created', 'booking.cancelled'] });
    assert.deepEqual(await changes(desk.hostId, 'webhook.updated'), {
      events: [['booking.created'], ['booking.created', 'booking.cancelled']],
      is_active: [true, false],
    });
    const { secret } = await call('PATCH', path, { rotate_secret: true });
    assert.deepEqual(await changes(desk.hostId, 'webhook.secret_rotated'), { secret: [null, 'changed'] });
    const text = JSON.stringify(await trail(desk.hostId));
    for (const hidden of ['private', secret]) assert.ok(!text.includes(hidden), hidden);
  });

  test('are null for what is made, cancelled or removed, and hold nothing of the guest but in a payment’s reference', async () => {
    const desk = await openDesk(world);
    const guest = { guest_name: 'Grace Baker', guest_email: 'grace@example.com', guest_phone: '+1 555 0177' };
    const booked = await desk.book({ ...guest, settlement_mode: 'platform_settled' });
    const { id } = booked.body.data.booking;
    await payments.confirm(world.ctx, operator, id, null);
    await payments.confirm(world.ctx, operator, id, 'wire 4711');
    await desk.cancel(id, 'Grace Baker is ill');
    const entries = await trail(desk.hostId);
    assert.deepEqual(
      entries.map((entry) => [entry.action, entry.changes]),
      [
        ['booking.cancelled', null],
        ['payment.updated', { reference: [null, 'wire 4711'] }],
        [
          'payment.confirmed',
          {
            amount: [null, 100],
            payment_status: ['pending', 'confirmed'],
            paid_at: [null, '2027-03-01T12:00:00.000Z'],
          },
        ],
        ['booking.created', null],
      ],
    );
    const rows = JSON.stringify(await world.rows('select * from audit where host_id = $1', [desk.hostId]));
    for (const hidden of ['Grace', 'grace', '0177']) assert.ok(!rows.includes(hidden), hidden);
  });
});
