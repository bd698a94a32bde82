import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { turnMonth } from '../../test/support/books.ts';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';
import { closeDue } from './closing.ts';

onBothEngines('a closed month', (engine) => {
  const world = useWorld(engine);
  const timezone = 'Asia/Tokyo';
  /** Its bookings are worth 200 USD, of which 20 are the platform's. */
  let desk: Desk;

  beforeEach(async () => {
    world.clock.set('2027-05-01T12:00:00Z');
    desk = await openDesk(world, { timezone }, { timezone, price_per_hour: 100 });
  });

  const report = async (month: string) => {
    const path = `/api-settlement-report/api/v1/settlement/report?month=${month}`;
    const answer = await world.call('GET', path, { key: desk.key });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  };

  test('is recorded once, however many processes close it', async () => {
    await desk.made({ date: '2027-05-10' });
    world.clock.set('2027-05-31T15:00:05Z');
    await Promise.all(Array.from({ length: 6 }, () => turnMonth(world)));
    const rows = await world.rows<{ month: string; closing_balance: number }>(
      `select month, closing_balance from closings where host_id = $1 and environment = 'production'`,
      [desk.hostId],
    );
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ month: '2027-05', closing_balance: -2000 }],
    );
  });

  test('gets no line from a booking that is made for one of its days after the clock was set back', async () => {
    world.clock.set('2027-06-01T12:00:00Z');
    await turnMonth(world);
    const closed = await report('2027-05');
    world.clock.set('2027-05-20T12:00:00Z');
    await desk.made({ date: '2027-05-25' });
    assert.deepEqual(await report('2027-05'), closed);
    assert.equal(closed.status, 'closed');
  });

  test('is open until its figures are added up, which whoever comes next does after a crash', async () => {
    await desk.made({ date: '2027-05-10' });
    world.clock.set('2027-05-31T15:00:05Z');
    await turnMonth(world);
    await world.write(
      `update closings set figures = null, closing_balance = null where host_id = $1 and environment = 'production'`,
      [desk.hostId],
    );
    const begun = await report('2027-05');
    assert.deepEqual([begun.status, begun.closed_at, begun.closing_balance], ['open', null, -20]);
    assert.equal((await report('2027-06')).opening_balance, -20);
    await closeDue(world.ctx, new AbortController().signal, async () => undefined);
    const closed = await report('2027-05');
    assert.deepEqual({ ...closed, status: 'open', closed_at: null }, begun);
    assert.equal(closed.status, 'closed');
  });

  test('of a host that is older than its books is closed as it is; balances begin with the first open one', async () => {
    for (const date of ['2027-05-10', '2027-07-10', '2027-08-20']) await desk.made({ date });
    // As the migration leaves it.
    await world.write(`insert into books (host_id, environment) values ($1, 'production')`, [desk.hostId]);
    world.clock.set('2027-08-01T12:00:00Z');
    await turnMonth(world);
    const seen: unknown[] = [];
    for (const month of ['2027-04', '2027-05', '2027-06', '2027-07', '2027-08']) {
      const { status, closed_at, opening_balance, totals, closing_balance } = await report(month);
      seen.push([status, closed_at, opening_balance, totals.balance, closing_balance]);
    }
    const now = '2027-08-01T12:00:00.000Z';
    assert.deepEqual(seen, [
      ['closed', null, 0, 0, 0],
      ['closed', now, 0, -20, -20],
      ['closed', null, 0, 0, 0],
      ['closed', now, 0, -20, -20],
      ['open', null, 0, -20, -20],
    ]);
  });
});
