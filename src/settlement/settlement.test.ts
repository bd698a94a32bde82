import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { turnMonth } from '../../test/support/books.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';
import { closeDue } from './closing.ts';

const REPORT = '/api-settlement-report/api/v1/settlement/report';

onBothEngines('GET settlement report', (engine) => {
  const world = useWorld(engine);

  async function newHost(timezones: string[]): Promise<string> {
    const hostId = await world.addHost();
    for (const timezone of timezones) await world.addSpace(hostId, { timezone });
    return (await world.addKey(hostId)).key;
  }

  async function status(key: string, month: string): Promise<string> {
    await turnMonth(world);
    return (await world.call('GET', `${REPORT}?month=${month}`, { key })).body.data.status;
  }

  test('anything but an existing month in four and two digits is 422', async () => {
    const { key } = await world.addKey(await world.addHost());
    for (const month of ['2027-13', '2027-00', '2027-3', '2027-03-01', 'March', '', '0000-05']) {
      const answer = await world.call('GET', `${REPORT}?month=${month}`, { key });
      const { details } = refused(answer, 422, 'VALIDATION_ERROR');
      assert.deepEqual(details, [{ field: 'month', message: 'must be a month in the form YYYY-MM' }]);
    }
  });

  test('a month is open until it has ended in the last of the host’s timezones', async () => {
    world.clock.set('2027-04-20T12:00:00Z');
    const east = await newHost(['Pacific/Kiritimati']);
    const both = await newHost(['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Pacific/Kiritimati']);
    world.clock.set('2027-04-30T09:59:59.999Z');
    assert.equal(await status(east, '2027-04'), 'open');
    world.clock.set('2027-04-30T10:00:00Z');
    assert.equal(await status(east, '2027-04'), 'closed');
    assert.equal(await status(both, '2027-04'), 'open');
    world.clock.set('2027-05-01T10:59:59.999Z');
    assert.equal(await status(both, '2027-04'), 'open');
    world.clock.set('2027-05-01T11:00:00Z');
    assert.equal(await status(both, '2027-04'), 'closed');
  });
});

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
    const answer = await world.call('GET', `${REPORT}?month=${month}`, { key: desk.key });
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
