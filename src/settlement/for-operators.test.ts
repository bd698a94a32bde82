import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { insertManyBookings } from '../../test/support/many-bookings.ts';
import { putBooking } from '../../test/support/put-booking.ts';
import { useWorld } from '../../test/support/world.ts';
import { datesFrom } from '../time/dates.ts';
import { ofHosts } from './for-operators.ts';

const MONTH = '2027-02';

onBothEngines('the settlement of all hosts', (engine) => {
  const world = useWorld(engine);

  test('has every host by name, those without bookings too, and each as its own report says', async () => {
    const desks = [
      await openDesk(world, { name: 'Zoe' }, { price_per_hour: 49.99 }),
      await openDesk(world, { name: 'Ada' }, { price_per_hour: 70.01 }),
      await openDesk(world, { name: 'Bob', currency: 'KRW' }),
    ];
    // More than a page of them, from before the month to after it.
    const many = { days: datesFrom('2027-01-25', 40)!, perDay: 6, today: '2027-02-20' };
    for (const { hostId } of desks.slice(0, 2))
      await insertManyBookings(world.ctx.db, { ...many, hostId, environment: 'production' });
    const all = await ofHosts(world.ctx, MONTH, { withLines: true });
    assert.deepEqual(
      all.map(({ host_name, currency, totals }) => [host_name, currency, totals.bookings > 100]),
      [
        ['Ada', 'USD', true],
        ['Bob', 'KRW', false],
        ['Zoe', 'USD', true],
      ],
    );
    for (const { host_id, host_name, ...settled } of all) {
      const { key } = desks.find(({ hostId }) => hostId === host_id)!;
      const path = `/api-settlement-report/api/v1/settlement/report?month=${MONTH}`;
      assert.deepEqual(settled, (await world.call('GET', path, { key })).body.data, host_name);
    }
  });

  test('is of production alone', async () => {
    const { hostId, spaceId } = await openDesk(world, {}, { environment: 'sandbox' });
    const owner = { host_id: hostId, space_id: spaceId, environment: 'sandbox' } as const;
    await putBooking(world, { ...owner, date: '2027-02-03' });
    const settled = await ofHosts(world.ctx, MONTH, { hostId });
    assert.deepEqual(
      settled.map(({ host_id, totals }) => [host_id, totals.bookings]),
      [[hostId, 0]],
    );
  });
});
