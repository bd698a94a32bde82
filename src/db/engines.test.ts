import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../config.ts';
import { createLogger } from '../log.ts';
import { TestClock } from '../../test/support/clock.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';
import { read, write } from './database.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open.ts';

const put = write('insert into settings (name, value) values ($1, $2)');
const all = read<{ name: string; value: string }>(
  'select name, value from settings where value = $1 order by name',
);
const count = read<{ total: number }>('select count(*) as total from settings');
const named = read<{ value: string }>('select value from settings where name = $1');
const selectHelpers = read<{ most: string }>(
  `select current_setting('max_parallel_workers_per_gather') as most`,
);
const selectPlans = read<{ generic_plans: number; custom_plans: number }>(
  'select generic_plans, custom_plans from pg_prepared_statements where name = $1',
);
const selectMode = read<{ mode: string }>(`select current_setting('plan_cache_mode') as mode`);

onBothEngines('the database layer', (engine) => {
  const world = useWorld(engine);

  test('of many transactions at once each stands or falls alone', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, i) =>
        world.ctx.db.transaction(async (tx) => {
          await tx.run(put, [`m${String(i).padStart(2, '0')}`, 'many']);
          if (i % 3 === 0) throw new Error(`refused ${i}`);
          return i;
        }),
      ),
    );
    assert.equal(outcomes.filter((outcome) => outcome.status === 'rejected').length, 20);
    const names = (await world.ctx.db.all(all, ['many'])).map((row) => row.name);
    const expected = Array.from({ length: 60 }, (_, i) => i).filter((i) => i % 3 !== 0);
    assert.deepEqual(
      names,
      expected.map((i) => `m${String(i).padStart(2, '0')}`),
    );
  });

  test('reads that travel together are answered in their order', async () => {
    const { db } = world.ctx;
    await db.once(put, ['t', 'together']);
    assert.deepEqual(
      await db.readAlongIndexes([
        [all, ['together']],
        [all, ['nobody']],
        [count, []],
      ]),
      [[{ name: 't', value: 'together' }], [], await db.all(count)],
    );
  });

  if (engine.name === 'postgres') {
    test('reads that travel together get the plan for any values, and later ones do not', async () => {
      const { db } = world.ctx;
      const [, [plans]] = await db.readAlongIndexes([
        [named, ['t']],
        [selectPlans, [named.name]],
      ]);
      assert.equal(plans!.custom_plans, 0);
      assert.ok(plans!.generic_plans > 0);
      assert.deepEqual(await db.get(selectMode), { mode: 'auto' });
    });

    test('reads that travel together start no other processes to help them', async () => {
      const { db } = world.ctx;
      assert.deepEqual(await db.readAlongIndexes([[selectHelpers, []]]), [[{ most: '0' }]]);
    });

    test('of two transactions that wait for each other one is repeated, and both succeed', async () => {
      let locked = 0;
      const both = Promise.withResolvers<void>();
      const take = (mine: string, other: string): Promise<void> =>
        world.ctx.db.transaction(async (tx) => {
          await tx.lock(mine);
          if (++locked === 2) both.resolve();
          await both.promise;
          await tx.lock(other);
        });
      await Promise.all([take('left', 'right'), take('right', 'left')]);
      assert.equal(locked, 3);
    });

    test('notify reaches the listeners of another pool, and finds them again when the connection breaks', async (t) => {
      const other = openDatabase(world.ctx.config, world.ctx.log);
      let calls = 0;
      let heard = Promise.withResolvers<void>();
      const next = async (): Promise<void> => {
        await heard.promise;
        heard = Promise.withResolvers<void>();
      };
      other.listen(() => {
        calls++;
        heard.resolve();
      });
      t.after(() => other.close());
      await next();
      await world.ctx.db.transaction(async (tx) => tx.notify());
      await next();
      assert.equal(calls, 2);
      await world.rows(`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name like 'hourkeep % monitor' and datname = current_database()`);
      await next();
      assert.equal(calls, 3, 'it is called when it is back: something may have been missed');
    });
  }

  test('a read outside the transaction does not see what is not committed', async () => {
    const seen = await world.ctx.db.transaction(async (tx) => {
      await tx.run(put, ['pending', 'isolation']);
      const inside = await tx.all(all, ['isolation']);
      const outside = await world.ctx.db.all(all, ['isolation']);
      return { inside: inside.length, outside: outside.length };
    });
    assert.deepEqual(seen, { inside: 1, outside: 0 });
    assert.equal((await world.ctx.db.all(all, ['isolation'])).length, 1);
  });

  test('notify calls listeners after the commit, and not after a rollback', async () => {
    const { db } = world.ctx;
    let calls = 0;
    let heard = Promise.withResolvers<void>();
    const stop = db.listen(() => {
      calls++;
      heard.resolve();
    });
    // On PostgreSQL a listener is also called when its connection stands.
    if (engine.name === 'postgres') await heard.promise;
    calls = 0;
    heard = Promise.withResolvers<void>();
    await assert.rejects(
      db.transaction(async (tx) => {
        tx.notify();
        throw new Error('undone');
      }),
    );
    assert.equal(calls, 0);
    await db.transaction(async (tx) => {
      tx.notify();
      assert.equal(calls, 0);
    });
    await heard.promise;
    stop();
  });

  test('ten that open a database at once migrate it once', async () => {
    const database = await engine.createDatabase();
    const clock = new TestClock();
    const open = () =>
      openDatabase(readConfig({ DATABASE_URL: database.url }), createLogger('silent'), 20_000);
    const dbs = Array.from({ length: 10 }, open);
    const results = await Promise.all(dbs.map((db) => migrate(db, clock)));
    assert.equal(results.filter(({ applied }) => applied.length > 0).length, 1);
    await Promise.all(dbs.map((db) => db.close()));
    await database.drop();
  });
});
