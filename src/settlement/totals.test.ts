import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { toMinor } from '../money/currency.ts';
import type { SettledRow } from './sql.ts';
import { newTally, tallyBooking, toLine, toTotals } from './totals.ts';

const anyRow: fc.Arbitrary<SettledRow> = fc
  .record({
    hour: fc.nat(23),
    hours: fc.integer({ min: 1, max: 24 }),
    price: fc.oneof(fc.nat(1_000_000), fc.nat(10_000_000_000)),
    rate: fc.oneof(fc.constantFrom(0, 100_000, 1_000_000), fc.nat(1_000_000)),
    status: fc.constantFrom('confirmed', 'completed', 'cancelled'),
    payment: fc.constantFrom('host_collected', 'pending', 'confirmed'),
  })
  .map(({ hour, hours, price, rate, status, payment }) => ({
    id: 'b',
    space_id: 's',
    space_title: 'Room',
    status,
    counts: 1,
    date: '2027-03-01',
    start_hour: hour,
    end_hour: Math.min(24, hour + hours),
    total_price: price,
    commission_millionths: rate,
    settlement_mode: payment === 'host_collected' ? 'host_settled' : 'platform_settled',
    payment_status: payment,
    paid_at: null,
    refunded_at: null,
    as_closed: null,
  }));

for (const currency of ['KRW', 'USD', 'KWD']) {
  test(`lines add up to the totals to the last minor unit in ${currency}`, () => {
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 60 }), (rows) => {
        const tally = newTally();
        const lines = rows.flatMap((row) => {
          const counted = tallyBooking(tally, row);
          return counted === undefined ? [] : [toLine(row, counted, row.space_title, currency)];
        });
        const totals = toTotals(tally, 0, currency);
        const minor = (major: number) => {
          const amount = toMinor(Math.abs(major), currency);
          assert.ok(amount !== undefined, `${major} has more decimals than ${currency}`);
          return BigInt(Math.sign(major) * amount);
        };
        const sum = (of: typeof lines, field: 'gross' | 'commission' | 'net') =>
          of.reduce((total, line) => total + minor(line[field]), 0n);
        const hostSettled = lines.filter((line) => line.settlement_mode === 'host_settled');
        const paid = lines.filter((line) => line.payment_status === 'confirmed');

        for (const field of ['gross', 'commission', 'net'] as const) {
          assert.equal(minor(totals[field]), sum(lines, field));
        }
        assert.equal(totals.bookings, lines.filter((line) => line.status !== 'cancelled').length);
        assert.equal(totals.cancelled, rows.filter((row) => row.status === 'cancelled').length);
        assert.equal(
          totals.hours,
          lines.reduce((hours, line) => hours + line.hours, 0),
        );
        assert.equal(minor(totals.gross) - minor(totals.commission), minor(totals.net));
        assert.equal(minor(totals.host_collected), sum(hostSettled, 'gross'));
        assert.equal(minor(totals.commission_due), sum(hostSettled, 'commission'));
        assert.equal(minor(totals.platform_collected), sum(paid, 'gross'));
        assert.equal(minor(totals.payout_due), sum(paid, 'net'));
        assert.equal(minor(totals.balance), sum(paid, 'net') - sum(hostSettled, 'commission'));
      }),
    );
  });
}
