import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { hourkeep } from '../../test/support/process.ts';
import { until } from '../../test/support/until.ts';
import { aReceiver } from '../../test/support/webhooks.ts';
import { useWorld } from '../../test/support/world.ts';
import { DatabaseAway } from '../errors.ts';
import { deliverDue } from '../worker/deliver.ts';
import { HostFigures } from '../host-figures.ts';
import { keepFigures, last24Hours, writeFigures, type Last24Hours } from './figures.ts';

const SPACES = '/api-listings/api/v1/spaces';
const NOTHING: Last24Hours = { requests: 0, rejected: {}, rate_limited: 0, delivered: 0, failed: 0 };

onBothEngines('the figures of a host', (engine) => {
  const world = useWorld(engine, { RATE_LIMIT_SANDBOX: '2' });
  const figures = (hostId: string) => last24Hours(world.ctx.db, hostId, world.clock.now());
  /** A request is counted when its connection is done with it. */
  const written = async (hostId: string): Promise<Last24Hours> => {
    await setImmediate();
    await setImmediate();
    await writeFigures(world.ctx);
    return figures(hostId);
  };
  const ask = async (desk: Pick<Desk, 'key'>, times = 1) => {
    for (let i = 0; i < times; i++) await world.call('GET', SPACES, { key: desk.key });
  };

  test('count its requests in both environments, errors by code, and the rate limit by itself', async () => {
    const desk = await openDesk(world);
    const another = await openDesk(world);
    await ask(desk, 2);
    await desk.book();
    await desk.book();
    const sandbox = await world.addKey(desk.hostId, { environment: 'sandbox' });
    await ask(sandbox, 3);
    const narrow = await world.addKey(desk.hostId, { scopes: ['bookings:read'] });
    await ask(narrow);
    await world.write('update api_keys set revoked_at = 1 where id = $1', [narrow.id]);
    await ask(narrow);
    await world.call('GET', '/healthz');
    assert.deepEqual(await written(desk.hostId), {
      requests: 9,
      rejected: { API_KEY_REVOKED: 1, BOOKING_CONFLICT: 1, INSUFFICIENT_SCOPE: 1 },
      rate_limited: 1,
      delivered: 0,
      failed: 0,
    });
    assert.deepEqual(await figures(another.hostId), NOTHING);
  });

  test('count what was delivered, and every attempt that failed', async () => {
    const { host, receiver } = await aReceiver(world);
    await host.deliver();
    receiver.answer = () => ({ status: 500 });
    await host.deliver();
    world.clock.advance({ minutes: 1 });
    await deliverDue(world.ctx);
    const { delivered, failed } = await written(host.hostId);
    assert.deepEqual({ delivered, failed }, { delivered: 1, failed: 2 });
  });

  test('add up over time and processes, and forget what is a day old', async () => {
    const desk = await openDesk(world);
    await ask(desk, 2);
    assert.equal((await written(desk.hostId)).requests, 2);
    const other = { ...world.ctx, figures: new HostFigures() };
    other.figures.request(desk.hostId, undefined);
    await writeFigures(other);
    assert.equal((await figures(desk.hostId)).requests, 3);
    world.clock.advance({ hours: 23 });
    await ask(desk);
    assert.equal((await written(desk.hostId)).requests, 4);
    // The same slot as at first, a day later.
    world.clock.advance({ hours: 1 });
    await ask(desk, 5);
    assert.equal((await written(desk.hostId)).requests, 6);
    world.clock.advance({ hours: 48 });
    assert.deepEqual(await figures(desk.hostId), NOTHING);
  });

  test('wait in memory while the database is away', async () => {
    const desk = await openDesk(world);
    await ask(desk);
    await setImmediate();
    const transaction = () => Promise.reject(new DatabaseAway(new Error('on purpose')));
    await writeFigures({ ...world.ctx, db: Object.assign(Object.create(world.ctx.db), { transaction }) });
    assert.equal((await figures(desk.hostId)).requests, 0);
    assert.match(world.logText(), /"figures of hosts could not be written"/);
    await ask(desk);
    assert.equal((await written(desk.hostId)).requests, 2);
  });

  test('are written again and again, and when the service stops', async () => {
    const desk = await openDesk(world);
    const keeping = keepFigures(world.ctx, 10);
    await ask(desk);
    await until(async () => (await figures(desk.hostId)).requests === 1);
    await keeping.stop();
    const atTheEnd = keepFigures(world.ctx);
    await ask(desk);
    await setImmediate();
    await atTheEnd.stop();
    assert.equal((await figures(desk.hostId)).requests, 2);
  });

  test('stand in host show, for programs and for people', async () => {
    const desk = await openDesk(world);
    world.clock.advance({ milliseconds: Date.now() - world.clock.now() });
    await ask(desk, 2);
    await world.call('GET', `${SPACES}/nonsense`, { key: desk.key });
    await written(desk.hostId);
    const show = ['host', 'show', desk.hostId];
    const settings = { DATABASE_URL: world.databaseUrl };
    const { stdout, stderr } = await hourkeep([...show, '--json'], settings);
    assert.equal(stderr, '');
    const { last_24h, ...host } = JSON.parse(stdout);
    assert.equal(host.id, desk.hostId);
    assert.deepEqual(last_24h, { ...NOTHING, requests: 3, rejected: { NOT_FOUND: 1 } });
    const lines = (await hourkeep(show, settings)).stdout.trim().split('\n').slice(-2);
    assert.deepEqual(lines, [
      'Last 24 hours: 3 requests, 0 of them rate limited; 0 webhooks delivered, 0 attempts failed',
      '  rejected with NOT_FOUND: 1',
    ]);
  });
});
