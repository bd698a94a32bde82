import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { useWorld } from '../../test/support/world.ts';
import * as payments from './payments.ts';

onBothEngines('the history of a payment', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  let id: string;

  beforeEach(async () => {
    desk = await openDesk(world);
    id = await book(10);
  });

  const book = async (start_hour: number): Promise<string> =>
    (await desk.book({ settlement_mode: 'platform_settled', start_hour, end_hour: start_hour + 1 })).body.data
      .booking.id;
  const confirm = (reference: string | null, booking = id, isShared = false) =>
    payments.confirm(world.ctx, operator, booking, reference, isShared);
  const history = () => payments.list(world.ctx.db, id);
  const at = () => new Date(world.clock.now()).toISOString();
  const actor = { type: 'operator', id: 'tester' };

  test('has each reference with what became of it, oldest first', async () => {
    const confirmed = at();
    await confirm('pi_1');
    world.clock.advance({ minutes: 1 });
    const voided = at();
    await payments.makeVoid(world.ctx, operator, id, 'Bounced');
    await confirm('pi_2');
    await desk.cancel(id);
    await payments.refund(world.ctx, operator, id, 're_2');
    assert.deepEqual(await history(), [
      { at: confirmed, kind: 'confirmed', reference: 'pi_1', amount: 50, actor },
      { at: voided, kind: 'voided', reference: 'pi_1', amount: 50, actor },
      { at: voided, kind: 'confirmed', reference: 'pi_2', amount: 50, actor },
      { at: voided, kind: 'refunded', reference: 're_2', amount: 50, actor },
    ]);
  });

  test('has one entry from the record for what was recorded before there was a history, and keeps it', async () => {
    await confirm('pi_1');
    await world.write('delete from payments where booking_id = $1', [id]);
    const before = { at: at(), kind: 'confirmed', reference: 'pi_1', amount: 50, actor: null };
    assert.deepEqual(await history(), [before]);
    world.clock.advance({ minutes: 1 });
    await payments.makeVoid(world.ctx, operator, id, 'Bounced');
    assert.deepEqual(await history(), [
      before,
      { at: at(), kind: 'voided', reference: 'pi_1', amount: 50, actor },
    ]);
  });

  test('takes a reference that comes later', async () => {
    await confirm(null);
    await confirm('pi_1');
    assert.deepEqual(
      (await history()).map(({ kind, reference }) => [kind, reference]),
      [['confirmed', 'pi_1']],
    );
  });

  test('a reference that stands on another booking is refused and names it, unless it is shared', async () => {
    await confirm('pi_1');
    const other = await book(12);
    const says = { message: `the reference "pi_1" stands on booking ${id}: use --shared if it is for both` };
    await assert.rejects(confirm('pi_1', other), says);
    assert.equal((await desk.read(other)).payment_status, 'pending');
    assert.equal((await confirm('pi_1', other, true)).repeated, false);
  });

  test('of two bookings that are paid with one reference at once, one is refused', async () => {
    const ids = [id, await book(12), await book(14), await book(16)];
    const ended = await Promise.allSettled(ids.map((booking) => confirm('pi_1', booking)));
    assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 1);
  });
});
