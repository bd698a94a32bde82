import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openDesk, type Desk } from '../support/booking.ts';
import { commandLine } from '../support/command-line.ts';
import { onBothEngines, onOneEngine } from '../support/engines.ts';
import { operator } from '../support/operator.ts';
import { useWorld } from '../support/world.ts';
import * as payments from '../../src/payments/payments.ts';

const ABSENT = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';

onOneEngine('the operator’s money commands', (engine) => {
  const world = useWorld(engine);
  const { json, says, refuses } = commandLine(() => ({ DATABASE_URL: world.databaseUrl }));
  let ada: Desk;
  let bookingId: string;
  let idle: string;

  before(async () => {
    ada = await openDesk(world, { name: 'Ada, "the first"' });
    idle = await world.addHost({ name: '=Sum', currency: 'KRW' });
    bookingId = (await ada.book({ settlement_mode: 'platform_settled' })).body.data.booking.id;
    await payments.confirm(world.ctx, operator, bookingId, 'pi_1');
    await ada.book({ start_hour: 14, end_hour: 15 });
  });

  // The commands have the machine's clock, for which the month of the test may be over.
  const HEADER =
    'host_id,host_name,currency,month,status,bookings,cancelled,hours,gross,commission,net,host_collected,' +
    'platform_collected,commission_due,payout_due,balance,refunds_pending_bookings,refunds_pending_amount,refunded,adjustments,' +
    'opening_balance,payouts,closing_balance,closed_at';
  const csv = async (...args: string[]) => {
    const printed = await says('settlement', '--month', '2027-06', ...args, '--csv');
    return printed.replaceAll(/,(open|closed),/g, ',STATUS,').split('\n');
  };
  const line = () =>
    `${ada.hostId},"Ada, ""the first""",USD,2027-06,STATUS,2,0,3,150.00,15.00,135.00,50.00,100.00,5.00,90.00,85.00,0,0.00,0.00,0.00,0.00,0.00,85.00,`;

  test('settlement prints a line a host, as CSV with the decimals of each currency', async () => {
    const none = `${idle},'=Sum,KRW,2027-06,STATUS,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,`;
    assert.deepEqual(await csv(), [HEADER, none, line(), '']);
  });

  test('settlement --payouts leaves out who is owed nothing', async () => {
    assert.deepEqual(await csv('--payouts'), [HEADER, line(), '']);
    const words = await says('settlement', '--month', '2027-01', '--payouts');
    assert.equal(words, 'There is nothing to settle.\n');
  });

  test('settlement --json is an array of the hosts’ reports without lines', async () => {
    const [{ status, ...settled }] = await json('settlement', '--month', '2027-06', '--host', ada.hostId);
    assert.match(status, /^(open|closed)$/);
    assert.deepEqual(settled, {
      host_id: ada.hostId,
      host_name: 'Ada, "the first"',
      currency: 'USD',
      month: '2027-06',
      totals: {
        bookings: 2,
        hours: 3,
        gross: 150,
        commission: 15,
        net: 135,
        cancelled: 0,
        host_collected: 50,
        platform_collected: 100,
        refunded: 0,
        commission_due: 5,
        payout_due: 90,
        adjustments: 0,
        balance: 85,
      },
      refunds_pending: { bookings: 0, amount: 0 },
      closed_at: null,
      opening_balance: 0,
      adjustments: [],
      payouts: [],
      closing_balance: 85,
    });
  });

  test('settlement --lines has each booking with its host, and --by-currency the sums of all hosts', async () => {
    const lines = await json<{ host_name: string; booking_id: string; net: number }[]>(
      'settlement',
      '--month',
      '2027-06',
      '--lines',
    );
    assert.deepEqual(
      lines.map((one) => [one.host_name, one.booking_id === bookingId, one.net]),
      [
        ['Ada, "the first"', true, 90],
        ['Ada, "the first"', false, 45],
      ],
    );
    const [header, first] = await csv('--lines');
    assert.match(header!, /^host_id,host_name,month,currency,booking_id,.*,gross,commission,net$/);
    assert.match(first!, new RegExp(`2027-06,USD,${bookingId},.*,100.00,10.00,90.00$`));
    const sums = await json<{ currency: string; hosts: number; closing_balance: number }[]>(
      'settlement',
      '--month',
      '2027-06',
      '--by-currency',
    );
    assert.deepEqual(
      sums.map((one) => [one.currency, one.hosts, one.closing_balance]),
      [
        ['KRW', 1, 0],
        ['USD', 1, 85],
      ],
    );
  });

  test('payout record, list and void print what they did, and JSON', async () => {
    const record = ['payout', 'record', '--host', idle, '--amount=-1500', '--reference', 'SEPA 1'];
    const { id, ...payout } = await json(...record);
    assert.deepEqual(
      [payout.amount, payout.currency, payout.reference, payout.voided_at, payout.already_recorded],
      [-1500, 'KRW', 'SEPA 1', null, false],
    );
    assert.match(
      await says(...record),
      new RegExp(`^Already recorded ${id}: -1500 KRW, in the report of \\d{4}-\\d\\d\\.\n$`),
    );
    const [listed] = await json('payout', 'list', '--host', idle);
    assert.deepEqual([listed.id, listed.host_name], [id, '=Sum']);
    assert.match(
      await refuses('payout', 'record', '--host', idle, '--amount', '0.5'),
      /^hourkeep: 0\.5 is no amount in KRW: at most 0 decimals/,
    );
    const voided = await json('payout', 'void', id, '--reason', 'Typed twice');
    assert.deepEqual([voided.id, voided.already_voided], [id, false]);
  });

  test('payment list and booking show have the history of a payment', async () => {
    const history = await json('payment', 'list', bookingId);
    const [{ at: _at, ...confirmed }] = history;
    const actor = { type: 'operator', id: 'tester' };
    assert.deepEqual(
      [history.length, confirmed],
      [1, { kind: 'confirmed', reference: 'pi_1', amount: 100, actor }],
    );
    const shown = await json('booking', 'show', bookingId);
    assert.deepEqual(shown.payments, history);
    assert.deepEqual([shown.commission_rate, shown.commission, shown.net], [0.1, 10, 90]);
  });

  test('booking list --payment finds what was paid, payment void is refused in a few words', async () => {
    const found = async (state: string) =>
      (await json<{ id: string }[]>('booking', 'list', '--payment', state)).map(({ id }) => id);
    assert.deepEqual([await found('confirmed'), await found('pending')], [[bookingId], []]);
    await payments.makeVoid(world.ctx, operator, bookingId, 'Wrong wire');
    assert.deepEqual([await found('confirmed'), await found('pending')], [[], [bookingId]]);
    assert.equal(
      await refuses('payment', 'void', bookingId, '--reason', 'Wrong wire'),
      `hourkeep: the payment of booking ${bookingId} is not confirmed\n`,
    );
  });
});

