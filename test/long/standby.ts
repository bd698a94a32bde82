import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openDesk, type Desk } from '../support/booking.ts';
import { assertUnavailable, onOwnServer, worldAt } from '../support/own-server.ts';
import { startPair, type Pair } from '../support/pair.ts';
import { query } from '../support/query.ts';
import type { Answer, World } from '../support/world.ts';

const SPACES = '/api-listings/api/v1/spaces';
const POOL = 4;
/** A pool, its reserve for reads, the monitor, and this test. */
const MOST_CONNECTIONS = POOL + 2 + 2;

onOwnServer(() => {
  describe('while the synchronous standby is away', () => {
    let pair: Pair;
    let world: World;
    let desk: Desk;
    before(async () => {
      pair = (await startPair())!;
      world = await worldAt(pair.url, settings);
      desk = await openDesk(world);
    });
    after(async () => {
      await world.close();
      pair.stop();
    });
    const settings = { DATABASE_POOL_SIZE: String(POOL), RATE_LIMIT_PRODUCTION: '10000' };
    let day = 0;
    const book = (fields = {}): Promise<Answer> =>
      desk.book({ date: new Date(Date.UTC(2027, 6, 1 + day++)).toISOString().slice(0, 10), ...fields });
    const read = (): Promise<Answer> => world.call('GET', SPACES, { key: desk.key });

    test('creates are 503 within two seconds and then at once, reads go on, and no connections pile up', async () => {
      for (const { status } of await Promise.all(Array.from({ length: 2 * POOL }, () => book())))
        assert.equal(status, 200);
      pair.standby.freeze();
      const first = await Promise.all(Array.from({ length: 3 * POOL }, () => timed(book())));
      for (const { answer, ms } of first) {
        assertUnavailable(answer);
        assert.ok(ms < 2000, `${ms} ms`);
      }
      const ends = performance.now() + 12_000;
      const counts: number[] = [];
      while (performance.now() < ends) {
        const [create, ...reads] = await Promise.all(
          [book(), ...Array.from({ length: 10 }, read)].map(timed),
        );
        assertUnavailable(create!.answer);
        assert.ok(create!.ms < 500, `a create took ${create!.ms} ms`);
        for (const { answer, ms } of reads) {
          assert.equal(answer.status, 200);
          assert.ok(ms < 2000, `a read took ${ms} ms`);
        }
        counts.push(await connections(pair.primary.url, "backend_type = 'client backend'"));
        await delay(200);
      }
      assert.ok(Math.max(...counts) <= MOST_CONNECTIONS, String(Math.max(...counts)));
      pair.standby.thaw();
      await untilBooked();
      assert.equal(await connections(pair.primary.url, "wait_event = 'SyncRep'"), 0);
    });

    test('a create that was 503 may have been made, and its idempotency key tells', async () => {
      pair.standby.freeze();
      const order = { date: '2027-06-01', idempotency_key: 'order-1', guest_email: 'one@example.com' };
      const outcomes: unknown[] = [];
      for (const answer of [await book(order), await book(order)]) {
        assertUnavailable(answer);
        outcomes.push(answer.body.error.outcome);
      }
      assert.deepEqual(outcomes, ['unknown', 'not_done']);
      pair.standby.thaw();
      await untilBooked();
      const answer = await book(order);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('idempotent-replayed'), 'true');
    });

    test('an operator who does without it has everything back at once', async () => {
      pair.standby.freeze();
      assertUnavailable(await book());
      await query(pair.primary.url, 'alter system reset synchronous_standby_names');
      await query(pair.primary.url, 'select pg_reload_conf()');
      await untilBooked();
      pair.standby.thaw();
    });

    async function untilBooked(): Promise<void> {
      const deadline = performance.now() + 5000;
      while ((await book()).status !== 200) {
        assert.ok(performance.now() < deadline, 'service is not back');
        await delay(20);
      }
    }
  });
});

async function timed(answering: Promise<Answer>): Promise<{ answer: Answer; ms: number }> {
  const sentAt = performance.now();
  const answer = await answering;
  return { answer, ms: performance.now() - sentAt };
}

async function connections(url: string, which: string): Promise<number> {
  return (await query(url, `select from pg_stat_activity where ${which}`)).length;
}
