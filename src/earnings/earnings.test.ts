import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import * as fc from 'fast-check';
import { completeDue } from '../bookings/by-clock.ts';
import { commissionOf } from '../money/commission.ts';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { counting } from '../../test/support/counting.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { insertManyBookings } from '../../test/support/many-bookings.ts';
import { putBooking } from '../../test/support/put-booking.ts';
import { useWorld } from '../../test/support/world.ts';
import { longReads } from '../db/long-reads.ts';
import * as earnings from './earnings.ts';
import { ALL_MONTHS } from './sql.ts';
import { operator } from '../../test/support/operator.ts';

const EARNINGS = '/api-earnings/api/v1/earnings';
/** So many hours at 50 USD, ten per cent of it the platform's. */
const hours = (count: number) => ({
  bookings: count,
  hours: count,
  gross: 50 * count,
  commission: 5 * count,
  net: 45 * count,
});

onBothEngines('GET earnings', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  let hostId: string;
  let spaceId: string;

  beforeEach(async () => {
    world.clock.set('2027-01-10T12:00:00Z');
    desk = await openDesk(world);
    ({ hostId, spaceId } = desk);
  });

  async function read() {
    const answer = await world.call('GET', EARNINGS, { key: desk.key });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  }

  test('however many workers complete, a booking is earned once', async () => {
    for (let hour = 0; hour < 8; hour++)
      await desk.made({ date: '2027-01-12', start_hour: hour, end_hour: hour + 1 });
    world.clock.set('2027-01-13T12:00:00Z');
    await Promise.all(Array.from({ length: 6 }, () => completeDue(world.ctx)));
    assert.deepEqual((await read()).lifetime, hours(8));
  });

  test('upcoming commission is rounded in SQL as it is in code, whatever the price', async () => {
    const anyPrice = fc.oneof(fc.nat(1_000_000), fc.integer({ min: 0, max: 100_000_000_000_000 }));
    const given = fc.sample(fc.record({ price: anyPrice, rate: fc.nat(1_000_000) }), 50);
    for (const { price, rate } of given) {
      await putBooking(world, {
        host_id: hostId,
        space_id: spaceId,
        date: '2027-02-01',
        total_price: price,
        commission_millionths: rate,
      });
    }
    const commission = given.reduce((sum, { price, rate }) => sum + commissionOf(price, rate), 0);
    assert.equal((await read()).upcoming.commission, commission / 100);
  });

  test('more upcoming bookings than one step adds up are all there', async () => {
    await world.addSpace(hostId);
    const days = Array.from({ length: 28 }, (_, i) => `2027-02-${String(i + 1).padStart(2, '0')}`);
    const many = { hostId, environment: 'production', days, perDay: 24, today: '2027-01-01' } as const;
    await insertManyBookings(world.ctx.db, many);
    const sum = await world.row<{ bookings: number; gross: number }>(
      `select count(*) as bookings, cast(sum(total_price) as bigint) as gross
       from bookings where host_id = $1 and status = 'confirmed'`,
      [hostId],
    );
    assert.ok(sum.bookings > 1000);
    const { upcoming } = await read();
    assert.deepEqual([upcoming.bookings, upcoming.gross], [sum.bookings, sum.gross / 100]);
  });

  test('spaces are read forty at a time, and all of them count', async () => {
    const caller = { hostId, environment: 'production', actor: operator } as const;
    const count = async () => {
      const counted = counting(world.ctx);
      await earnings.summary(counted.ctx, caller, longReads.begin(hostId, new AbortController().signal));
      return counted.statements();
    };
    assert.equal(await count(), 4);
    for (let i = 0; i < 79; i++) await world.addSpace(hostId);
    assert.equal(await count(), 4 + 2);
    await world.addSpace(hostId);
    for (const month of [ALL_MONTHS, '2026-12', '2027-01'])
      await world.write(
        `insert into monthly_earnings (host_id, environment, space_id, month, bookings, hours, gross, commission)
        select host_id, environment, id, '${month}', 1, 1, 5000, 500 from spaces where host_id = $1`,
        [hostId],
      );
    const data = await read();
    assert.deepEqual(data.lifetime, hours(81));
    assert.deepEqual([data.last_month, data.this_month], [hours(81), hours(81)]);
    assert.equal(new Set(data.by_space.map(({ space_id }) => space_id)).size, 81);
  });
});
