import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { belongings } from '../../test/support/tables.ts';
import { useWorld } from '../../test/support/world.ts';
import { list as listTrail } from '../audit/list.ts';
import { list, type PaymentState } from '../bookings/for-operators.ts';
import * as payments from './payments.ts';

const ABSENT = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';

onBothEngines('a payment', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  /** Of one hour, to be paid to the platform. */
  let id: string;

  beforeEach(async () => {
    desk = await openDesk(world);
    id = await book(10);
  });

  const book = async (start_hour: number, settlement_mode = 'platform_settled'): Promise<string> =>
    (await desk.made({ settlement_mode, start_hour, end_hour: start_hour + 1 })).id;
  const confirm = (reference: string | null = null, booking = id) =>
    payments.confirm(world.ctx, operator, booking, reference);
  const refund = (reference: string | null = null, booking = id) =>
    payments.refund(world.ctx, operator, booking, reference);
  const makeVoid = (booking = id) => payments.makeVoid(world.ctx, operator, booking, 'Bounced');
  const cancelAndPay = async () => {
    await confirm('pi_1');
    await desk.cancel(id);
  };
  const at = () => new Date(world.clock.now()).toISOString();

  test('that is voided is pending again, tells no event, and is in the trail with the reason and what changed', async () => {
    await confirm('pi_1');
    const [paid, told] = [await desk.read(id), await desk.events()];
    world.clock.advance({ minutes: 1 });
    const done = await makeVoid();
    assert.deepEqual(done, { ...paid, payment_status: 'pending', paid_at: null, updated_at: at() });
    assert.deepEqual(await desk.read(id), done);
    assert.deepEqual(await desk.events(), told);
    const [entry] = await listTrail(world.ctx.db, { hostId: desk.hostId, since: 0, limit: 1 });
    assert.deepEqual(entry, {
      at: at(),
      actor: { type: 'operator', id: 'tester' },
      action: 'payment.voided',
      host_id: desk.hostId,
      environment: 'production',
      subject: id,
      reason: 'Bounced',
      request_id: null,
      changes: {
        reference: ['pi_1', null],
        amount: [50, null],
        payment_status: ['confirmed', 'pending'],
        paid_at: [paid.paid_at, null],
      },
    });
  });

  test('that was recorded before there was a history has an entry from the record, and keeps it', async () => {
    await confirm('pi_1');
    await world.write('delete from payments where booking_id = $1', [id]);
    const history = () => payments.list(world.ctx.db, id);
    const payment = { reference: 'pi_1', amount: 50 };
    const before = { ...payment, at: at(), kind: 'confirmed', actor: null };
    assert.deepEqual(await history(), [before]);
    world.clock.advance({ minutes: 1 });
    await makeVoid();
    const actor = { type: 'operator', id: 'tester' };
    assert.deepEqual(await history(), [before, { ...payment, at: at(), kind: 'voided', actor }]);
  });

  test('of one of several bookings stands, where all are paid with one reference at once', async () => {
    const ids = [id, await book(12), await book(14), await book(16)];
    const ended = await Promise.allSettled(ids.map((booking) => confirm('pi_1', booking)));
    assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  test('is refunded once, however often that is said at once', async () => {
    await cancelAndPay();
    const all = await Promise.all(Array.from({ length: 6 }, () => refund('re_1')));
    assert.equal(all.filter(({ repeated }) => !repeated).length, 1);
  });

  const atHost = async () => void (id = await book(12, 'host_settled'));
  const cancelledAtHost = async () => {
    await atHost();
    await desk.cancel(id);
  };
  const refunded = async () => {
    await cancelAndPay();
    await refund('re_1');
  };
  const absent = async () => void (id = ABSENT);
  const otherPaid = async () => confirm('pi_1', await book(12));
  type Step = () => Promise<unknown>;
  const refusals: [why: string, prepare: Step, step: Step, says: string][] = [
    ['confirmed where the guest pays the host', atHost, confirm, 'is host_settled'],
    ['confirmed once it is refunded', refunded, confirm, 'is refunded: it cannot be confirmed'],
    ['voided before it is confirmed', async () => {}, makeVoid, 'is pending: it cannot be voided'],
    ['voided where the guest paid the host', atHost, makeVoid, 'is host_settled'],
    ['voided once it is refunded', refunded, makeVoid, 'is refunded: it cannot be voided'],
    ['voided where there is no booking', absent, makeVoid, 'there is no booking ID'],
    ['refunded while the booking stands', confirm, refund, 'only a cancelled booking'],
    ['refunded before it is confirmed', () => desk.cancel(id), refund, 'is pending: it cannot be refunded'],
    ['refunded where the guest paid the host', cancelledAtHost, refund, 'is host_settled'],
    ['refunded with a second reference', refunded, () => refund('re_2'), 'with the reference "re_1"'],
    ['confirmed with the reference of another', otherPaid, () => confirm('pi_1'), 'use --shared'],
  ];
  for (const [why, prepare, step, says] of refusals)
    test(`is not ${why}, and nothing changes`, async () => {
      await prepare();
      const before = await belongings(world, desk.hostId, 'production');
      await assert.rejects(step(), ({ name, message }: Error) => {
        assert.ok(name === 'OperatorError' && message.includes(says.replace('ID', id)), message);
        return true;
      });
      assert.equal(await belongings(world, desk.hostId, 'production'), before);
    });

  test('is listed by what is to be done: awaited, made, to be given back, given back', async () => {
    const [paid, owed, refunded, cancelled] = [
      await book(12),
      await book(13),
      await book(14),
      await book(15),
    ];
    await book(16, 'host_settled');
    for (const booking of [paid, owed, refunded]) await confirm(null, booking);
    for (const booking of [owed, refunded, cancelled]) await desk.cancel(booking);
    await refund(null, refunded);
    const found = async (payment: PaymentState) =>
      (await list(world.ctx, { host: desk.hostId, payment, limit: 100 })).map((booking) => booking.id);
    assert.deepEqual(await found('pending'), [id]);
    assert.deepEqual(await found('confirmed'), [paid]);
    assert.deepEqual(await found('refund_pending'), [owed]);
    assert.deepEqual(await found('refunded'), [refunded]);
  });
});
