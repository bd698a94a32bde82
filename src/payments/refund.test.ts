import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
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
