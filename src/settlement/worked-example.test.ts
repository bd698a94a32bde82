import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../test/support/engines.ts';
import { example, playExample, table } from '../../test/support/worked-example.ts';
import { useWorld } from '../../test/support/world.ts';
import type { SettlementReport } from './schemas.ts';

const MONTHS = ['2027-03', '2027-04'] as const;

onBothEngines('the worked example of docs/guides/money.md', (engine) => {
  const world = useWorld(engine);

  test('has the numbers that the reports give', async () => {
    const { key } = await playExample(world);
    const reports: SettlementReport[] = await Promise.all(
      MONTHS.map(async (month) => {
        const path = `/api-settlement-report/api/v1/settlement/report?month=${month}`;
        return (await world.call('GET', path, { key })).body.data;
      }),
    );
    const [, april] = reports;
    assert.deepEqual(
      reports.map(({ status }) => status),
      ['closed', 'closed'],
    );
    const money = ({ date, gross, commission, net }: Record<string, unknown>) => [
      date,
      ...[gross, commission, net].map(Number),
    ];
    assert.deepEqual(
      reports.flatMap(({ lines }) => lines.map(money)),
      table('date')
        .filter((row) => row['gross'] !== '')
        .map(money),
    );
    for (const [index, name] of ['March', 'April'].entries()) {
      const { totals, opening_balance, closing_balance, payouts, refunds_pending } = reports[index]!;
      const found: Record<string, number> = {
        ...totals,
        opening_balance,
        payouts: payouts.reduce((sum, { amount }) => sum + amount, 0),
        closing_balance,
        'refunds_pending.bookings': refunds_pending.bookings,
        'refunds_pending.amount': refunds_pending.amount,
      };
      assert.deepEqual(
        table('field').map((row) => [row['field'], found[row['field']!]]),
        table('field').map((row) => [row['field'], Number(row[name])]),
      );
    }
    const dates = new Map(reports[0]!.lines.map(({ booking_id, date }) => [booking_id, date]));
    assert.deepEqual(
      [
        ...april!.payouts.map((each) => [each.paid_on, 'payout', '', each.amount]),
        ...april!.adjustments.map((each) => [
          each.recorded_at.slice(0, 10),
          each.kind,
          dates.get(each.booking_id),
          each.payout_due - each.commission_due,
        ]),
      ],
      table('on').map((row) => [row['on'], row['kind'], row['booking of'], Number(row['amount'])]),
    );
  });
});

test('the prose of the worked example says what its tables say', () => {
  const words = example.replaceAll('\n', ' ');
  const of = (name: string, month: string) => table('field').find((row) => row['field'] === name)?.[month];
  for (const text of [
    `owes the host ${of('closing_balance', 'March')} EUR (${of('payout_due', 'March')} for the paid booking, less ${of('commission_due', 'March')} commission)`,
    `adds ${of('adjustments', 'April')} to April`,
    `shows ${of('refunds_pending.amount', 'March')} EUR to refund`,
  ])
    assert.ok(words.includes(text), text);
});
