import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { read } from '../../src/db/database.ts';
import { openDesk } from '../support/booking.ts';
import { startCluster, type Cluster } from '../support/cluster.ts';
import { networkTo, type Network } from '../support/network.ts';
import { notTested, onOwnServer, worldAt } from '../support/own-server.ts';
import { pgBouncerVersion, startPgBouncer, tracksPreparedStatements } from '../support/pooler.ts';
import { query } from '../support/query.ts';
import type { World } from '../support/world.ts';

const SPACES = '/api-listings/api/v1/spaces';

// Few connections to the server, so that ours must share them. It ignores none of our start-up parameters, so it would
// refuse any.
const FEW = { default_pool_size: '4', max_client_conn: '500' };

onOwnServer(() => {
  if (pgBouncerVersion === undefined) return notTested('poolers: pgbouncer is not installed');
  for (const mode of ['session', 'transaction'] as const) {
    describe(`behind a pooler in session mode, with DATABASE_POOLER=${mode}`, () => {
      behaves(mode, { pool_mode: 'session', ...FEW, default_pool_size: '20' });
    });
  }
  if (!tracksPreparedStatements)
    return notTested('transaction mode: pgbouncer is older than 1.21 (PGBOUNCER can name another)');
  describe('behind a pooler in transaction mode', () => {
    behaves('transaction', { pool_mode: 'transaction', max_prepared_statements: '200', ...FEW });
    sharesConnections();
  });
});

/** What must hold behind any pooler. */
function behaves(mode: 'session' | 'transaction', settings: Record<string, string>): void {
  const place = usePlace(mode, settings);

  test('a transaction has its time limits, and leaves none behind', async () => {
    const { db } = place.world.ctx;
    const inside = await db.transaction(async (tx) => {
      await tx.lock('it begins with the first write');
      return tx.get(limits);
    });
    assert.deepEqual(inside, { idle: '4s', lock: '3s' });
    const outside = await Promise.all(Array.from({ length: 8 }, () => db.get(limits)));
    assert.deepEqual(
      new Set(outside.map((found) => JSON.stringify(found))),
      new Set(['{"idle":"0","lock":"0"}']),
    );
  });

  test('listeners hear of a commit', async () => {
    const { db } = place.world.ctx;
    let heard = Promise.withResolvers<void>();
    const stop = db.listen(() => heard.resolve());
    await heard.promise;
    // Its own process hears by itself: whatever comes over LISTEN is heard besides.
    heard = Promise.withResolvers<void>();
    await place.direct('notify hourkeep_work');
    await heard.promise;
    stop();
  });

  test('a statement that takes long is waited for, and no connection is given up', async () => {
    const { db } = place.world.ctx;
    const before = db.pool().total;
    assert.equal((await db.get(nap))?.slept, 1);
    assert.equal(db.pool().total, before);
  });

  test('after a statement that failed, those that were sent with it can be sent again', async () => {
    const { db } = place.world.ctx;
    const both = (divisor: number) =>
      db.transaction(async (tx) => {
        await tx.lock('it begins with the first write');
        return Promise.all([tx.all(divide, [divisor]), tx.all(behind, [divisor])]);
      });
    for (let i = 0; i < 10; i++) await assert.rejects(both(0), /division by zero/);
    for (let i = 1; i < 10; i++) assert.deepEqual(await both(i), [[{ quotient: 1 / i }], [{ divisor: i }]]);
  });

  test('while the network to the pooler is lost every answer is 503, and then all is well by itself', async () => {
    const desk = await openDesk(place.world);
    const ask = () => place.world.call('GET', SPACES, { key: desk.key });
    assert.equal((await ask()).status, 200);
    place.network.lose();
    const lostAt = performance.now();
    assert.equal((await ask()).status, 503);
    assert.ok(performance.now() - lostAt < 2500);
    place.network.find();
    const foundAt = performance.now();
    while ((await ask()).status !== 200) assert.ok(performance.now() - foundAt < 5000);
  });
}

const limits = read<{ idle: string; lock: string }>(
  `select current_setting('idle_in_transaction_session_timeout') as idle, current_setting('lock_timeout') as lock`,
);
const nap = read<{ slept: number }>('select 1 as slept, pg_sleep(3)');
const divide = read<{ quotient: number }>('select 1 / $1::float8 as quotient');
const behind = read<{ divisor: number }>('select $1::int as divisor');

function sharesConnections(): void {
  const place = usePlace('transaction', {
    pool_mode: 'transaction',
    max_prepared_statements: '20',
    ...FEW,
    default_pool_size: '2',
  });

  test('many are served over two connections, though the pooler remembers few statements', async () => {
    const { world } = place;
    const desk = await openDesk(world);
    const days = Array.from({ length: 28 }, (_, i) => `2027-07-${String(i + 1).padStart(2, '0')}`);
    const answers = await Promise.all(
      days.flatMap((date) => [desk.book({ date }), world.call('GET', SPACES, { key: desk.key })]),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const [{ count }] = (await place.direct(
      `select count(*)::int as count from pg_stat_activity where application_name ~ '^hourkeep [0-9.]+$' and datname = current_database()`,
    )) as [{ count: number }];
    assert.equal(count, 2);
  });
}

interface Place {
  world: World;
  /** Between the service and the pooler. */
  network: Network;
  direct(statement: string): Promise<unknown[]>;
}

/** A service behind a network behind a pooler, for all tests of a suite. */
function usePlace(mode: 'session' | 'transaction', settings: Record<string, string>): Place {
  const place = {} as Place;
  let cluster: Cluster;
  let stopPooler: () => Promise<void>;
  before(async () => {
    cluster = (await startCluster())!;
    const pooler = await startPgBouncer(cluster.url, settings);
    stopPooler = pooler.stop;
    const url = new URL(pooler.url);
    place.network = await networkTo(Number(url.port));
    url.port = String(place.network.port);
    const direct = mode === 'transaction' ? { DATABASE_DIRECT_URL: cluster.url } : {};
    place.world = await worldAt(url.href, { DATABASE_POOLER: mode, ...direct });
    place.direct = (statement) => query(cluster.url, statement);
  });
  after(async () => {
    await place.world.close();
    place.network.close();
    await stopPooler();
    cluster.stop();
  });
  return place;
}
