import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { planOf } from '../../test/support/plan.ts';
import { tablesOf } from '../../test/support/tables.ts';
import { useWorld } from '../../test/support/world.ts';
import { insertHours } from '../hours/sql.ts';
import { forSqlite } from '../db/database.ts';
import { eraseKeys, selectBookings as selectOfGuest } from '../guests/sql.ts';
import * as sql from './sql.ts';

onBothEngines('query plans of bookings', (engine) => {
  const world = useWorld(engine);
  // Enough rows that an index is worth it. PostgreSQL is told their distribution, as its autovacuum would.
  before(async () => {
    const desk = await openDesk(world);
    await desk.book();
    const columns = (await tablesOf(world)).get('bookings')!;
    const changed: Record<string, string> = {
      id: "('00000000-0000-7000-8000-' || (100000000000 + n))::uuid",
      date: "('2027-01-' || (10 + n % 20))::date",
      guest_key: "'guest' || (n % 300) || '@example.com'",
      idempotency_key: 'null',
      reference: "'PMS-' || (n % 1000)",
      request_hash: 'null',
    };
    const values = columns.map((column) => changed[column] ?? column);
    const text = `
      insert into bookings (${columns.join(', ')})
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 3000)
      select ${values.join(', ')} from bookings, numbers`;
    await world.write(text);
    if (engine.name === 'postgres') await world.write('analyze bookings');
  });
  const plan = (text: string): Promise<string> => planOf(world, text);
  const SORTS = /-> +Sort|TEMP B-TREE/;

  const STATUSES = ['confirmed', 'completed', 'cancelled'] as const;
  const expected: [name: string, list: sql.List, index: string][] = [
    ['no filter', sql.byDate('host'), 'bookings_by_host'],
    ['space', sql.byDate('space'), 'bookings_by_space'],
    ['reference', sql.byDate('reference'), 'bookings_by_reference'],
    ['two statuses', sql.byDate('host', ['confirmed', 'completed']), 'bookings_by_host'],
    ...STATUSES.flatMap((status): typeof expected => [
      [`status ${status}`, sql.byDate('host', [status]), 'bookings_by_host'],
      [`space and status ${status}`, sql.byDate('space', [status]), 'bookings_by_space'],
      [`reference and status ${status}`, sql.byDate('reference', [status]), 'bookings_by_reference'],
    ]),
    ['updated_since', sql.byChange, 'bookings_by_change'],
  ];
  for (const [name, list, index] of expected) {
    test(`the list with ${name} walks its index in order, without a sort or a scan`, async () => {
      const page = await plan(list.page.statement.text);
      assert.match(page, new RegExp(`\\b${index}\\b`), page);
      assert.doesNotMatch(page, /\bSCAN\b|Seq Scan/, page);
      assert.doesNotMatch(page, SORTS, page);
      const count = await plan(list.count.statement.text);
      assert.match(count, new RegExp(`\\b${index}\\b`), count);
      assert.doesNotMatch(count, /SCAN bookings|Seq Scan/, count);
      const skip = await plan(list.skip.statement.text);
      assert.match(skip, /Index Only Scan|COVERING INDEX/, skip);
      assert.doesNotMatch(skip, /\bSCAN\b|Seq Scan/, skip);
      assert.doesNotMatch(skip, SORTS, skip);
    });

    if (list === sql.byChange) continue;
    test(`the list with ${name} passes over no booking of another status, and counts in the index alone`, async () => {
      const page = await plan(list.page.statement.text);
      const count = await plan(list.count.statement.text);
      for (const shown of [page, count]) {
        const parts = shown.split('\n').filter((line) => /Index Cond:.*date|SEARCH bookings/.test(line));
        assert.ok(parts.length > 0 && parts.every((line) => /\bstatus ?=/.test(line)), shown);
      }
      assert.match(count, /Index Only Scan|COVERING INDEX/, count);
    });
  }

  test('detail, replay, velocity and cancellation use an index', async () => {
    const cases: [text: string, index: RegExp][] = [
      [sql.selectBooking.text, /bookings_pkey|sqlite_autoindex_bookings_1/],
      [sql.selectBookingByKey.text, /bookings_by_idempotency_key/],
      [sql.selectTerms.text, /bookings_by_idempotency_key/],
      [sql.isWithinVelocity.text, /bookings_by_guest/],
      [sql.cancelBooking.api.text, /bookings_pkey|sqlite_autoindex_bookings_1/],
    ];
    for (const [text, index] of cases) {
      const shown = await plan(text);
      assert.match(shown, index, shown);
      assert.doesNotMatch(shown, /\bSCAN\b|Seq Scan/, shown);
    }
  });

  test('the bookings of a guest who is exported or erased come from an index', async () => {
    for (const { text } of [selectOfGuest, eraseKeys]) {
      const shown = await plan(text);
      assert.match(shown, /bookings_by_guest/, shown);
      assert.doesNotMatch(shown, /Seq Scan on bookings|SCAN b\b|SCAN bookings/, shown);
    }
  });

  test('what the clock has to complete comes from the index of what is due', async () => {
    assert.match(await plan(sql.selectEnded.text), /bookings_due/);
    const shown = await plan(sql.complete.text);
    assert.doesNotMatch(shown, /bookings_due|Seq Scan on bookings|SCAN bookings/, shown);
  });

  test('what the clock has to cancel comes from the index of what is not paid, oldest first', async () => {
    for (const { text } of [sql.selectUnpaid, sql.countUnpaid]) {
      const shown = await plan(text);
      assert.match(shown, /bookings_unpaid/, shown);
      assert.doesNotMatch(shown, SORTS, shown);
    }
    const shown = await plan(sql.cancelUnpaid.text);
    assert.doesNotMatch(shown, /bookings_unpaid|Seq Scan on bookings|SCAN bookings/, shown);
  });

  if (engine.name === 'sqlite') {
    test('no temporary table is made to write a booking', async () => {
      for (const { text } of [sql.insertBooking, ...insertHours]) {
        const program = await world.rows<{ opcode: string }>(`explain ${forSqlite({ text })}`);
        assert.ok(program.length > 20);
        assert.deepEqual(
          program.filter(({ opcode }) => opcode === 'OpenEphemeral'),
          [],
        );
      }
    });
  }
});
