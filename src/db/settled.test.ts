import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import { Client } from 'pg';
import { onBothEngines, onPostgres, type TestDatabase } from '../../test/support/engines.ts';
import { until } from '../../test/support/until.ts';
import { readConfig } from '../config.ts';
import { createLogger } from '../log.ts';
import type { Db } from './database.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open.ts';
import { systemClock } from '../time/clock.ts';

const NOW = Date.UTC(2027, 2, 1);

onBothEngines('settledBefore', (engine) => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await engine.createDatabase();
    db = open(database);
    await migrate(db, systemClock);
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  test('is at most a few seconds before now when nobody writes', async () => {
    const behind = NOW - (await db.settledBefore(NOW));
    assert.ok(behind >= 0 && behind <= 15_000, `${behind} ms`);
  });

  test('passes no transaction of another process that is open', async () => {
    const other = open(database);
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
    const asked = db.settledBefore(NOW).then((settled) => settled < NOW || hasEnded);
    mayEnd.resolve();
    await writing;
    assert.ok(await asked);
    await other.close();
  });
});

onPostgres('settledBefore', (engine) => {
  let database: TestDatabase;
  let db: Db;
  let session: Client;
  before(async () => {
    database = await engine.createDatabase();
    db = open(database);
    await migrate(db, systemClock);
    session = new Client({ connectionString: database.url });
    await session.connect();
  });
  after(async () => {
    await session.end();
    await db.close();
    await database.drop();
  });

  const SAID = `select objid::bigint + 1577836800 as began from pg_locks
    where locktype = 'advisory' and classid = 18507 and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())`;

  test('goes by when the bodies of open transactions began, however long ago that is', async () => {
    await session.query('begin');
    await session.query(
      'select pg_advisory_xact_lock_shared(18507, extract(epoch from now())::int - 1577836800 - 3600)',
    );
    const behind = NOW - (await db.settledBefore(NOW));
    assert.ok(behind >= 3600_000 && behind < 3700_000, `${behind} ms`);
    assert.ok(Number.isInteger(behind), `a cursor takes whole milliseconds, not ${behind}`);
    await session.query('rollback');
    await until(async () => NOW - (await db.settledBefore(NOW)) < 15_000);
  });

  test('is told by every transaction when its body began', async () => {
    const { rows: before } = await session.query(
      'select floor(extract(epoch from clock_timestamp()))::int as at',
    );
    await db.transaction(async (tx) => {
      await tx.lock('told');
      const { rows } = await session.query(SAID);
      assert.equal(rows.length, 1);
      assert.ok(Math.abs(Number(rows[0].began) - before[0].at) <= 2);
    });
    assert.deepEqual((await session.query(SAID)).rows, []);
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
    const one = open(database, { DATABASE_POOL_SIZE: '1' });
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

function open(database: TestDatabase, settings: Record<string, string> = {}): Db {
  return openDatabase(readConfig({ ...settings, DATABASE_URL: database.url }), createLogger('silent'));
}
