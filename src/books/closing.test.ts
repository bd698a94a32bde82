import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { turnMonth } from '../../test/support/books.ts';
import { bookingBody, CREATE } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { useWorld } from '../../test/support/world.ts';
import * as payments from '../payments/payments.ts';
import { update as updateSpace } from '../spaces/update.ts';
import { closeDue } from './closing.ts';
import * as payouts from './payouts.ts';

const REPORT = '/api-settlement-report/api/v1/settlement/report';

onBothEngines('a closed month', (engine) => {
  const world = useWorld(engine);
  let hostId: string;
  let tokyo: string;
  let key: string;

  beforeEach(async () => {
    world.clock.set('2027-05-01T12:00:00Z');
    hostId = await world.addHost({ timezone: 'Asia/Tokyo' });
    tokyo = await world.addSpace(hostId, { title: 'Loft', timezone: 'Asia/Tokyo', price_per_hour: 100 });
    ({ key } = await world.addKey(hostId));
  });

  async function book(date: string, fields: object = {}, start_hour = 10): Promise<string> {
    const body = bookingBody(tokyo, { date, start_hour, end_hour: start_hour + 1, ...fields });
    const answer = await world.call('POST', CREATE, { key, body });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data.booking.id;
  }
  const platform = { settlement_mode: 'platform_settled' };
  const confirm = (id: string) => payments.confirm(world.ctx, operator, id, null);
  const report = async (month: string) => {
    const answer = await world.call('GET', `${REPORT}?month=${month}`, { key });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  };
  /** Everything that a month turns on: 5 s into June where the space is. */
  const closeMay = async () => {
    world.clock.set('2027-05-31T15:00:05Z');
    await turnMonth(world);
  };
  const pay = (amount: string, reference: string | null = null) =>
    payouts.record(world.ctx, operator, { hostId, environment: 'production' }, { amount, reference });

  test('answers the same for ever, whatever happens to spaces, bookings and payments', async () => {
    const paid = await book('2027-05-10', platform);
    const unpaid = await book('2027-05-11', platform);
    const refundable = await book('2027-05-12', platform);
    await book('2027-05-13');
    await confirm(paid);
    await confirm(refundable);
    const path = `/api-cancel-booking/api/v1/bookings/${refundable}/cancel`;
    assert.equal((await world.call('POST', path, { key, body: { reason: 'Ill' } })).status, 200);
    await closeMay();
    const closed = await report('2027-05');
    assert.deepEqual(
      [closed.status, closed.closed_at, closed.totals.balance, closed.closing_balance],
      ['closed', '2027-05-31T15:00:05.000Z', 80, 80],
    );

    const newYork = await world.addSpace(hostId, { title: 'Annex', timezone: 'America/New_York' });
    await updateSpace(world.ctx, operator, tokyo, { title: 'Attic' });
    await payments.makeVoid(world.ctx, operator, paid, 'Bounced');
    await confirm(unpaid);
    await payments.refund(world.ctx, operator, refundable, null);
    const body = bookingBody(newYork, { date: '2027-05-31', start_hour: 20, end_hour: 21 });
    assert.equal((await world.call('POST', CREATE, { key, body })).status, 200);
    world.clock.set('2027-07-02T00:00:00Z');
    await turnMonth(world);
    assert.deepEqual(await report('2027-05'), closed);
  });

  test('is recorded once, however many processes close it', async () => {
    await book('2027-05-10');
    world.clock.set('2027-05-31T15:00:05Z');
    await Promise.all(Array.from({ length: 6 }, () => turnMonth(world)));
    const rows = await world.rows<{ month: string; closing_balance: number }>(
      `select month, closing_balance from closings where host_id = $1 and environment = 'production'`,
      [hostId],
    );
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ month: '2027-05', closing_balance: -1000 }],
    );
  });

  test('is open until its figures are added up, which whoever comes next does after a crash', async () => {
    await book('2027-05-10');
    const stopping = new AbortController();
    world.clock.set('2027-05-31T15:00:05Z');
    await turnMonth(world);
    await world.write(
      'update closings set figures = null, closing_balance = null where host_id = $1 and environment = $2',
      [hostId, 'production'],
    );
    const begun = await report('2027-05');
    assert.deepEqual([begun.status, begun.closed_at, begun.closing_balance], ['open', null, -10]);
    assert.equal((await report('2027-06')).opening_balance, -10);
    await closeDue(world.ctx, stopping.signal, async () => undefined);
    const closed = await report('2027-05');
    assert.deepEqual({ ...closed, status: 'open', closed_at: null }, begun);
    assert.equal(closed.status, 'closed');
  });

  test('waits for its last booking to be completed', async () => {
    await book('2027-05-31', {}, 23);
    world.clock.set('2027-05-31T15:00:05Z');
    await closeDue(world.ctx, new AbortController().signal, async () => undefined);
    assert.equal((await report('2027-05')).status, 'open');
    await turnMonth(world);
    assert.equal((await report('2027-05')).status, 'closed');
  });

  test('has a late payment as an adjustment of the first open month', async () => {
    const id = await book('2027-05-10', platform);
    await closeMay();
    await confirm(id);
    const june = await report('2027-06');
    assert.deepEqual(june.adjustments, [
      {
        kind: 'payment_confirmed',
        booking_id: id,
        month: '2027-05',
        recorded_at: '2027-05-31T15:00:05.000Z',
        payout_due: 90,
        commission_due: 0,
      },
    ]);
    assert.deepEqual([june.totals.adjustments, june.totals.balance, june.closing_balance], [90, 90, 90]);
    assert.equal((await report('2027-05')).totals.balance, 0);
  });

  test('has what is recorded about a cancelled booking as adjustments of 0', async () => {
    const id = await book('2027-05-10', platform);
    const path = `/api-cancel-booking/api/v1/bookings/${id}/cancel`;
    await world.call('POST', path, { key, body: { reason: 'Ill' } });
    await closeMay();
    await confirm(id);
    await payments.refund(world.ctx, operator, id, null);
    const { adjustments, totals } = await report('2027-06');
    assert.deepEqual(
      adjustments.map(({ kind, payout_due, commission_due }) => [kind, payout_due, commission_due]),
      [
        ['payment_confirmed', 0, 0],
        ['refunded', 0, 0],
      ],
    );
    assert.equal(totals.adjustments, 0);
    assert.deepEqual((await report('2027-05')).lines, []);
  });

  test('counts a booking that is made for it later in the first open month, once it is completed', async () => {
    await closeMay();
    const newYork = await world.addSpace(hostId, { timezone: 'America/New_York', price_per_hour: 100 });
    const late: string[] = [];
    for (const [hour, mode] of [
      [19, 'host_settled'],
      [20, 'platform_settled'],
      [21, 'platform_settled'],
      [22, 'host_settled'],
    ] as const) {
      const body = bookingBody(newYork, {
        date: '2027-05-31',
        start_hour: hour,
        end_hour: hour + 1,
        settlement_mode: mode,
      });
      const answer = await world.call('POST', CREATE, { key, body });
      assert.equal(answer.status, 200, answer.text);
      late.push(answer.body.data.booking.id);
    }
    await confirm(late[1]!);
    const path = `/api-cancel-booking/api/v1/bookings/${late[3]}/cancel`;
    assert.equal((await world.call('POST', path, { key, body: { reason: 'Ill' } })).status, 200);
    assert.deepEqual((await report('2027-06')).adjustments, []);
    world.clock.set('2027-06-01T04:00:05Z');
    await turnMonth(world);
    await confirm(late[2]!);
    const { adjustments } = await report('2027-06');
    assert.deepEqual(
      adjustments
        .map((one) => [one.kind, one.booking_id, one.payout_due, one.commission_due].join(' '))
        .toSorted(),
      [
        `late_booking ${late[0]} 0 10`,
        `late_booking ${late[1]} 90 0`,
        `late_booking ${late[2]} 0 0`,
        `payment_confirmed ${late[2]} 90 0`,
      ].toSorted(),
    );
    assert.deepEqual((await report('2027-05')).lines, []);
  });

  test('carries its balance forward, and payouts reduce it', async () => {
    const id = await book('2027-05-10', platform);
    await confirm(id);
    const { payout } = await pay('50', 'wire 1');
    const open = await report('2027-05');
    assert.deepEqual(open.payouts, [
      {
        id: payout.id,
        amount: 50,
        reference: 'wire 1',
        paid_on: '2027-05-01',
        recorded_at: '2027-05-01T12:00:00.000Z',
      },
    ]);
    assert.deepEqual([open.opening_balance, open.totals.balance, open.closing_balance], [0, 90, 40]);
    assert.equal((await report('2027-08')).opening_balance, 40);
    await closeMay();
    await book('2027-06-05');
    const june = await report('2027-06');
    assert.deepEqual([june.opening_balance, june.totals.balance, june.closing_balance], [40, -10, 30]);
    assert.equal((await report('2027-05')).closing_balance, 40);
  });

  test('keeps a payout that is voided later, and the first open month has the opposite amount', async () => {
    const { payout } = await pay('50', 'wire 1');
    await closeMay();
    const voided = await payouts.makeVoid(world.ctx, operator, payout.id, 'Returned');
    assert.equal(voided.payout.voided_at, '2027-05-31T15:00:05.000Z');
    assert.deepEqual(
      (await report('2027-05')).payouts.map(({ id, amount }) => [id, amount]),
      [[payout.id, 50]],
    );
    const june = await report('2027-06');
    assert.deepEqual(
      june.payouts.map(({ amount, reference }) => [amount, reference]),
      [[-50, 'wire 1']],
    );
    assert.deepEqual([june.opening_balance, june.closing_balance], [-50, 0]);
    assert.equal((await payouts.makeVoid(world.ctx, operator, payout.id, 'Returned')).repeated, true);
    assert.equal((await pay('70', 'wire 1')).repeated, false);
  });

  test('has its spaces by title in code points, then by id, as its lines add up', async () => {
    for (const title of ['\u{1f600} Room', '\uff5e Room', 'Attic']) {
      tokyo = await world.addSpace(hostId, { title, timezone: 'Asia/Tokyo', price_per_hour: 100 });
      await book('2027-05-10');
    }
    const { by_space } = await report('2027-05');
    assert.deepEqual(
      by_space.map(({ title, bookings, hours, gross, commission, net }) => [
        title,
        bookings,
        hours,
        gross,
        commission,
        net,
      ]),
      [
        ['Attic', 1, 1, 100, 10, 90],
        ['\uff5e Room', 1, 1, 100, 10, 90],
        ['\u{1f600} Room', 1, 1, 100, 10, 90],
      ],
    );
  });
});

