import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { putBooking } from '../../test/support/put-booking.ts';
import { useWorld } from '../../test/support/world.ts';
import * as forOperator from './for-operators.ts';

const ABSENT = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';

onBothEngines('the operator’s list of bookings', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  let other: Desk;
  /** As they were made. */
  let made: string[];

  before(async () => {
    desk = await openDesk(world);
    other = await openDesk(world, {}, { environment: 'sandbox' });
    made = [];
    for (const date of ['2027-06-03', '2027-06-01', '2027-06-02']) made.push((await desk.made({ date })).id);
    made.push((await desk.enter({ date: '2027-06-04' })).id);
    await desk.cancel(made[1]!);
    made.push((await other.made()).id);
  });

  const ids = async (filter: Partial<forOperator.OperatorFilter>) => {
    const listed = await forOperator.list(world.ctx, { limit: 50, ...filter });
    return listed.map(({ id }) => made.indexOf(id));
  };

  test('has those of all hosts, environments and sources, newest first', async () => {
    assert.deepEqual(await ids({}), [4, 3, 2, 1, 0]);
  });

  test('takes every filter, alone and together', async () => {
    assert.deepEqual(await ids({ host: desk.hostId }), [3, 2, 1, 0]);
    assert.deepEqual(await ids({ space: other.spaceId }), [4]);
    assert.deepEqual(await ids({ status: 'cancelled' }), [1]);
    assert.deepEqual(await ids({ from: '2027-06-02', to: '2027-06-03' }), [2, 0]);
    assert.deepEqual(await ids({ host: desk.hostId, status: 'confirmed', to: '2027-06-03' }), [2, 0]);
    assert.deepEqual(await ids({ host: ABSENT }), []);
    assert.deepEqual(await ids({ limit: 2 }), [4, 3]);
  });

  test('finds a guest page by page, from a year back on unless dates are given', async () => {
    const desk = await openDesk(world);
    const guest = { host_id: desk.hostId, space_id: desk.spaceId, guest_name: 'Zoë' };
    const old = await putBooking(world, { ...guest, date: '2025-01-01' });
    const now = await putBooking(world, { ...guest, date: '2027-06-01' });
    for (let i = 0; i < 5; i++) await desk.book({ start_hour: i, end_hour: i + 1, date: '2027-06-07' });
    const found = async (filter: Partial<forOperator.OperatorFilter>) => {
      const listed = await forOperator.list(world.ctx, { guest: 'ZOE', limit: 2, ...filter });
      return listed.map(({ id }) => id);
    };
    assert.deepEqual(await found({}), [now]);
    assert.deepEqual(await found({ to: '9999-12-31' }), [now, old]);
    assert.deepEqual(await found({ host: other.hostId }), []);
  });

  test('lists changes in their order', async () => {
    world.clock.advance({ seconds: 1 });
    const since = world.clock.now();
    const desk = await openDesk(world);
    const id = (await desk.made()).id;
    world.clock.advance({ seconds: 1 });
    const later = (await desk.made({ start_hour: 14, end_hour: 15 })).id;
    world.clock.advance({ seconds: 1 });
    await desk.cancel(id);
    const ofDesk = { host: desk.hostId, limit: 10 };
    const changes = await forOperator.listChanges(world.ctx, ofDesk, since);
    assert.deepEqual(
      changes.map((booking) => booking.id),
      [later, id],
    );
    const ofOther = { host: other.hostId, limit: 10 };
    assert.deepEqual(await forOperator.listChanges(world.ctx, ofOther, since), []);
  });

  test('shows the record of the API, with whose it is and the references', async () => {
    const [shown] = await forOperator.list(world.ctx, { host: other.hostId, limit: 1 });
    const record = {
      ...(await other.read(made[4]!)),
      host_id: other.hostId,
      environment: 'sandbox',
      payment_reference: null,
      refund_reference: null,
      commission_rate: 0.1,
      commission: 10,
      net: 90,
    };
    assert.deepEqual(shown, record);
    assert.deepEqual(await forOperator.show(world.ctx, made[4]!), record);
  });
});
