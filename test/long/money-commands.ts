import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openDesk, type Desk } from '../support/booking.ts';
import { typed } from '../support/command-line.ts';
import { onBothEngines } from '../support/engines.ts';
import { operator } from '../support/operator.ts';
import { useWorld } from '../support/world.ts';
import * as payments from '../../src/payments/payments.ts';

onBothEngines('the operator’s money commands', (engine) => {
  const world = useWorld(engine);
  const run = (...args: string[]) => typed(args, { DATABASE_URL: world.databaseUrl });
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
    const { code, stdout, stderr } = await run('settlement', '--month', '2027-06', ...args, '--csv');
    assert.deepEqual([code, stderr], [0, '']);
    return stdout.replaceAll(/,(open|closed),/g, ',STATUS,').split('\n');
  };
  const line = () =>
    `${ada.hostId},"Ada, ""the first""",USD,2027-06,STATUS,2,0,3,150.00,15.00,135.00,50.00,100.00,5.00,90.00,85.00,0,0.00,0.00,0.00,0.00,0.00,85.00,`;

  test('settlement prints a line a host, as CSV with the decimals of each currency', async () => {
    const none = `${idle},'=Sum,KRW,2027-06,STATUS,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,`;
    assert.deepEqual(await csv(), [HEADER, none, line(), '']);
  });

  test('settlement --payouts leaves out who is owed nothing', async () => {
    assert.deepEqual(await csv('--payouts'), [HEADER, line(), '']);
    const words = await run('settlement', '--month', '2027-01', '--payouts');
    assert.deepEqual(words, { code: 0, stdout: 'There is nothing to settle.\n', stderr: '' });
  });

  test('settlement --json is an array of the hosts’ reports without lines', async () => {
    const { code, stdout } = await run('settlement', '--month', '2027-06', '--host', ada.hostId, '--json');
    assert.equal(code, 0);
    const [{ status, ...settled }] = JSON.parse(stdout);
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
    const lines = JSON.parse((await run('settlement', '--month', '2027-06', '--lines', '--json')).stdout);
    assert.deepEqual(
      lines.map((one: Record<string, unknown>) => [
        one['host_name'],
        one['booking_id'] === bookingId,
        one['net'],
      ]),
      [
        ['Ada, "the first"', true, 90],
        ['Ada, "the first"', false, 45],
      ],
    );
    const [header, first] = await csv('--lines');
    assert.match(header!, /^host_id,host_name,month,currency,booking_id,.*,gross,commission,net$/);
    assert.match(first!, new RegExp(`2027-06,USD,${bookingId},.*,100.00,10.00,90.00$`));
    const sums = JSON.parse(
      (await run('settlement', '--month', '2027-06', '--by-currency', '--json')).stdout,
    );
    assert.deepEqual(
      sums.map((one: Record<string, unknown>) => [one['currency'], one['hosts'], one['closing_balance']]),
      [
        ['KRW', 1, 0],
        ['USD', 1, 85],
      ],
    );
  });

  test('payout record, list and void print what they did, and JSON', async () => {
    const record = ['payout', 'record', '--host', idle, '--amount=-1500', '--reference', 'SEPA 1'];
    const recorded = await run(...record, '--json');
    const { id, ...payout } = JSON.parse(recorded.stdout);
    assert.deepEqual(
      [payout.amount, payout.currency, payout.reference, payout.voided_at, payout.already_recorded],
      [-1500, 'KRW', 'SEPA 1', null, false],
    );
    const again = await run(...record);
    assert.match(
      again.stdout,
      new RegExp(`^Already recorded ${id}: -1500 KRW, in the report of \\d{4}-\\d\\d\\.\n$`),
    );
    const listed = JSON.parse((await run('payout', 'list', '--host', idle, '--json')).stdout);
    assert.deepEqual(
      listed.map((one: Record<string, unknown>) => [one['id'], one['host_name']]),
      [[id, '=Sum']],
    );
    const bad = await run('payout', 'record', '--host', idle, '--amount', '0.5');
    assert.deepEqual([bad.code, bad.stdout], [1, '']);
    assert.match(bad.stderr, /^hourkeep: 0\.5 is no amount in KRW: at most 0 decimals/);
    const voided = JSON.parse((await run('payout', 'void', id, '--reason', 'Typed twice', '--json')).stdout);
    assert.deepEqual([voided.id, voided.already_voided], [id, false]);
  });

  test('payment list and booking show have the history of a payment', async () => {
    const history = JSON.parse((await run('payment', 'list', bookingId, '--json')).stdout);
    assert.deepEqual(
      history.map((one: Record<string, unknown>) => [
        one['kind'],
        one['reference'],
        one['amount'],
        one['actor'],
      ]),
      [['confirmed', 'pi_1', 100, { type: 'operator', id: 'tester' }]],
    );
    const shown = JSON.parse((await run('booking', 'show', bookingId, '--json')).stdout);
    assert.deepEqual(shown.payments, history);
    assert.deepEqual([shown.commission_rate, shown.commission, shown.net], [0.1, 10, 90]);
  });

  test('booking list --payment finds what was paid, payment void is refused in a few words', async () => {
    const found = async (state: string) => {
      const { stdout } = await run('booking', 'list', '--payment', state, '--json');
      return (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id);
    };
    assert.deepEqual([await found('confirmed'), await found('pending')], [[bookingId], []]);
    await payments.makeVoid(world.ctx, operator, bookingId, 'Wrong wire');
    assert.deepEqual([await found('confirmed'), await found('pending')], [[], [bookingId]]);
    assert.deepEqual(await run('payment', 'void', bookingId, '--reason', 'Wrong wire'), {
      code: 1,
      stdout: '',
      stderr: `hourkeep: the payment of booking ${bookingId} is not confirmed\n`,
    });
  });
});
