import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openDesk, type Desk } from '../support/booking.ts';
import { typed } from '../support/command-line.ts';
import { onBothEngines } from '../support/engines.ts';
import { useWorld } from '../support/world.ts';
import * as payments from '../../src/payments/payments.ts';
import { operator } from '../support/operator.ts';

const ABSENT = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';

onBothEngines('hourkeep payment confirm', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  let hour = 0;

  before(async () => {
    desk = await openDesk(world);
  });

  const book = async (settlement_mode = 'platform_settled') =>
    (await desk.book({ start_hour: hour++, end_hour: hour, settlement_mode })).body.data.booking;

  const confirm = (...args: string[]) =>
    typed(['payment', 'confirm', ...args], { DATABASE_URL: world.databaseUrl });

  const events = async (id: string) =>
    (await desk.events()).filter(({ type, data }) => type === 'payment.confirmed' && data.booking.id === id);

  test('a pending payment is confirmed, told as an event and shown on the booking', async () => {
    const booking = await book();
    const { code, stdout, stderr } = await confirm(booking.id, '--reference', 'pi_1', '--json');
    assert.deepEqual([code, stderr], [0, '']);
    const now = await desk.read(booking.id);
    const { paid_at, updated_at } = now;
    assert.notEqual(paid_at, null);
    assert.deepEqual(now, { ...booking, payment_status: 'confirmed', paid_at, updated_at });
    assert.deepEqual(JSON.parse(stdout), { ...now, payment_reference: 'pi_1', already_confirmed: false });
    assert.deepEqual(await events(booking.id), [{ type: 'payment.confirmed', data: { booking: now } }]);
  });

  test('repeating it changes nothing and tells nothing', async () => {
    const { id } = await book();
    assert.equal((await confirm(id, '--reference', 'pi_2')).code, 0);
    const before = await desk.read(id);
    const again = await confirm(id, '--reference', 'pi_2', '--json');
    assert.equal(again.code, 0);
    assert.equal(JSON.parse(again.stdout).already_confirmed, true);
    assert.deepEqual(await desk.read(id), before);
    assert.equal((await events(id)).length, 1);
  });

  test('repeating it without --json says so', async () => {
    const { id } = await book();
    await payments.confirm(world.ctx, operator, id, null);
    assert.match((await confirm(id)).stdout, /^Already confirmed: 50 USD/);
  });

  test('a second payment with another reference is refused', async () => {
    const { id } = await book();
    await payments.confirm(world.ctx, operator, id, 'pi_3');
    const { code, stdout, stderr } = await confirm(id, '--reference', 'pi_4', '--json');
    assert.deepEqual([code, stdout], [1, '']);
    assert.equal(
      stderr,
      `hourkeep: the payment of booking ${id} is already confirmed, with the reference "pi_3"\n`,
    );
    assert.equal((await events(id)).length, 1);
  });

  test('a host_settled booking has no payment to confirm', async () => {
    const { id } = await book('host_settled');
    const { code, stdout, stderr } = await confirm(id, '--reference', 'pi_7');
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^hourkeep: booking \S+ is host_settled: .*\n$/);
    assert.equal((await desk.read(id)).payment_status, 'host_collected');
    assert.equal((await events(id)).length, 0);
    const row = await world.row<{ payment_reference: string | null }>(
      'select payment_reference from bookings where id = $1',
      [id],
    );
    assert.equal(row.payment_reference, null);
  });

  test('a booking that does not exist is refused', async () => {
    const { code, stdout, stderr } = await confirm(ABSENT);
    assert.deepEqual([code, stdout, stderr], [1, '', `hourkeep: there is no booking ${ABSENT}\n`]);
  });

  test('a payment that crossed the cancellation is confirmed, and the operator told to give it back', async () => {
    const { id } = await book();
    assert.equal((await desk.cancel(id)).status, 200);
    const { code, stdout } = await confirm(id);
    assert.equal(code, 0);
    assert.match(stdout, /The booking is cancelled: the guest gets this money back\.\n$/);
    const now = await desk.read(id);
    assert.deepEqual([now.status, now.payment_status], ['cancelled', 'confirmed']);
    assert.equal((await events(id)).length, 1);
  });

  test('of many confirmations at once one tells the event and none fails', async () => {
    const { id } = await book();
    const all = await Promise.all(
      Array.from({ length: 12 }, () => payments.confirm(world.ctx, operator, id, 'pi_8')),
    );
    assert.equal(all.filter(({ repeated }) => !repeated).length, 1);
    assert.equal((await events(id)).length, 1);
  });
});
