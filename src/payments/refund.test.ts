import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { changesOf } from '../../test/support/trail.ts';
import { useWorld } from '../../test/support/world.ts';
import * as payments from './payments.ts';

const ABSENT = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';

onBothEngines('a refund', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;

  beforeEach(async () => {
    desk = await openDesk(world);
  });

  const book = async (settlement_mode = 'platform_settled') => await desk.made({ settlement_mode });
  const refund = (id: string, reference: string | null = null) =>
    payments.refund(world.ctx, operator, id, reference);
  const cancelledAndPaid = async () => {
    const { id } = await book();
    await payments.confirm(world.ctx, operator, id, 'pi_1');
    await desk.cancel(id);
    return id;
  };
  const report = async () => {
    const path = '/api-settlement-report/api/v1/settlement/report?month=2027-06';
    return (await world.call('GET', path, { key: desk.key })).body.data;
  };

  test('is shown on the booking, kept in the audit trail, and tells no event', async () => {
    const id = await cancelledAndPaid();
    const [before, told] = [await desk.read(id), await desk.events()];
    world.clock.advance({ minutes: 1 });
    const done = await refund(id, 're_1');
    const now = await desk.read(id);
    assert.deepEqual(done, { booking: now, reference: 're_1', repeated: false });
    const { updated_at, refunded_at } = now;
    assert.deepEqual(now, { ...before, payment_status: 'refunded', updated_at, refunded_at });
    assert.deepEqual([before.refunded_at, refunded_at], [null, updated_at]);
    assert.notEqual(now.updated_at, before.updated_at);
    assert.deepEqual(await desk.events(), told);
    assert.deepEqual((await changesOf(world, desk.hostId)).at(-1), ['payment.refunded', id]);
  });

  test('takes the money out of the refunds to come; the line stays, worth nothing', async () => {
    const id = await cancelledAndPaid();
    const before = await report();
    assert.deepEqual(before.refunds_pending, { bookings: 1, amount: 100 });
    await refund(id);
    const after = await report();
    assert.deepEqual(after.refunds_pending, { bookings: 0, amount: 0 });
    assert.deepEqual(after.totals, { ...before.totals, refunded: 100 });
    assert.deepEqual(
      after.lines,
      before.lines.map((line) => ({
        ...line,
        payment_status: 'refunded',
        refunded_at: new Date(world.clock.now()).toISOString(),
      })),
    );
  });

  test('repeated, changes nothing and says so', async () => {
    const id = await cancelledAndPaid();
    await refund(id, 're_1');
    const [before, trail] = [await desk.read(id), await changesOf(world, desk.hostId)];
    for (const reference of ['re_1', null]) {
      const again = await refund(id, reference);
      assert.deepEqual([again.reference, again.repeated], ['re_1', true]);
    }
    assert.deepEqual(await desk.read(id), before);
    assert.deepEqual(await changesOf(world, desk.hostId), trail);
  });

  test('with another reference is refused', async () => {
    const id = await cancelledAndPaid();
    await refund(id, 're_1');
    await assert.rejects(refund(id, 're_2'), {
      message: `the payment of booking ${id} is already refunded, with the reference "re_1"`,
    });
  });

  test('is refused where there is nothing to give back, and nothing is written', async () => {
    const paid = await book();
    await payments.confirm(world.ctx, operator, paid.id, null);
    await assert.rejects(refund(paid.id, 're_1'), {
      message: `booking ${paid.id} is confirmed: only a cancelled booking's payment is refunded`,
    });
    await desk.cancel(paid.id);

    const unpaid = await book();
    await desk.cancel(unpaid.id);
    await assert.rejects(refund(unpaid.id), {
      message: `the payment of booking ${unpaid.id} is not confirmed: there is nothing to give back`,
    });

    const atHost = await book('host_settled');
    await desk.cancel(atHost.id);
    await assert.rejects(refund(atHost.id), {
      message: `booking ${atHost.id} is host_settled: its guest paid the host, who gives the money back`,
    });
    await assert.rejects(refund(ABSENT), { message: `there is no booking ${ABSENT}` });

    const rows = await world.rows(
      `select id from bookings where host_id = $1 and (refund_reference is not null or payment_status = 'refunded')`,
      [desk.hostId],
    );
    assert.deepEqual(rows, []);
  });

  test('of many at once is noted once and none fails', async () => {
    const id = await cancelledAndPaid();
    const all = await Promise.all(Array.from({ length: 6 }, () => refund(id, 're_1')));
    assert.equal(all.filter(({ repeated }) => !repeated).length, 1);
  });
});
