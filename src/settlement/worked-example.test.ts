import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as payments from '../payments/payments.ts';
import { bookingBody, CREATE } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';
import { operator } from '../../test/support/operator.ts';

const page = readFileSync(new URL('../../docs/guides/money.md', import.meta.url), 'utf8');
const example = page.slice(page.indexOf('## A worked example'), page.indexOf('## The earnings summary'));

/** The rows of the example's table with this first heading, by heading. */
function table(firstHeading: string): Record<string, string>[] {
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const lines = example
    .slice(example.indexOf(`| ${firstHeading} `))
    .split('\n\n')[0]!
    .trim()
    .split('\n');
  const headings = cells(lines[0]!);
  return lines.slice(2).map((line) => Object.fromEntries(cells(line).map((cell, i) => [headings[i]!, cell])));
}

onBothEngines('the worked example of docs/guides/money.md', (engine) => {
  const world = useWorld(engine);

  test('has the numbers that the report gives', async () => {
    const price = Number(/costs ([\d.]+) EUR an hour/.exec(example)?.[1]);
    const percent = Number(/takes ([\d.]+) %/.exec(example)?.[1]);
    const hostId = await world.addHost({ currency: 'EUR', commission_rate: percent / 100 });
    const spaceId = await world.addSpace(hostId, { price_per_hour: price });
    const { key } = await world.addKey(hostId);
    for (const row of table('date')) {
      const body = bookingBody(spaceId, {
        date: row['date'],
        start_hour: Number(row['from']),
        end_hour: Number(row['to']),
        settlement_mode: row['mode'],
      });
      const made = await world.call('POST', CREATE, { key, body });
      assert.equal(made.status, 200, made.text);
      const { id } = made.body.data.booking;
      const path = `/api-cancel-booking/api/v1/bookings/${id}/cancel`;
      for (const step of row['what happens']!.split(', ')) {
        if (step === 'paid') await payments.confirm(world.ctx, operator, id, null);
        if (step === 'cancelled') await world.call('POST', path, { key, body: { reason: 'Ill' } });
      }
    }

    const path = '/api-settlement-report/api/v1/settlement/report?month=2027-03';
    const { data } = (await world.call('GET', path, { key })).body;
    const money = ({ date, gross, commission, net }: Record<string, unknown>) => [
      date,
      ...[gross, commission, net].map(Number),
    ];
    assert.deepEqual(
      data.lines.map(money),
      table('date')
        .filter((row) => row['gross'] !== '')
        .map(money),
    );
    const totals = Object.fromEntries(table('total').map((row) => [row['total'], Number(row['amount'])]));
    assert.deepEqual(
      {
        ...data.totals,
        'refunds_pending.bookings': data.refunds_pending.bookings,
        'refunds_pending.amount': data.refunds_pending.amount,
      },
      totals,
    );
    assert.deepEqual(
      data.by_settlement_mode,
      table('settlement_mode').map(({ settlement_mode, ...sums }) => ({
        settlement_mode,
        ...Object.fromEntries(Object.entries(sums).map(([name, value]) => [name, Number(value)])),
      })),
    );
  });
});

test('the prose of the worked example says what its tables say', () => {
  const total = (name: string) => table('total').find((row) => row['total'] === name)?.['amount'];
  assert.match(example, new RegExp(`transfers ${total('balance')} EUR to the host`));
  assert.match(example, new RegExp(`gives ${total('refunds_pending.amount')} EUR back`));
  assert.match(example, new RegExp(`\`payout_due\` grows by ${table('date')[2]!['net']}`));
  assert.match(example, new RegExp(`cent of ${total('gross')} would be`));
  assert.match(example, new RegExp(`The commission is ${total('commission')},`));
});
