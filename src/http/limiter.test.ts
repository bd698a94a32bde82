import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Limiter, LOOK_MS } from './limiter.ts';

const STEADY = 256;
const CROWD = 500;

/** How many of so many requests are admitted. */
const begin = (limiter: Limiter, count: number): number =>
  Array.from({ length: count }, () => limiter.begin()).filter(Boolean).length;
const end = (limiter: Limiter, count: number): void => {
  for (let i = 0; i < count; i++) limiter.end();
};
const endAll = (limiter: Limiter): void => end(limiter, limiter.inFlight);

/** In overload, with nothing in flight and nothing served since the last look. */
function overloaded(): Limiter {
  const limiter = new Limiter();
  begin(limiter, 2000);
  limiter.look(1);
  endAll(limiter);
  limiter.look(1);
  return limiter;
}

/** The limit of an overloaded limiter with nothing in flight. */
function limitOf(limiter: Limiter): number {
  const limit = begin(limiter, 1000);
  endAll(limiter);
  return limit;
}

/** One look later, after so many were served and more were asked for than the limit allows. */
function serve(limiter: Limiter, served: number): Limiter {
  for (let i = 0; i < served; i++) {
    limiter.begin();
    limiter.end();
  }
  begin(limiter, 1000);
  limiter.look(1);
  endAll(limiter);
  return limiter;
}

describe('a limiter', () => {
  test('admits 256 requests for as long as they like, and a crowd of 500 on top', () => {
    const limiter = new Limiter();
    assert.equal(limiter.isFull, false);
    assert.equal(begin(limiter, 2000), STEADY + CROWD);
    assert.equal(limiter.inFlight, STEADY + CROWD);
    assert.equal(limiter.isFull, true);
  });

  test('admits one more for each that ends, once fewer than 256 are in flight', () => {
    const limiter = new Limiter();
    begin(limiter, 2000);
    end(limiter, CROWD);
    assert.equal(limiter.begin(), false);
    end(limiter, 3);
    assert.equal(begin(limiter, 10), 3);
  });

  test('knows at its next look that overload has begun, and that it is over', () => {
    const limiter = new Limiter();
    begin(limiter, 2000);
    assert.equal(limiter.isOverloaded, false);
    limiter.look(1);
    assert.equal(limiter.isOverloaded, true);
    endAll(limiter);
    limiter.look(0);
    assert.equal(limiter.isOverloaded, false);
    assert.equal(begin(limiter, 2000), STEADY + CROWD);
  });
});

describe('a limiter in overload', () => {
  test('admits as many as were served in 1.5 ms since the last look', () => {
    for (const [served, limit] of [
      [1000, 15],
      [600, 9],
      [200, 3],
      [5000, 75],
    ] as const) {
      assert.equal(limitOf(serve(overloaded(), served)), limit, `${served} in ${LOOK_MS} ms`);
    }
  });

  test('doubles its limit where it was not met: few were served because few asked', () => {
    for (const [looks, limit] of [
      [1, 30],
      [2, 60],
      [3, 120],
      [4, 240],
      [5, STEADY],
    ] as const) {
      const limiter = serve(overloaded(), 1000);
      for (let i = 0; i < looks; i++) limiter.look(1);
      assert.equal(limitOf(limiter), limit);
    }
  });

  for (const perMs of [1, 3, 10, 40]) {
    test(`keeps the average near 1.5 ms, and a machine that serves ${perMs} requests a ms busy`, () => {
      const { served, meanMs } = simulate({ perMs, offeredPerMs: 10 * perMs, fromMs: 2000, toMs: 4000 });
      assert.ok(served >= 0.95 * perMs * 2000, `served ${served}`);
      assert.ok(meanMs >= 1 && meanMs <= 3, `${meanMs} ms`);
    });
  }
});

/** A machine that serves its queue in order, and ten times as many requests as it can serve. Counted between two times. */
function simulate(load: { perMs: number; offeredPerMs: number; fromMs: number; toMs: number }): {
  served: number;
  meanMs: number;
} {
  const limiter = new Limiter();
  const queue: number[] = [];
  const waited: number[] = [];
  for (let now = 0; now < load.toMs; now++) {
    for (let i = 0; i < load.offeredPerMs; i++) if (limiter.begin()) queue.push(now);
    for (const since of queue.splice(0, load.perMs)) {
      limiter.end();
      if (now >= load.fromMs) waited.push(now + 1 - since);
    }
    if (now % LOOK_MS === LOOK_MS - 1) limiter.look(1);
  }
  return { served: waited.length, meanMs: waited.reduce((sum, ms) => sum + ms, 0) / waited.length };
}
