import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import * as fc from 'fast-check';
import * as bookings from '../bookings/bookings.ts';
import { commissionOf } from '../money/commission.ts';
import { monthsUpTo } from '../time/month.ts';
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
const NOTHING = { bookings: 0, hours: 0, gross: 0, commission: 0, net: 0 };
/** One hour at 50 USD, ten per cent of it the platform's. */
const HOUR = { bookings: 1, hours: 1, gross: 50, commission: 5, net: 45 };
const hours = (count: number) => ({
  bookings: count,
  hours: count,
  gross: 50 * count,
  commission: 5 * count,
  net: 45 * count,
});

/** Ids made within one millisecond sort by chance. */
const byId = <T extends { space_id: string }>(spaces: T[]): T[] =>
  spaces.sort((a, b) => (a.space_id < b.space_id ? -1 : 1));

onBothEngines('GET earnings', (engine) => {
  const world = useWorld(engine);
  let hostId: string;
  let spaceId: string;
  let key: string;

  beforeEach(async () => {
    world.clock.set('2027-01-10T12:00:00Z');
    await newHost();
  });

  async function newHost(overrides: Parameters<typeof world.addHost>[0] = {}): Promise<void> {
    hostId = await world.addHost(overrides);
    spaceId = await world.addSpace(hostId, { title: 'Loft' });
    key = (await world.addKey(hostId)).key;
  }

  async function book(date: string, hour = 10, source: 'api' | 'platform' = 'api', space = spaceId) {
    const owner = { hostId, environment: 'production', actor: operator } as const;
    const request = bookings.toRequest({
      space_id: space,
      date,
      start_hour: hour,
      end_hour: hour + 1,
      guest_email: 'ada@example.com',
      guest_name: 'Ada Miller',
    });
    return (await bookings.create(world.ctx, owner, request, source)).booking.id;
  }

  /** The clock moves on and does its work. */
  async function passTo(instant: string): Promise<void> {
    world.clock.set(instant);
    while ((await bookings.completeDue(world.ctx)).more);
  }

  async function read(callerKey = key) {
    const answer = await world.call('GET', EARNINGS, { key: callerKey });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  }

  test('a host who has earned nothing yet has twelve empty months and every space', async () => {
    const inactive = await world.addSpace(hostId, { title: 'Attic', is_active: false });
    const answer = await world.call('GET', EARNINGS, { key });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, {
      success: true,
      data: {
        currency: 'USD',
        lifetime: NOTHING,
        this_month: NOTHING,
        last_month: NOTHING,
        upcoming: NOTHING,
        by_month: monthsUpTo('2027-01', 12).map((month) => ({ month, ...NOTHING })),
        by_space: byId([
          { space_id: spaceId, title: 'Loft', ...NOTHING },
          { space_id: inactive, title: 'Attic', ...NOTHING },
        ]),
      },
    });
  });

  test('what is confirmed is upcoming, and earned once it is completed', async () => {
    await book('2027-01-12');
    const before = await read();
    assert.deepEqual([before.upcoming, before.lifetime, before.this_month], [HOUR, NOTHING, NOTHING]);
    await passTo('2027-01-13T12:00:00Z');
    const after = await read();
    assert.deepEqual([after.upcoming, after.lifetime, after.this_month], [NOTHING, HOUR, HOUR]);
  });

  test('months are kept apart: this one, the last one, and the twelve up to now', async () => {
    await book('2027-01-12');
    await book('2027-02-12');
    await book('2027-02-13');
    await book('2027-03-30');
    await passTo('2027-03-05T12:00:00Z');
    const march = await read();
    assert.deepEqual([march.this_month, march.last_month], [NOTHING, hours(2)]);
    assert.deepEqual([march.lifetime, march.upcoming], [hours(3), HOUR]);
    assert.deepEqual(march.by_month.slice(-3), [
      { month: '2027-01', ...HOUR },
      { month: '2027-02', ...hours(2) },
      { month: '2027-03', ...NOTHING },
    ]);
    await passTo('2028-01-31T12:00:00Z');
    const later = await read();
    assert.equal(later.by_month[0]!.month, '2027-02');
    assert.deepEqual(later.lifetime, hours(4));
    const inTwelve = later.by_month.map(({ bookings }) => bookings);
    assert.deepEqual(inTwelve, [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  });

  test('bookings of the platform’s own site are earnings too, cancelled ones are not', async () => {
    await book('2027-01-12', 10, 'api');
    await book('2027-01-12', 11, 'platform');
    const cancelled = await book('2027-01-12', 12);
    await bookings.cancel(
      world.ctx,
      { hostId, environment: 'production', actor: operator },
      cancelled,
      'Ill',
    );
    assert.deepEqual((await read()).upcoming, hours(2));
    await passTo('2027-01-13T12:00:00Z');
    assert.deepEqual((await read()).lifetime, hours(2));
  });

  test('each space has its own sum, spaces without earnings too', async () => {
    const second = await world.addSpace(hostId, { title: 'Attic' });
    const third = await world.addSpace(hostId, { title: 'Cellar' });
    await book('2027-01-12');
    await book('2027-02-12');
    await book('2027-01-12', 10, 'api', third);
    await passTo('2027-03-01T12:00:00Z');
    assert.deepEqual(
      (await read()).by_space,
      byId([
        { space_id: spaceId, title: 'Loft', ...hours(2) },
        { space_id: second, title: 'Attic', ...NOTHING },
        { space_id: third, title: 'Cellar', ...HOUR },
      ]),
    );
  });

  test('the present month is that of the host’s timezone, a booking’s that of its own date', async () => {
    await newHost({ timezone: 'Pacific/Pago_Pago' });
    const east = await world.addSpace(hostId, { timezone: 'Pacific/Kiritimati' });
    await book('2027-01-31', 23, 'api', east);
    await book('2027-02-01', 0, 'api', east);
    // February has begun on Kiritimati, on Pago Pago it is the 30th of January.
    await passTo('2027-01-31T11:00:00Z');
    const data = await read();
    assert.equal(data.by_month.at(-1)!.month, '2027-01');
    assert.deepEqual([data.this_month, data.lifetime], [HOUR, hours(2)]);
    await passTo('2027-02-01T11:00:00Z');
    const later = await read();
    assert.deepEqual([later.this_month, later.last_month], [HOUR, HOUR]);
  });

  test('however many workers complete, a booking is earned once', async () => {
    for (let hour = 0; hour < 8; hour++) await book('2027-01-12', hour);
    world.clock.set('2027-01-13T12:00:00Z');
    await Promise.all(Array.from({ length: 6 }, () => bookings.completeDue(world.ctx)));
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
