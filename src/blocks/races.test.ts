import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'pg';
import { Random } from '../../test/simulate/random.ts';
import { refused } from '../../test/support/answer.ts';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines, onPostgres } from '../../test/support/engines.ts';
import { untilWaiting } from '../../test/support/until.ts';
import { useWorld } from '../../test/support/world.ts';
import { newId } from '../ids/uuid.ts';

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

  const dayOfMarch = (day: number) => `2027-03-${String(day).padStart(2, '0')}`;

  /** Hours of a random day or of many, the same ones for the same seed. */
  function wantedHours(random: Random) {
    const pick = (count: number) => random.below(count);
    const [first, start_hour] = [1 + pick(20), 8 + pick(10)];
    const date = dayOfMarch(first);
    return {
      kind: (['book', 'book', 'book', 'block', 'block', 'skip', 'unblock'] as const)[pick(7)]!,
      oneDate: { date, start_hour, end_hour: start_hour + 1 + pick(3) },
      end_date: dayOfMarch(first + pick(10)),
    };
  }

  for (const seed of [1, 2, 3])
    test(`many days at once are all or nothing, whatever they race with (seed ${seed})`, async () => {
      const desk = await openDesk(world);
      const path = `/api-blocks/api/v1/spaces/${desk.spaceId}/blocks`;
      const random = new Random(seed);
      const answers = await Promise.all(
        Array.from({ length: 60 }, async (_, i) => {
          const { kind, oneDate, end_date } = wantedHours(random);
          const headers = { 'x-request-id': `race-${seed}-${i}` };
          if (kind === 'book') return { kind, i, answer: await desk.book(oneDate, headers) };
          const body = { ...oneDate, end_date, ...(kind === 'skip' ? { skip_occupied: true } : {}) };
          const method = kind === 'unblock' ? 'DELETE' : 'POST';
          return { kind, i, answer: await world.call(method, path, { key: desk.key, headers, body }) };
        }),
      );
      const rows = await world.rows<{ request_id: string; data: string }>(
        `select request_id, data from events where host_id = $1 and type = 'availability.changed' order by id`,
        [desk.hostId],
      );
      const told = Map.groupBy(rows, (row) => row.request_id);
      const balance = new Map<string, number>();
      for (const { kind, i, answer } of answers) {
        assert.ok([200, 409].includes(answer.status), answer.text);
        const events = (told.get(`race-${seed}-${i}`) ?? []).map(({ data }) => JSON.parse(data));
        for (const { date, hours } of events)
          for (const hour of hours) {
            const key = `${date} ${hour}`;
            balance.set(key, (balance.get(key) ?? 0) + (kind === 'unblock' ? -1 : 1));
          }
        if (answer.status === 409) assert.deepEqual(events, []);
        else if (kind !== 'book') {
          const days = answer.body.data.days.map(({ date, blocked_hours, unblocked_hours }) => ({
            date,
            hours: blocked_hours ?? unblocked_hours,
          }));
          const changed = days.filter(({ hours }) => hours.length > 0);
          assert.deepEqual(
            events.map(({ date, hours }) => ({ date, hours })),
            changed,
          );
          if (kind === 'block') assert.deepEqual(changed, days);
        }
      }
      assert.ok([...balance.values()].every((count) => count === 0 || count === 1));
      assert.deepEqual(
        (await desk.heldHours()).map(({ date, hour }) => `${date} ${hour}`).sort(),
        [...balance].flatMap(([key, count]) => (count === 1 ? [key] : [])).sort(),
      );
    });

  test('a year of many spaces lets other writes in between', async () => {
    const desk = await openDesk(world);
    const spaces = await Promise.all(Array.from({ length: 4 }, () => world.addSpace(desk.hostId)));
    const body = { date: DATE, end_date: '2028-03-18', start_hour: 0, end_hour: 24 };
    const done: string[] = [];
    const years = spaces.map(async (id) => {
      const path = `/api-blocks/api/v1/spaces/${id}/blocks`;
      assert.equal((await world.call('POST', path, { key: desk.key, body })).status, 200);
      done.push('year');
    });
    const booked = desk.book({ date: DATE }).then(() => done.push('booking'));
    await Promise.all([...years, booked]);
    assert.ok(done.indexOf('booking') <= 2, done.join());
  });
});

onPostgres('Many days, where somebody takes an hour after they were found free', (engine) => {
  const world = useWorld(engine);

  for (const skip_occupied of [false, true])
    test(skip_occupied ? 'leave that hour out' : 'are refused', async () => {
      const desk = await openDesk(world);
      const rival = new Client({ connectionString: world.databaseUrl });
      await rival.connect();
      const [block, hour] = [newId(), `'${desk.hostId}', '${desk.spaceId}'`];
      await rival.query(`
        begin;
        insert into blocks (host_id, environment, space_id, id, created_at, changed_at, revision)
          values ('${desk.hostId}', 'production', '${desk.spaceId}', '${block}', 0, 0, 0);
        insert into hours (host_id, space_id, date, hour, block_id) values
          (${hour}, '2027-03-18', 10, '${block}'), (${hour}, '2027-03-19', 9, '${block}'), (${hour}, '2027-03-19', 10, '${block}')`);
      const body = { date: DATE, end_date: '2027-03-20', start_hour: 9, end_hour: 11, skip_occupied };
      const answered = world.call('POST', `/api-blocks/api/v1/spaces/${desk.spaceId}/blocks`, {
        key: desk.key,
        body,
      });
      await untilWaiting(world);
      await rival.query('commit');
      await rival.end();
      const answer = await answered;
      const rows = await world.rows('select id from blocks where space_id = $1', [desk.spaceId]);
      if (skip_occupied) {
        assert.deepEqual(answer.body.data.days, [
          { date: '2027-03-18', blocked_hours: [9], occupied_hours: [10] },
          { date: '2027-03-19', blocked_hours: [], occupied_hours: [9, 10] },
          { date: '2027-03-20', blocked_hours: [9, 10], occupied_hours: [] },
        ]);
        assert.equal(rows.length, 3);
        assert.equal((await desk.events()).length, 2);
      } else {
        const { details } = refused(answer, 409, 'BLOCK_SLOT_OCCUPIED');
        assert.deepEqual(details, {
          days: [
            { date: '2027-03-18', hours: [10] },
            { date: '2027-03-19', hours: [9, 10] },
          ],
        });
        assert.equal(rows.length, 1);
        assert.deepEqual(await desk.events(), []);
      }
    });
});
