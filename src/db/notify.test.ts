import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines, onPostgres } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';
import { openDatabase } from './open.ts';

onBothEngines('notify', (engine) => {
  const world = useWorld(engine);

  test('calls listeners after the commit, and not after a rollback', async () => {
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
});

onPostgres('notify', (engine) => {
  const world = useWorld(engine);

  test('reaches the listeners of another pool, and finds them again when the connection breaks', async () => {
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
    try {
      await next();
      await world.ctx.db.transaction(async (tx) => tx.notify());
      await next();
      assert.equal(calls, 2);
      await world.rows(`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name like 'hourkeep % monitor' and datname = current_database()`);
      await next();
      assert.equal(calls, 3, 'it is called when it is back: something may have been missed');
    } finally {
      await other.close();
    }
  });
});
