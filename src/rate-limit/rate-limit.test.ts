import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { hashApiKey } from '../ids/api-key.ts';
import { createRateLimit } from './rate-limit.ts';
import { refused } from '../../test/support/answer.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld, type Answer } from '../../test/support/world.ts';

const SPACES = '/api-listings/api/v1/spaces';

onBothEngines('the rate limit', (engine) => {
  const world = useWorld(engine, { RATE_LIMIT_PRODUCTION: '', RATE_LIMIT_SANDBOX: '' });
  let hostId: string;
  before(async () => {
    hostId = await world.addHost();
  });
  /** At most 100 at a time: more of one key are 503. */
  const statuses = async (key: string, count: number) => {
    const answers: Answer[] = [];
    while (answers.length < count) {
      const length = Math.min(100, count - answers.length);
      answers.push(...(await Promise.all(Array.from({ length }, () => world.call('GET', SPACES, { key })))));
    }
    return {
      ok: answers.filter((a) => a.status === 200).length,
      refused: answers.filter((a) => a.status === 429).length,
    };
  };

  test('of 300 requests with a production key exactly 100 are admitted', async () => {
    const { key } = await world.addKey(hostId);
    assert.deepEqual(await statuses(key, 300), { ok: 100, refused: 200 });
  });

  test('every authenticated response tells what is left, in both vocabularies', async (t) => {
    world.clock.restoreAfter(t);
    const { key } = await world.addKey(hostId);
    world.clock.advance({ milliseconds: 250 });
    const freeAt = world.clock.now() + 60_000;
    await world.call('GET', SPACES, { key });
    world.clock.advance({ milliseconds: 500 });
    const { headers } = await world.call('GET', `${SPACES}/nonsense`, { key });
    assert.equal(headers.get('ratelimit-policy'), '"default";q=100;w=60');
    assert.equal(headers.get('ratelimit'), '"default";r=98;t=60', 'whole seconds, never less than the wait');
    assert.equal(headers.get('x-ratelimit-limit'), '100');
    assert.equal(headers.get('x-ratelimit-remaining'), '98');
    assert.equal(headers.get('x-ratelimit-reset'), String(Math.ceil(freeAt / 1000)));
  });

  test('the 101st is 429 RATE_LIMIT_EXCEEDED with Retry-After', async () => {
    const { key } = await world.addKey(hostId);
    await statuses(key, 100);
    world.clock.advance({ seconds: 15 });
    const answer = await world.call('GET', SPACES, { key });
    const { details } = refused(answer, 429, 'RATE_LIMIT_EXCEEDED');
    assert.deepEqual(details, { limit: 100, window_seconds: 60, retry_after_seconds: 45 });
    assert.equal(answer.headers.get('retry-after'), '45');
    assert.equal(answer.headers.get('ratelimit'), '"default";r=0;t=45');
    assert.equal(answer.headers.get('x-ratelimit-remaining'), '0');
  });

  test('the window slides: requests come back one by one as old ones leave it, and refused ones never counted', async () => {
    const { key } = await world.addKey(hostId, { environment: 'sandbox' });
    assert.deepEqual(await statuses(key, 8), { ok: 8, refused: 0 });
    world.clock.advance({ seconds: 30 });
    assert.deepEqual(await statuses(key, 14), { ok: 12, refused: 2 });
    world.clock.advance({ seconds: 29, milliseconds: 999 });
    assert.deepEqual(await statuses(key, 1), { ok: 0, refused: 1 });
    world.clock.advance({ milliseconds: 1 });
    assert.deepEqual(await statuses(key, 12), { ok: 8, refused: 4 });
  });

  test('keys do not share a limit', async () => {
    const sandbox = { environment: 'sandbox' } as const;
    const [a, b] = [await world.addKey(hostId, sandbox), await world.addKey(hostId, sandbox)];
    assert.deepEqual(await statuses(a.key, 21), { ok: 20, refused: 1 });
    assert.equal((await world.call('GET', SPACES, { key: b.key })).status, 200);
  });

  test('the limit comes before the scope: a key without it is counted too', async () => {
    const { key } = await world.addKey(hostId, { environment: 'sandbox', scopes: ['bookings:read'] });
    for (let i = 0; i < 20; i++) assert.equal((await world.call('GET', SPACES, { key })).status, 403);
    assert.equal((await world.call('GET', SPACES, { key })).status, 429);
  });
});

onBothEngines('a rate limit of 0', (engine) => {
  const world = useWorld(engine, { RATE_LIMIT_PRODUCTION: '0' });

  test('is none, and tells nothing', async () => {
    const { key } = await world.addKey(await world.addHost());
    for (let i = 0; i < 150; i++) {
      const { status, headers } = await world.call('GET', SPACES, { key });
      assert.equal(status, 200);
      assert.equal(headers.get('ratelimit'), null);
    }
  });
});

onBothEngines('a key’s window', (engine) => {
  const world = useWorld(engine);
  const limitedTo = (limit: number) =>
    createRateLimit({
      ...world.ctx,
      config: { ...world.ctx.config, rateLimits: { production: limit, sandbox: limit } },
    });

  const steps = (limit: fc.Arbitrary<number>) =>
    fc.array(fc.record({ ms: fc.integer({ min: -500, max: 30_000 }), limit }), { maxLength: 60 });
  const limit = fc.integer({ min: 1, max: 7 });
  // On SQLite a process remembers by itself; the database goes on counting when one starts with another limit.
  const patterns = engine.name === 'sqlite' ? limit.chain((one) => steps(fc.constant(one))) : steps(limit);

  test('never holds more than the limit, whatever the pattern and however the limit changes', async () => {
    const hostId = await world.addHost();
    const admitWith = new Map(Array.from({ length: 7 }, (_, i) => [i + 1, limitedTo(i + 1)]));
    await fc.assert(
      fc.asyncProperty(patterns, async (pattern) => {
        const { key } = await world.addKey(hostId);
        const admitted: number[] = [];
        // What the limiter has been told: a clock that is set back before the first request is no step back.
        let latest = -Infinity;
        for (const { ms, limit } of pattern) {
          world.clock.advance({ milliseconds: ms });
          latest = Math.max(latest, world.clock.now());
          const { at, rate } = (await admitWith.get(limit)!(hashApiKey(key)))!;
          const inWindow = () => admitted.filter((time) => time > latest - 60_000).length;
          assert.equal(at, latest);
          assert.equal(rate!.admitted, inWindow() < limit);
          if (rate!.admitted) admitted.push(latest);
          assert.equal(rate!.remaining, Math.max(0, limit - inWindow()));
          assert.ok(rate!.resetsAt > at && rate!.resetsAt <= at + 60_000);
        }
      }),
      {
        numRuns: 25,
        examples: [[[-1, 13_205, 22_804, 7_627, 16_364].map((ms) => ({ ms, limit: 1 }))]],
      },
    );
  });

  test('is not stuck in the future when the clock steps a day ahead and back', async () => {
    const admit = limitedTo(3);
    const hash = hashApiKey((await world.addKey(await world.addHost())).key);
    const admittedOfFour = async (): Promise<number> => {
      const all = await Promise.all([admit(hash), admit(hash), admit(hash), admit(hash)]);
      return all.filter((admission) => admission!.rate!.admitted).length;
    };
    assert.equal(await admittedOfFour(), 3);
    for (const step of [{ hours: 24 }, { hours: -24 }, { seconds: 60 }]) {
      world.clock.advance(step);
      assert.equal(await admittedOfFour(), 3, JSON.stringify(step));
    }
  });
});