onBothEngines('a host that is older than its books', (engine) => {
  const world = useWorld(engine);

  test('has its months closed as they are, and begins to carry balances with the first open one', async () => {
    world.clock.set('2027-05-01T12:00:00Z');
    const hostId = await world.addHost({ timezone: 'Asia/Tokyo' });
    const spaceId = await world.addSpace(hostId, { timezone: 'Asia/Tokyo', price_per_hour: 100 });
    const { key } = await world.addKey(hostId);
    for (const date of ['2027-05-10', '2027-07-10', '2027-08-20']) {
      const body = bookingBody(spaceId, { date, start_hour: 10, end_hour: 11 });
      assert.equal((await world.call('POST', CREATE, { key, body })).status, 200);
    }
    // As the migration leaves it.
    await world.write(`insert into books (host_id, environment) values ($1, 'production')`, [hostId]);
    world.clock.set('2027-08-01T12:00:00Z');
    await turnMonth(world);
    const seen: unknown[] = [];
    for (const month of ['2027-04', '2027-05', '2027-06', '2027-07', '2027-08']) {
      const { data } = (await world.call('GET', `${REPORT}?month=${month}`, { key })).body;
      seen.push([
        data.status,
        data.closed_at,
        data.opening_balance,
        data.totals.balance,
        data.closing_balance,
      ]);
    }
    const now = '2027-08-01T12:00:00.000Z';
    assert.deepEqual(seen, [
      ['closed', null, 0, 0, 0],
      ['closed', now, 0, -10, -10],
      ['closed', null, 0, 0, 0],
      ['closed', now, 0, -10, -10],
      ['open', null, 0, -10, -10],
    ]);
  });
});
