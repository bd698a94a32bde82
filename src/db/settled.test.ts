import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { onBothEngines, onPostgres } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';
import { engineOnly } from './database.ts';
import { openDatabase } from './open.ts';

const NOW = Date.UTC(2027, 2, 1);
const beganAnHourAgo = engineOnly(
  'postgres',
  'select pg_advisory_xact_lock_shared(18507, extract(epoch from now())::int - 1577836800 - 3600)',
);

onBothEngines('settledBefore', (engine) => {
  const world = useWorld(engine);

  test('is at most a few seconds before now when nobody writes', async () => {
    const behind = NOW - (await world.ctx.db.settledBefore(NOW));
    assert.ok(behind >= 0 && behind <= 15_000, `${behind} ms`);
  });

  test('passes no transaction of another process that is open', async () => {
    const other = openDatabase(world.ctx.config, world.ctx.log);
    const isOpen = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    let hasEnded = false;
    const writing = other
      .transaction(async (tx) => {
        await tx.lock('open');
        isOpen.resolve();
        await mayEnd.promise;
      })
      .then(() => {
        hasEnded = true;
      });
    await isOpen.promise;
    const asked = world.ctx.db.settledBefore(NOW).then((settled) => settled < NOW || hasEnded);
    mayEnd.resolve();
    await writing;
    assert.ok(await asked);
    await other.close();
  });
});

onPostgres('settledBefore', (engine) => {
  const world = useWorld(engine);

  const SAID = `select objid::bigint + 1577836800 as began from pg_locks
    where locktype = 'advisory' and classid = 18507 and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())`;

  test('goes by when the bodies of open transactions began, however long ago that is', async () => {
    const { db } = world.ctx;
    await db.transaction(async (tx) => {
      await tx.run(beganAnHourAgo);
      const behind = NOW - (await db.settledBefore(NOW));
      assert.ok(behind >= 3600_000 && behind < 3700_000, `${behind} ms`);
      assert.ok(Number.isInteger(behind), `a cursor takes whole milliseconds, not ${behind}`);
    });
    assert.ok(NOW - (await db.settledBefore(NOW)) < 15_000);
  });

  test('is told by every transaction when its body began', async () => {
    const before = await world.row<{ at: number }>(
      'select floor(extract(epoch from clock_timestamp()))::int as at',
    );
    await world.ctx.db.transaction(async (tx) => {
      await tx.lock('told');
      const said = await world.row<{ began: number }>(SAID);
      assert.ok(Math.abs(said.began - before.at) <= 2);
    });
    assert.deepEqual(await world.rows(SAID), []);
  });

  /**
   * Steps the server's clock, or lets so much time pass between a body and its first statement. One mock for all steps: several of
   * one method are restored in the order in which they were made, and the last but one would stay.
   */
  const serverClock = (t: TestContext): ((aheadMs: number) => void) => {
    const real = performance.now.bind(performance);
    let ahead = 0;
    t.mock.method(performance, 'now', () => real() - ahead);
    return (aheadMs) => {
      ahead += aheadMs;
    };
  };

  test('holds because a transaction that comes late does nothing: it is done again, with a new time', async (t) => {
    const { db } = world.ctx;
    await db.transaction((tx) => tx.lock('the server’s time is known from here on'));
    serverClock(t)(20_000);
    let runs = 0;
    await db.transaction(async (tx) => {
      runs++;
      await tx.lock('late');
    });
    assert.equal(runs, 2);
  });

  test('fails no transaction when the server’s clock steps while many are open', async (t) => {
    // They wait for one another: while the first learns the new time, others begin.
    const one = openDatabase({ ...world.ctx.config, databasePoolSize: 1 }, world.ctx.log);
    t.after(() => one.close());
    const lockTen = (): Promise<unknown> =>
      Promise.all(Array.from({ length: 10 }, (_, i) => one.transaction((tx) => tx.lock(`${i}`))));
    await lockTen();
    const step = serverClock(t);
    for (const aheadMs of [20_000, 3_600_000, -20_000, -3_600_000]) {
      step(aheadMs);
      await lockTen();
    }
  });
});
