import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as payouts from '../../src/books/payouts.ts';
import * as payments from '../../src/payments/payments.ts';
import { openDesk, type Desk } from './booking.ts';
import { turnMonth } from './books.ts';
import { operator } from './operator.ts';
import type { World } from './world.ts';

const page = readFileSync(new URL('../../docs/guides/money.md', import.meta.url), 'utf8');

/** The worked example of docs/guides/money.md. */
export const example = page.slice(
  page.indexOf('## A worked example'),
  page.indexOf('## The earnings summary'),
);

/** The rows of the example's table with this first heading, by heading. */
export function table(firstHeading: string): Record<string, string>[] {
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

/** Sets the clock, and does what the worker does then: completes bookings and closes months. */
export async function passTo(world: World, instant: string): Promise<void> {
  world.clock.set(instant);
  await turnMonth(world);
}

/** Does everything that the example says, from a clock in its first month on, until both of its months are closed. */
export async function playExample(world: World): Promise<Desk> {
  const price = Number(/costs ([\d.]+) EUR an hour/.exec(example)?.[1]);
  const percent = Number(/takes ([\d.]+) %/.exec(example)?.[1]);
  const desk = await openDesk(
    world,
    { currency: 'EUR', commission_rate: percent / 100 },
    { price_per_hour: price },
  );
  const ids = new Map<string, string>();
  for (const row of table('date')) {
    const made = await desk.book({
      date: row['date'],
      start_hour: Number(row['from']),
      end_hour: Number(row['to']),
      settlement_mode: row['mode'],
    });
    assert.equal(made.status, 200, made.text);
    const { id } = made.body.data.booking;
    ids.set(row['date']!, id);
    for (const step of row['what happens']!.split(', ')) {
      if (step === 'paid') await payments.confirm(world.ctx, operator, id, null);
      if (step === 'cancelled') assert.equal((await desk.cancel(id)).status, 200);
    }
  }
  const owner = { hostId: desk.hostId, environment: 'production' } as const;
  for (const row of table('on')) {
    await passTo(world, `${row['on']}T12:00:00Z`);
    const id = ids.get(row['booking of']!)!;
    if (row['kind'] === 'payout')
      await payouts.record(world.ctx, operator, owner, { amount: row['amount']!, reference: 'SEPA 4711' });
    else if (row['kind'] === 'refunded') await payments.refund(world.ctx, operator, id, null);
    else await payments.confirm(world.ctx, operator, id, null);
  }
  await passTo(world, '2027-05-01T12:00:00Z');
  return desk;
}
