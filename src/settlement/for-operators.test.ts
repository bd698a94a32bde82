import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { insertManyBookings } from '../../test/support/many-bookings.ts';
import { putBooking } from '../../test/support/put-booking.ts';
import { useWorld } from '../../test/support/world.ts';
import { ofHosts } from './for-operators.ts';
import { datesFrom } from '../time/dates.ts';

const REPORT = '/api-settlement-report/api/v1/settlement/report';
const MONTH = '2027-02';
const DAYS = datesFrom('2027-01-25', 40)!;

onBothEngines('the settlement of all hosts', (engine) => {
  const world = useWorld(engine);
  const keys = new Map<string, string>();

  before(async () => {
    for (const name of ['Zoe', 'Ada', 'Mia']) {
      const hostId = await world.addHost({ name });
      for (const price of [49.99, 70.01]) await world.addSpace(hostId, { price_per_hour: price });
      await insertManyBookings(world.ctx.db, {
        hostId,
        environment: 'production',
        days: DAYS,
        perDay: 6,
        today: '2027-02-20',
      });
      keys.set(hostId, (await world.addKey(hostId)).key);
    }
    keys.set((await openDesk(world, { name: 'Bob', currency: 'KRW' })).hostId, '');
  });

  test('has every host by name, those without bookings too, and each as its own report says', async () => {
    const all = await ofHosts(world.ctx, MONTH, { withLines: true });
    assert.deepEqual(
      all.map(({ host_name }) => host_name),
      ['Ada', 'Bob', 'Mia', 'Zoe'],
    );
    for (const { host_id, host_name, ...settled } of all) {
      const key = keys.get(host_id) || (await world.addKey(host_id)).key;
      const report = await world.call('GET', `${REPORT}?month=${MONTH}`, { key });
      assert.deepEqual(settled, report.body.data, host_name);
    }
    const [, bob] = all;
    assert.deepEqual([bob?.currency, bob?.totals.bookings, bob?.totals.balance], ['KRW', 0, 0]);
  });

  test('is of one host when asked, of production alone, and tells open from closed', async () => {
    const hostId = await world.addHost({ name: 'Sam' });
    const spaceId = await world.addSpace(hostId, { environment: 'sandbox' });
    const booking = {
      host_id: hostId,
      space_id: spaceId,
      environment: 'sandbox',
      date: '2027-02-03',
    } as const;
    await putBooking(world, booking);
    const [one, ...others] = await ofHosts(world.ctx, MONTH, { hostId });
    assert.deepEqual(others, []);
    assert.deepEqual([one?.host_id, one?.totals.bookings, one?.status], [hostId, 0, 'closed']);
    assert.equal((await ofHosts(world.ctx, '2027-03', { hostId }))[0]?.status, 'open');
    const absent = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';
    await assert.rejects(ofHosts(world.ctx, MONTH, { hostId: absent }), {
      message: `there is no host ${absent}`,
    });
  });
});
