import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { completeDue } from '../src/bookings/by-clock.ts';
import { readConfig } from '../src/config.ts';
import * as earnings from '../src/earnings/earnings.ts';
import { MAX_AMOUNT_MINOR } from '../src/money/currency.ts';
import { addDays } from '../src/time/dates.ts';
import { refused } from './support/answer.ts';
import { openDesk, type Desk } from './support/booking.ts';
import { onBothEngines } from './support/engines.ts';
import { useWorld } from './support/world.ts';

const EARNINGS = '/api-earnings/api/v1/earnings';
const REPORT = '/api-settlement-report/api/v1/settlement/report';
const DAYS = 60;
/** 24 hours at 999 999 999.99, so that a lost minor unit shows; ten per cent of it, rounded half up. */
const DAY_MINOR = 24n * BigInt(MAX_AMOUNT_MINOR - 1);
const DAY_COMMISSION = (DAY_MINOR + 5n) / 10n;
const major = (minor: bigint): number => Number(`${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`);
const sums = (days: number) => ({
  bookings: days,
  hours: 24 * days,
  gross: major(BigInt(days) * DAY_MINOR),
  commission: major(BigInt(days) * DAY_COMMISSION),
  net: major(BigInt(days) * (DAY_MINOR - DAY_COMMISSION)),
});

onBothEngines('the greatest price', (engine) => {
  const world = useWorld(engine, { BOOKING_MAX_VALUE: String(MAX_AMOUNT_MINOR) });
  const patch = ({ spaceId, key }: Desk, price: number) =>
    world.call('PATCH', `/api-listing-update/api/v1/spaces/${spaceId}`, { key, body: { price } });
  const read = async ({ key }: Desk, path: string) => {
    const answer = await world.call('GET', path, { key });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  };

  test('can be set, and a higher one is refused with the greatest in the message, in every currency', async () => {
    const cases: [currency: string, greatest: number, step: number][] = [
      ['USD', 1_000_000_000, 0.01],
      ['KRW', 100_000_000_000, 1],
      ['KWD', 100_000_000, 0.001],
    ];
    for (const [currency, greatest, step] of cases) {
      const desk = await openDesk(world, { currency });
      assert.equal((await patch(desk, greatest)).body.data.space.price_per_hour, greatest);
      for (const price of [greatest + step, 1e15, 1e300]) {
        const { details } = refused(await patch(desk, price), 422, 'VALIDATION_ERROR');
        assert.deepEqual(details, [{ field: 'price', message: `must be ${greatest} ${currency} or less` }]);
      }
    }
  });

  test('can be booked and adds up to the last minor unit, in earnings and in settlement', async () => {
    // Where no day has an hour more or less.
    const desk = await openDesk(world, {}, { timezone: 'Asia/Seoul' });
    assert.equal((await patch(desk, 999_999_999.99)).status, 200);
    for (let day = 0; day < DAYS; day++)
      await desk.enter({ date: addDays('2027-03-02', day), start_hour: 0, end_hour: 24 });
    assert.deepEqual((await read(desk, EARNINGS)).upcoming, sums(DAYS));
    world.clock.set('2027-06-01T12:00:00Z');
    while ((await completeDue(world.ctx)).more);
    const earned = await read(desk, EARNINGS);
    assert.deepEqual(earned.lifetime, sums(DAYS));
    assert.deepEqual(earned.last_month, sums(0));
    const [march, april] = [earned.by_month.at(-4), earned.by_month.at(-3)];
    assert.deepEqual(march, { month: '2027-03', ...sums(30) });
    assert.deepEqual(april, { month: '2027-04', ...sums(30) });
    const { total_price } = await desk.made({ date: '2027-06-02', end_hour: 11 });
    assert.equal(total_price, 999_999_999.99);
    const { totals } = await read(desk, `${REPORT}?month=2027-06`);
    assert.deepEqual(
      [totals.gross, totals.commission, totals.net],
      [999_999_999.99, 100_000_000, 899_999_999.99],
    );
  });

  test('is not what keeps earnings from being answered, even past 2^53 minor units', async () => {
    const desk = await openDesk(world);
    const completed = {
      host_id: desk.hostId,
      environment: 'production',
      space_id: desk.spaceId,
      date: '2027-05-01',
      start_hour: 0,
      end_hour: 24,
      total_price: 9_000_000_000_000_000,
      commission_millionths: 100_000,
    };
    for (let times = 0; times < 3; times++) {
      await world.ctx.db.transaction((tx) => earnings.addCompleted(tx, [completed]));
    }
    const { lifetime } = await read(desk, EARNINGS);
    assert.deepEqual([lifetime.bookings, lifetime.gross], [3, 270_000_000_000_000]);
  });
});

describe('the greatest maximum of a booking', () => {
  test('is as much as the greatest price, and a greater one stops the start with one line', () => {
    const read = (value: number) => readConfig({ BOOKING_MAX_VALUE: String(value) });
    assert.equal(read(MAX_AMOUNT_MINOR).bookingMaxValue, MAX_AMOUNT_MINOR);
    assert.throws(() => read(MAX_AMOUNT_MINOR + 1), {
      name: 'OperatorError',
      message: 'BOOKING_MAX_VALUE must be a whole number from 0 to 100000000000, not "100000000001"',
    });
  });
});
