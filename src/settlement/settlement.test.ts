import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as payments from '../payments/payments.ts';
import { refused } from '../../test/support/answer.ts';
import { bookingBody, CREATE } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { putBooking } from '../../test/support/put-booking.ts';
import { useWorld } from '../../test/support/world.ts';
import { operator } from '../../test/support/operator.ts';

const REPORT = '/api-settlement-report/api/v1/settlement/report';
/** When the test's clock stands. */
const NOW = '2027-03-01T12:00:00.000Z';
const NOTHING = { bookings: 0, hours: 0, gross: 0, commission: 0, net: 0 };
const NOTHING_DUE = {
  ...NOTHING,
  cancelled: 0,
  host_collected: 0,
  platform_collected: 0,
  refunded: 0,
  commission_due: 0,
  payout_due: 0,
  adjustments: 0,
  balance: 0,
};

onBothEngines('GET settlement report', (engine) => {
  const world = useWorld(engine);
  let hostId: string;
  let spaceId: string;
  let key: string;

  // Each test has a host of its own; 35.05 USD an hour makes the commission of one hour 3.505, rounded 3.51.
  async function newHost(
    overrides: Parameters<typeof world.addHost>[0] = {},
    price_per_hour = 35.05,
  ): Promise<void> {
    hostId = await world.addHost(overrides);
    spaceId = await world.addSpace(hostId, { title: 'Loft', price_per_hour });
    key = (await world.addKey(hostId)).key;
  }

  async function book(fields: object = {}, bookingKey = key): Promise<string> {
    const body = bookingBody(spaceId, { date: '2027-03-18', start_hour: 10, end_hour: 11, ...fields });
    const answer = await world.call('POST', CREATE, { key: bookingKey, body });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data.booking.id;
  }

  async function cancel(bookingId: string): Promise<void> {
    const path = `/api-cancel-booking/api/v1/bookings/${bookingId}/cancel`;
    const answer = await world.call('POST', path, { key, body: { reason: 'Ill' } });
    assert.equal(answer.status, 200);
  }

  async function report(month = '2027-03', callerKey = key) {
    const answer = await world.call('GET', `${REPORT}?month=${month}`, { key: callerKey });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  }

  const line = (bookingId: string, fields: object = {}) => ({
    booking_id: bookingId,
    space_id: spaceId,
    space_title: 'Loft',
    date: '2027-03-18',
    start_hour: 10,
    end_hour: 11,
    hours: 1,
    status: 'confirmed',
    settlement_mode: 'host_settled',
    payment_status: 'host_collected',
    paid_at: null,
    refunded_at: null,
    gross: 35.05,
    commission_rate: 0.1,
    commission: 3.51,
    net: 31.54,
    ...fields,
  });

  test('a month without bookings is all zeros and names both modes', async () => {
    await newHost();
    const answer = await world.call('GET', `${REPORT}?month=2027-03`, { key });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.deepEqual(answer.body, {
      success: true,
      data: {
        month: '2027-03',
        currency: 'USD',
        status: 'open',
        closed_at: null,
        opening_balance: 0,
        adjustments: [],
        payouts: [],
        totals: NOTHING_DUE,
        by_settlement_mode: [
          { settlement_mode: 'host_settled', ...NOTHING },
          { settlement_mode: 'platform_settled', ...NOTHING },
        ],
        by_space: [],
        refunds_pending: { bookings: 0, amount: 0 },
        closing_balance: 0,
        lines: [],
      },
    });
  });

  test('on a host_settled booking the host owes the commission, rounded half up', async () => {
    await newHost();
    const id = await book();
    const data = await report();
    assert.deepEqual(data.lines, [line(id)]);
    const sums = { bookings: 1, hours: 1, gross: 35.05, commission: 3.51, net: 31.54 };
    assert.deepEqual(data.totals, {
      ...NOTHING_DUE,
      ...sums,
      host_collected: 35.05,
      commission_due: 3.51,
      balance: -3.51,
    });
    assert.deepEqual(data.by_settlement_mode[0], { settlement_mode: 'host_settled', ...sums });
  });

  test('a platform_settled booking owes nobody anything until its payment is confirmed', async () => {
    await newHost();
    const id = await book({ settlement_mode: 'platform_settled' });
    const sums = { bookings: 1, hours: 1, gross: 35.05, commission: 3.51, net: 31.54 };
    const pending = await report();
    assert.deepEqual(pending.lines, [
      line(id, { settlement_mode: 'platform_settled', payment_status: 'pending' }),
    ]);
    assert.deepEqual(pending.totals, { ...NOTHING_DUE, ...sums });

    await payments.confirm(world.ctx, operator, id, null);
    const confirmed = await report();
    assert.deepEqual(confirmed.lines, [
      line(id, { settlement_mode: 'platform_settled', payment_status: 'confirmed', paid_at: NOW }),
    ]);
    const due = { platform_collected: 35.05, payout_due: 31.54, balance: 31.54 };
    assert.deepEqual(confirmed.totals, { ...NOTHING_DUE, ...sums, ...due });
    assert.deepEqual(confirmed.by_settlement_mode[1], { settlement_mode: 'platform_settled', ...sums });
  });

  test('a cancelled booking that nobody paid the platform for is only counted', async () => {
    await newHost();
    await cancel(await book());
    await cancel(await book({ settlement_mode: 'platform_settled' }));
    const data = await report();
    assert.deepEqual(data.lines, []);
    assert.deepEqual(data.totals, { ...NOTHING_DUE, cancelled: 2 });
    assert.deepEqual(data.refunds_pending, { bookings: 0, amount: 0 });
  });

  test('a booking that was paid and then cancelled stays as a line worth nothing and a refund to come', async () => {
    await newHost();
    const id = await book({ settlement_mode: 'platform_settled' });
    await payments.confirm(world.ctx, operator, id, null);
    await cancel(id);
    const data = await report();
    const worthless = { status: 'cancelled', hours: 0, gross: 0, commission: 0, net: 0 };
    const paid = { settlement_mode: 'platform_settled', payment_status: 'confirmed', paid_at: NOW };
    assert.deepEqual(data.lines, [line(id, { ...worthless, ...paid })]);
    assert.deepEqual(data.totals, { ...NOTHING_DUE, cancelled: 1 });
    assert.deepEqual(data.refunds_pending, { bookings: 1, amount: 35.05 });
  });

  test('bookings of the platform’s own site are left out, cancelled ones too', async () => {
    await newHost();
    const owner = { host_id: hostId, space_id: spaceId, source: 'platform' as const };
    await putBooking(world, { ...owner, date: '2027-03-02' });
    await putBooking(world, { ...owner, date: '2027-03-03', status: 'cancelled' });
    const data = await report();
    assert.deepEqual(data.lines, []);
    assert.deepEqual(data.totals, NOTHING_DUE);
  });

  test('price and commission rate are those of the day the booking was made', async () => {
    await newHost({ commission_rate: 0.125 });
    const id = await book();
    await world.write('update hosts set commission_millionths = 500000 where id = $1', [hostId]);
    const path = `/api-listing-update/api/v1/spaces/${spaceId}`;
    await world.call('PATCH', path, { key, body: { price: 99, title: 'Attic' } });
    const data = await report();
    const expected = { space_title: 'Attic', commission_rate: 0.125, commission: 4.38, net: 30.67 };
    assert.deepEqual(data.lines, [line(id, expected)]);
  });

  test('lines are ordered by date, start hour and booking id', async () => {
    await newHost();
    const second = await world.addSpace(hostId);
    const made = [
      await book({ date: '2027-03-19', start_hour: 0, end_hour: 1 }),
      await book({ date: '2027-03-18', start_hour: 14, end_hour: 15 }),
      await book({ date: '2027-03-18', start_hour: 9, end_hour: 10 }),
      await book({ space_id: second, date: '2027-03-18', start_hour: 9, end_hour: 12 }),
    ];
    const ids = (await report()).lines.map(({ booking_id }) => booking_id);
    assert.deepEqual(ids, [...made.slice(2).sort(), made[1], made[0]]);
  });

  test('amounts have the decimals of the currency: none in KRW, three in KWD', async () => {
    await newHost({ currency: 'KRW' }, 3505);
    await book();
    const won = (await report()).totals;
    assert.deepEqual([won.gross, won.commission, won.net], [3505, 351, 3154]);
    await newHost({ currency: 'KWD' }, 3.505);
    await book();
    const dinar = (await report()).totals;
    assert.deepEqual([dinar.gross, dinar.commission, dinar.net], [3.505, 0.351, 3.154]);
  });

  test('anything but an existing month in four and two digits is 422', async () => {
    await newHost();
    for (const month of ['2027-13', '2027-00', '2027-3', '2027-03-01', 'March', '']) {
      const answer = await world.call('GET', `${REPORT}?month=${month}`, { key });
      const { details } = refused(answer, 422, 'VALIDATION_ERROR');
      assert.deepEqual(details, [{ field: 'month', message: 'must be a month in the form YYYY-MM' }]);
    }
  });

  test('HEAD answers with the same type and no body', async () => {
    await newHost();
    await book();
    const answer = await world.call('HEAD', `${REPORT}?month=2027-03`, { key });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(answer.text, '');
  });
});