onBothEngines('hourkeep payment confirm', (engine) => {
  const world = useWorld(engine);
  const { json, says, refuses } = commandLine(() => ({ DATABASE_URL: world.databaseUrl }));
  let desk: Desk;
  let hour = 0;

  before(async () => {
    desk = await openDesk(world);
  });

  const book = async (settlement_mode = 'platform_settled') =>
    (await desk.book({ start_hour: hour++, end_hour: hour, settlement_mode })).body.data.booking;
  const confirm = ['payment', 'confirm'];
  const events = async (id: string) =>
    (await desk.events()).filter(({ type, data }) => type === 'payment.confirmed' && data.booking.id === id);

  test('confirms a pending payment, with one event and on the booking; repeating it changes nothing', async () => {
    const booking = await book();
    const printed = await json(...confirm, booking.id, '--reference', 'pi_1');
    const now = await desk.read(booking.id);
    const { paid_at, updated_at } = now;
    assert.notEqual(paid_at, null);
    assert.deepEqual(now, { ...booking, payment_status: 'confirmed', paid_at, updated_at });
    assert.deepEqual(printed, { ...now, payment_reference: 'pi_1', already_confirmed: false });
    const again = await json(...confirm, booking.id, '--reference', 'pi_1');
    assert.deepEqual(again, { ...printed, already_confirmed: true });
    assert.match(await says(...confirm, booking.id), /^Already confirmed: 50 USD/);
    assert.deepEqual(await desk.read(booking.id), now);
    assert.equal(
      await refuses(...confirm, booking.id, '--reference', 'pi_2'),
      `hourkeep: the payment of booking ${booking.id} is already confirmed, with the reference "pi_1"\n`,
    );
    assert.deepEqual(await events(booking.id), [{ type: 'payment.confirmed', data: { booking: now } }]);
  });

  test('rejects a host_settled booking, and one that does not exist', async () => {
    const { id } = await book('host_settled');
    assert.match(
      await refuses(...confirm, id, '--reference', 'pi_7'),
      /^hourkeep: booking \S+ is host_settled: .*\n$/,
    );
    assert.equal((await desk.read(id)).payment_status, 'host_collected');
    assert.deepEqual([await events(id), await json('payment', 'list', id)], [[], []]);
    assert.equal(await refuses(...confirm, ABSENT), `hourkeep: there is no booking ${ABSENT}\n`);
  });

  test('confirms a payment that crossed the cancellation, and tells the operator to give it back', async () => {
    const { id } = await book();
    assert.equal((await desk.cancel(id)).status, 200);
    assert.match(await says(...confirm, id), /The booking is cancelled: the guest gets this money back\.\n$/);
    const now = await desk.read(id);
    assert.deepEqual([now.status, now.payment_status], ['cancelled', 'confirmed']);
    assert.equal((await events(id)).length, 1);
  });

  test('of many confirmations at once one writes the event and none fails', async () => {
    const { id } = await book();
    const all = await Promise.all(
      Array.from({ length: 12 }, () => payments.confirm(world.ctx, operator, id, 'pi_8')),
    );
    assert.equal(all.filter(({ repeated }) => !repeated).length, 1);
    assert.equal((await events(id)).length, 1);
  });
});
