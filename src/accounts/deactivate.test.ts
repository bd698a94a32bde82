import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { receiverFor } from '../../test/support/receiver.ts';
import { trailOf } from '../../test/support/trail.ts';
import { aSubscriber, type Subscriber } from '../../test/support/webhooks.ts';
import { useWorld } from '../../test/support/world.ts';
import * as apiKeys from '../api-keys/api-keys.ts';
import { newId } from '../ids/uuid.ts';
import { claimFirst } from '../webhooks/queue.ts';
import { deliverDue } from '../worker/deliver.ts';
import { setActive } from './update.ts';

const SPACES = '/api-listings/api/v1/spaces';

onBothEngines('a deactivated host', (engine) => {
  const world = useWorld(engine, { RATE_LIMIT_PRODUCTION: '3', RATE_LIMIT_SANDBOX: '0' });
  let host: Subscriber;

  beforeEach(async () => {
    host = await aSubscriber(world);
    world.clock.advance({ minutes: 2 });
  });

  const set = (active: boolean, reason?: string) =>
    world.ctx.db.transaction((tx) => setActive(tx, world.clock.now(), operator, host.hostId, active, reason));
  const deactivate = () => set(false, 'Owes three months');
  const activate = () => set(true);
  const call = (key = host.key) => world.call('GET', SPACES, { key });

  test('has every key refused from the very next request on, with words of its own', async () => {
    const sandbox = await world.addKey(host.hostId, { environment: 'sandbox' });
    assert.equal((await call()).status, 200);
    await deactivate();
    for (const key of [host.key, sandbox.key]) {
      const answer = await call(key);
      assert.equal(
        refused(answer, 401, 'API_KEY_REVOKED').message,
        'The account of this API key is not active; ask the operator',
      );
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
    }
    await activate();
    for (const key of [host.key, sandbox.key]) assert.equal((await call(key)).status, 200);
  });

  test('uses up nothing of its rate limit', async () => {
    await deactivate();
    for (let i = 0; i < 4; i++) refused(await call(), 401, 'API_KEY_REVOKED');
    await activate();
    assert.equal((await call()).headers.get('x-ratelimit-remaining'), '2');
  });

  test('is told apart from a revoked key, which stays revoked', async () => {
    const issued = await world.addKey(host.hostId);
    await world.ctx.db.transaction((tx) => apiKeys.revoke(tx, world.clock.now(), issued.id));
    await deactivate();
    const { message } = refused(await call(issued.key), 401, 'API_KEY_REVOKED');
    assert.equal(message, 'This API key has been revoked or has expired');
  });

  test('has nothing claimed by a worker that saw it active a moment ago', async () => {
    const { id } = await host.subscribe({ url: 'http://127.0.0.1:9/' });
    await host.emit();
    await deactivate();
    const now = world.clock.now();
    const claimed = await world.ctx.db.transaction((tx) =>
      tx.run(claimFirst, [host.hostId, id, now, newId(), now + 20_000, 8, 8]),
    );
    assert.equal(claimed, 0);
  });

  test('does not have the time it was away counted as failure of its receivers', async () => {
    const receiver = await receiverFor();
    receiver.answer = () => ({ status: 500 });
    const { id } = await host.subscribe(receiver);
    await host.emit();
    await deliverDue(world.ctx);
    await deactivate();
    world.clock.advance({ hours: 6 * 24 });
    await activate();
    await deliverDue(world.ctx);
    assert.equal(receiver.received.length, 2);
    assert.equal((await host.show(id)).is_active, true);
  });

  test('keeps the time of the first deactivation; each change is one entry of the audit trail', async () => {
    const first = await deactivate();
    world.clock.advance({ minutes: 1 });
    assert.deepEqual(await deactivate(), first);
    assert.equal((await activate()).deactivated_at, null);
    await activate();
    const trail = await trailOf(world, host.hostId);
    assert.deepEqual(
      trail.map(({ action, reason }) => [action, reason]),
      [
        ['host.deactivated', 'Owes three months'],
        ['host.activated', null],
      ],
    );
  });
});
