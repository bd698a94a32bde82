import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { read } from '../../src/db/database.ts';
import { DatabaseAway } from '../../src/errors.ts';
import { engines, onPostgres } from '../support/engines.ts';
import { networkTo, type Network } from '../support/network.ts';
import { onConnection } from '../support/query.ts';
import { assertUnavailable, worldAt } from '../support/own-server.ts';
import { openDesk } from '../support/booking.ts';
import { startWorld, useWorld, type Answer, type World } from '../support/world.ts';

describe('while the embedded database cannot be written', () => {
  test('writes are 503 with Retry-After, reads go on, and all is well again by itself', async () => {
    const sqlite = engines.find((engine) => engine.name === 'sqlite')!;
    const world = await startWorld(sqlite);
    const desk = await openDesk(world);
    const intruder = new DatabaseSync(world.databaseUrl.replace('sqlite:', ''));
    intruder.exec('begin immediate');
    const refused = await desk.book();
    assertUnavailable(refused);
    assert.equal(refused.body.error.outcome, 'not_done');
    assert.equal((await world.call('GET', '/api-bookings/api/v1/bookings', { key: desk.key })).status, 200);
    intruder.exec('rollback');
    intruder.close();
    assert.equal((await desk.book()).status, 200);
    await world.close();
  });
});

onPostgres('while', (postgres) => {
  describe('somebody else keeps a row locked', () => {
    const world = useWorld(postgres);

    test('whoever needs it is told 503 in the end, and everybody else is served meanwhile', async () => {
      const desk = await openDesk(world);
      await onConnection(world.databaseUrl, async (intruder) => {
        await intruder.query('begin');
        await intruder.query('select 1 from spaces where id = $1 for update', [desk.spaceId]);
        const answered = new AbortController();
        const blocking = desk.block().finally(() => answered.abort());
        while (!answered.signal.aborted) {
          const { status } = await world.call('GET', '/api-listings/api/v1/spaces', { key: desk.key });
          assert.equal(status, 200);
        }
        assertUnavailable(await blocking);
      });
      assert.equal((await desk.block()).status, 200);
    });
  });

  describe('one statement takes long and nobody else asks', () => {
    const world = useWorld(postgres);
    const pid = read<{ pid: number }>('select pg_backend_pid() as pid');
    const nap = read<{ slept: number }>('select 1 as slept, pg_sleep(3)');

    test('it is waited for, and no connection is given up', async () => {
      const { db } = world.ctx;
      const before = await db.get(pid);
      assert.equal((await db.get(nap))?.slept, 1);
      assert.deepEqual(await db.get(pid), before);
    });
  });

  describe('this process stood still', () => {
    const world = useWorld(postgres);
    const ping = read<{ one: number }>('select 1 as one');

    test('the database is not held to be away, and what it answered meanwhile is read', async () => {
      const { db } = world.ctx;
      const ask = (): Promise<unknown> =>
        Promise.all([db.get(ping), db.transaction(async (tx) => tx.get(ping))]);
      await ask();
      const answers = ask();
      await turn();
      standStill(2000);
      assert.deepEqual(await answers, [{ one: 1 }, { one: 1 }]);
    });
  });

  describe('the network to PostgreSQL swallows everything', () => {
    const SPACES = '/api-listings/api/v1/spaces';

    let network: Network;
    let world: World;
    before(async () => {
      const database = await postgres.createDatabase();
      const url = new URL(database.url);
      network = await networkTo(Number(url.port));
      url.port = String(network.port);
      world = await worldAt(url.href, {}, database.drop);
    });
    after(async () => {
      await world.close();
      network.close();
    });

    test('every answer is 503, and dead connections keep nobody waiting afterwards', async () => {
      const desk = await openDesk(world);
      const ask = (): Promise<Answer> => world.call('GET', SPACES, { key: desk.key });
      const crowd = (): Promise<Answer[]> => Promise.all(Array.from({ length: 20 }, ask));
      for (const answer of await crowd()) assert.equal(answer.status, 200);
      network.lose();
      // The first crowd finds its connections dead; the second waits for new ones, which never come about.
      for (const answer of [...(await crowd()), ...(await crowd())]) assertUnavailable(answer);
      network.find();
      const foundAt = performance.now();
      while ((await ask()).status !== 200) assert.ok(performance.now() - foundAt < 5000);
      for (const answer of await crowd()) assert.equal(answer.status, 200);
    });

    test('what a lost connection kept locked is free again within five seconds', async () => {
      const { db } = world.ctx;
      const hold = (): Promise<void> => db.transaction((tx) => tx.lock('the last seat'));
      const holdAndLose = db.transaction(async (tx) => {
        await tx.lock('the last seat');
        network.lose();
        await tx.lock('another');
      });
      await assert.rejects(holdAndLose, DatabaseAway);
      network.find();
      const foundAt = performance.now();
      let free = false;
      while (!free) {
        free = await hold().then(
          () => true,
          () => false,
        );
        assert.ok(performance.now() - foundAt < 5000);
      }
    });
  });
});

/** As a machine that is paused: nothing is read, and no timer fires. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
