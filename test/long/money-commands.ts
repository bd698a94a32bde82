import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openDesk, type Desk } from '../support/booking.ts';
import { commandsOn } from '../support/command-line.ts';
import { onOneEngine } from '../support/engines.ts';
import { operator } from '../support/operator.ts';
import { useWorld } from '../support/world.ts';
import * as payments from '../../src/payments/payments.ts';

const ABSENT = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';

onOneEngine('the operator’s money commands', (engine) => {
  const world = useWorld(engine);
  const { json, says, refuses } = commandsOn(world);
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

  test('payout record prints what it did, and rejects what is no amount', async () => {
    const record = ['payout', 'record', '--host', idle, '--amount=-1500', '--reference', 'SEPA 1'];
    const { id } = await json(...record);
    assert.match(
      await says(...record),
      new RegExp(`^Already recorded ${id}: -1500 KRW, in the report of \\d{4}-\\d\\d\\.\n$`),
    );
    assert.match(
      await refuses('payout', 'record', '--host', idle, '--amount', '0.5'),
      /^hourkeep: 0\.5 is no amount in KRW: at most 0 decimals/,
    );
  });

  test('payment confirm says that it is repeated, and that a booking is not there', async () => {
    assert.match(await says('payment', 'confirm', bookingId), /^Already confirmed: 100 USD/);
    assert.equal(await refuses('payment', 'confirm', ABSENT), `hourkeep: there is no booking ${ABSENT}\n`);
  });

  test('booking list --payment finds what was paid, payment void is refused in a few words', async () => {
    const found = async (state: string) =>
      (await json<{ id: string }[]>('booking', 'list', '--payment', state)).map(({ id }) => id);
    assert.deepEqual([await found('confirmed'), await found('pending')], [[bookingId], []]);
    await payments.makeVoid(world.ctx, operator, bookingId, 'Wrong wire');
    assert.deepEqual([await found('confirmed'), await found('pending')], [[], [bookingId]]);
    assert.equal(
      await refuses('payment', 'void', bookingId, '--reason', 'Wrong wire'),
      `hourkeep: the payment of booking ${bookingId} is pending: it cannot be voided\n`,
    );
  });
});
