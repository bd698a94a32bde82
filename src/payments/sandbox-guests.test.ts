import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { useWorld } from '../../test/support/world.ts';
import { list } from '../audit/list.ts';
import * as payments from './payments.ts';
import { serveSandboxGuests } from './sandbox-guests.ts';

const PAY = { guest_email: 'pay@sandbox.test', settlement_mode: 'platform_settled' };

onBothEngines('the guests of the sandbox', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  beforeEach(async () => {
    desk = await openDesk(world, {}, { environment: 'sandbox' });
  });

  test('complete@ is completed by the worker, whatever its hours, and the payment of pay@ confirmed', async () => {
    const { id } = await desk.made({ guest_email: 'complete@sandbox.test' });
    const paid = await desk.made({ ...PAY, start_hour: 14, end_hour: 15 });
    await serveSandboxGuests(world.ctx);
    await serveSandboxGuests(world.ctx);
    assert.equal((await desk.read(id)).status, 'completed');
    assert.equal((await desk.read(paid.id)).payment_status, 'confirmed');
    const trail = await list(world.ctx.db, { actor: 'serve-sandbox-guests', limit: 10 });
    assert.deepEqual(
      new Set(trail.map(({ action, host_id, subject }) => [action, host_id, subject])),
      new Set([
        ['booking.completed', desk.hostId, id],
        ['payment.confirmed', desk.hostId, paid.id],
      ]),
    );
    const types = (await desk.events()).map(({ type }) => type);
    assert.deepEqual(types.slice(4).toSorted(), ['booking.completed', 'payment.confirmed']);
  });

  test('pay@ stays pending once the operator has made the payment void', async () => {
    const { id } = await desk.made(PAY);
    await serveSandboxGuests(world.ctx);
    await payments.makeVoid(world.ctx, operator, id, 'bounced');
    await serveSandboxGuests(world.ctx);
    assert.equal((await desk.read(id)).payment_status, 'pending');
  });

  test('are ordinary addresses in production', async () => {
    const production = await openDesk(world);
    let hour = 0;
    for (const name of ['complete', 'pay', 'conflict', 'velocity', 'keep']) {
      hour += 2;
      const { id } = await production.made({
        guest_email: `${name}@sandbox.test`,
        settlement_mode: 'platform_settled',
        start_hour: hour,
        end_hour: hour + 1,
      });
      await serveSandboxGuests(world.ctx);
      const { status, payment_status } = (await production.cancel(id)).body.data.booking;
      assert.deepEqual([status, payment_status], ['cancelled', 'pending'], name);
    }
  });
});
