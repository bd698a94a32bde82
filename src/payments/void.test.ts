import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { useWorld } from '../../test/support/world.ts';
import { list as listTrail } from '../audit/list.ts';
import { list, type PaymentState } from '../bookings/for-operators.ts';
import * as payments from './payments.ts';

const ABSENT = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';

onBothEngines('a payment made void', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  let id: string;

  beforeEach(async () => {
    desk = await openDesk(world);
    id = await book();
  });

  const book = async (settlement_mode = 'platform_settled', start_hour = 10): Promise<string> =>
    (await desk.made({ settlement_mode, start_hour, end_hour: start_hour + 1 })).id;
  const confirm = (booking = id, reference: string | null = 'pi_1') =>
    payments.confirm(world.ctx, operator, booking, reference);
  const makeVoid = (booking = id) => payments.makeVoid(world.ctx, operator, booking, 'Wire of another one');

  test('is pending again, tells no event, and is in the trail with the reason and what changed', async () => {
    await confirm();
    const [paid, told] = [await desk.read(id), await desk.events()];
    world.clock.advance({ minutes: 1 });
    const done = await makeVoid();
    const now = await desk.read(id);
    assert.deepEqual(done, now);
    const updated_at = new Date(world.clock.now()).toISOString();
    assert.deepEqual(now, { ...paid, payment_status: 'pending', paid_at: null, updated_at });
    assert.notEqual(paid.paid_at, null);
    assert.deepEqual(await desk.events(), told);
    const [entry] = await listTrail(world.ctx.db, { hostId: desk.hostId, since: 0, limit: 1 });
    assert.deepEqual(entry, {
      at: updated_at,
      actor: { type: 'operator', id: 'tester' },
      action: 'payment.voided',
      host_id: desk.hostId,
      environment: 'production',
      subject: id,
      reason: 'Wire of another one',
      request_id: null,
      changes: {
        reference: ['pi_1', null],
        amount: [50, null],
        payment_status: ['confirmed', 'pending'],
        paid_at: [paid.paid_at, null],
      },
    });
  });

  const refusals: [why: string, prepare: () => Promise<unknown>, message: (id: string) => string][] = [
    ['it is not confirmed', async () => undefined, (it) => `the payment of booking ${it} is not confirmed`],
    [
      'the guest paid the host',
      async () => {
        id = await book('host_settled', 12);
      },
      (it) => `booking ${it} is host_settled: there is no payment to the platform`,
    ],
    [
      'it is refunded',
      async () => {
        await confirm();
        await desk.cancel(id);
        await payments.refund(world.ctx, operator, id, null);
      },
      (it) => `the payment of booking ${it} is refunded: it stays as it is`,
    ],
    [
      'there is no booking',
      async () => {
        id = ABSENT;
      },
      (it) => `there is no booking ${it}`,
    ],
  ];
  for (const [why, prepare, message] of refusals)
    test(`is refused, and nothing changes, where ${why}`, async (t) => {
      world.clock.restoreAfter(t);
      await prepare();
      const before = await world.rows(
        'select payment_status, paid_at, updated_at from bookings where id = $1',
        [id],
      );
      await assert.rejects(makeVoid(), { name: 'OperatorError', message: message(id) });
      const after = await world.rows(
        'select payment_status, paid_at, updated_at from bookings where id = $1',
        [id],
      );
      assert.deepEqual(after, before);
    });

  test('lists by payment: awaited, made, to be given back, given back', async () => {
    const [confirmed, owed, refunded] = [
      await book(undefined, 12),
      await book(undefined, 13),
      await book(undefined, 14),
    ];
    const cancelled = await book(undefined, 15);
    await book('host_settled', 16);
    for (const booking of [confirmed, owed, refunded]) await confirm(booking, null);
    for (const booking of [owed, refunded, cancelled]) await desk.cancel(booking);
    await payments.refund(world.ctx, operator, refunded, null);
    const found = async (payment: PaymentState) =>
      (await list(world.ctx, { host: desk.hostId, payment, limit: 100 })).map((booking) => booking.id);
    assert.deepEqual(await found('pending'), [id]);
    assert.deepEqual(await found('confirmed'), [confirmed]);
    assert.deepEqual(await found('refund_pending'), [owed]);
    assert.deepEqual(await found('refunded'), [refunded]);
  });
});
