import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { before, test } from 'node:test';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';
import * as payments from './payments.ts';

const COMMAND = fileURLToPath(new URL('../cli/main.ts', import.meta.url));
const ABSENT = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';

onBothEngines('hourkeep payment confirm', (engine) => {
  const world = useWorld(engine);
  let key: string;
  let spaceId: string;
  let hostId: string;
  let hour = 0;

  before(async () => {
    hostId = await world.addHost();
    spaceId = await world.addSpace(hostId);
    key = (await world.addKey(hostId)).key;
  });

  async function book(mode = 'platform_settled') {
    const body = {
      space_id: spaceId,
      date: '2027-03-18',
      start_hour: hour++,
      end_hour: hour,
      guest_email: `ada${hour}@example.com`,
      guest_name: 'Ada Miller',
      settlement_mode: mode,
    };
    const answer = await world.call('POST', '/api-create-booking/api/v1/bookings', { key, body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.data.booking;
  }

  function hourkeep(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const { database } = world.ctx.config;
    const url = database.engine === 'sqlite' ? `sqlite:${database.file}` : database.url;
    const env = { PATH: process.env['PATH'], DATABASE_URL: url };
    return new Promise((resolve) => {
      const child = execFile(process.execPath, [COMMAND, ...args], { env }, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, stdout, stderr }),
      );
    });
  }

  const detail = async (id: string) =>
    (await world.call('GET', `/api-booking-detail/api/v1/bookings/${id}`, { key })).body.data.booking;

  const events = async (id: string) => {
    const rows = await world.rows(
      `select host_id, environment, data from events where type = 'payment.confirmed' order by id`,
    );
    return rows.filter((row) => JSON.parse(row.data).booking.id === id);
  };

  test('a pending payment is confirmed, told as an event and shown on the booking', async () => {
    const booking = await book();
    const { code, stdout, stderr } = await hourkeep(
      'payment',
      'confirm',
      booking.id,
      '--reference',
      'pi_1',
      '--json',
    );
    assert.deepEqual([code, stderr], [0, '']);
    const now = await detail(booking.id);
    assert.deepEqual(now, { ...booking, payment_status: 'confirmed', updated_at: now.updated_at });
    assert.deepEqual(JSON.parse(stdout), { ...now, payment_reference: 'pi_1', already_confirmed: false });
    const [event, ...more] = await events(booking.id);
    assert.equal(more.length, 0);
    assert.deepEqual([event.host_id, event.environment], [hostId, 'production']);
    assert.deepEqual(JSON.parse(event.data), { booking: now });
  });

  test('repeating it changes nothing and tells nothing', async () => {
    const { id } = await book();
    assert.equal((await hourkeep('payment', 'confirm', id, '--reference', 'pi_2')).code, 0);
    const before = await detail(id);
    const again = await hourkeep('payment', 'confirm', id, '--reference', 'pi_2', '--json');
    assert.equal(again.code, 0);
    assert.equal(JSON.parse(again.stdout).already_confirmed, true);
    assert.deepEqual(await detail(id), before);
    assert.equal((await events(id)).length, 1);
    assert.match((await hourkeep('payment', 'confirm', id)).stdout, /^Already confirmed: 50 USD/);
  });

  test('a second payment with another reference is refused', async () => {
    const { id } = await book();
    await payments.confirm(world.ctx, id, 'pi_3');
    const { code, stdout, stderr } = await hourkeep(
      'payment',
      'confirm',
      id,
      '--reference',
      'pi_4',
      '--json',
    );
    assert.deepEqual([code, stdout], [1, '']);
    assert.equal(
      stderr,
      `hourkeep: the payment of booking ${id} is already confirmed, with the reference "pi_3"\n`,
    );
    assert.equal((await events(id)).length, 1);
  });

  test('a reference may be handed in later', async () => {
    const { id } = await book();
    await payments.confirm(world.ctx, id, null);
    const again = await payments.confirm(world.ctx, id, 'pi_5');
    assert.deepEqual([again.reference, again.repeated], ['pi_5', true]);
    await assert.rejects(payments.confirm(world.ctx, id, 'pi_6'), /with the reference "pi_5"/);
    assert.equal((await events(id)).length, 1);
  });

  test('a host_settled booking has no payment to confirm', async () => {
    const { id } = await book('host_settled');
    const { code, stdout, stderr } = await hourkeep('payment', 'confirm', id, '--reference', 'pi_7');
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^hourkeep: booking \S+ is host_settled: .*\n$/);
    assert.equal((await detail(id)).payment_status, 'host_collected');
    assert.equal((await events(id)).length, 0);
    const [row] = await world.rows('select payment_reference from bookings where id = $1', [id]);
    assert.equal(row.payment_reference, null);
  });

  test('a booking that does not exist is refused, and a malformed id is wrong usage', async () => {
    const unknown = await hourkeep('payment', 'confirm', ABSENT);
    assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
    assert.equal(unknown.stderr, `hourkeep: there is no booking ${ABSENT}\n`);
    assert.equal((await hourkeep('payment', 'confirm', 'booking-1')).code, 2);
  });

  test('a payment that crossed the cancellation is confirmed, and the operator told to give it back', async () => {
    const { id } = await book();
    const path = `/api-cancel-booking/api/v1/bookings/${id}/cancel`;
    assert.equal((await world.call('POST', path, { key, body: { reason: 'Ill' } })).status, 200);
    const { code, stdout } = await hourkeep('payment', 'confirm', id);
    assert.equal(code, 0);
    assert.match(stdout, /The booking is cancelled: the guest gets this money back\.\n$/);
    const now = await detail(id);
    assert.deepEqual([now.status, now.payment_status], ['cancelled', 'confirmed']);
    assert.equal((await events(id)).length, 1);
  });

  test('of many confirmations at once one tells the event and none fails', async () => {
    const { id } = await book();
    const all = await Promise.all(Array.from({ length: 12 }, () => payments.confirm(world.ctx, id, 'pi_8')));
    assert.equal(all.filter(({ repeated }) => !repeated).length, 1);
    assert.equal((await events(id)).length, 1);
  });
});
