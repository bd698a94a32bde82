import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';

const DATE = '2027-03-18';
const ROUNDS = 6;
const RIVALS = 24;

onBothEngines('Blocks that race', (engine) => {
  const world = useWorld(engine);

  async function setUp() {
    const desk = await openDesk(world);
    const { key, spaceId } = desk;
    const blocks = `/api-blocks/api/v1/spaces/${spaceId}/blocks`;
    const range = (start_hour: number, end_hour: number) => ({ date: DATE, start_hour, end_hour });
    return {
      block: (from: number, to: number) => world.call('POST', blocks, { key, body: range(from, to) }),
      unblock: (from: number, to: number) => world.call('DELETE', blocks, { key, body: range(from, to) }),
      book: (from: number, to: number) => desk.book(range(from, to)),
      held: async () => (await desk.heldHours()).map(({ hour }) => hour),
      usedUp: () =>
        world.rows(
          'select id from blocks where id not in (select block_id from hours where block_id is not null)',
        ),
      changes: async () =>
        (await desk.events()).flatMap(({ type, data }) => (type === 'availability.changed' ? data : [])),
    };
  }

  test('of many blocks and bookings for one hour exactly one wins', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const space = await setUp();
      const answers = await Promise.all(
        Array.from({ length: RIVALS }, (_, i) => {
          // Every one of these ranges holds hour 12.
          const from = 10 + (i % 3);
          const to = 13 + (i % 4);
          return i % 2 === 0 ? space.block(from, to) : space.book(from, to);
        }),
      );
      const won = answers.filter((answer) => answer.status === 200);
      const lost = answers.filter((answer) => answer.status === 409);
      assert.equal(won.length, 1);
      assert.equal(lost.length, RIVALS - 1);
      const changes = await space.changes();
      assert.equal(changes.length, 1);
      assert.deepEqual(await space.held(), changes[0]!.hours);
    }
  });

  test('of many removals of one block each hour is freed and announced once', async () => {
    const space = await setUp();
    await space.block(0, 24);
    const answers = await Promise.all(
      Array.from({ length: RIVALS }, (_, i) => space.unblock(i % 12, 12 + (i % 12))),
    );
    const freed = answers.flatMap((answer) => answer.body.data.unblocked_hours);
    assert.deepEqual(
      freed.sort((a, b) => a - b),
      Array.from({ length: 23 }, (_, hour) => hour),
    );
    const announced = (await space.changes()).filter((change) => change.cause === 'block_deleted');
    assert.deepEqual(
      announced.flatMap((change) => change.hours).sort((a, b) => a - b),
      freed,
    );
    assert.ok(announced.every((change) => change.hours.length > 0));
  });

  test('blocks, removals and bookings all at once end in a state that the events explain', async () => {
    const space = await setUp();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => {
        const from = (i * 7) % 20;
        const to = from + 1 + (i % 4);
        if (i % 3 === 0) return space.block(from, to);
        return i % 3 === 1 ? space.unblock(from, to) : space.book(from, to);
      }),
    );
    assert.ok(answers.every((answer) => answer.status === 200 || answer.status === 409));
    const balance = new Map<number, number>();
    for (const { hours, cause } of await space.changes()) {
      const step = cause === 'block_deleted' ? -1 : 1;
      for (const hour of hours) balance.set(hour, (balance.get(hour) ?? 0) + step);
    }
    assert.deepEqual(
      await space.held(),
      [...balance].flatMap(([hour, count]) => (count === 1 ? [hour] : [])).sort((a, b) => a - b),
    );
    assert.ok([...balance.values()].every((count) => count === 0 || count === 1));
    assert.deepEqual(await space.usedUp(), []);
  });
});
