import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../test/support/engines.ts';
import { send, useWorld } from '../../test/support/world.ts';
import { buildApp } from '../app.ts';
import type { Context } from '../context.ts';
import { SchemaWatch } from '../db/migrate.ts';
import { DatabaseAway } from '../errors.ts';

// The disk that is full and the database that is away in earnest are in test/long: full-disk.ts, outage.ts.

onBothEngines('/readyz', (engine) => {
  const world = useWorld(engine);

  /** What it answers where a database answers some calls in its own way. */
  async function asked(own: Partial<Context['db']> = {}, isReady = true) {
    const db = new Proxy(world.ctx.db, {
      get: (target, name) => {
        const value: unknown = Reflect.get(name in own ? own : target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const ctx = { ...world.ctx, db };
    const app = await buildApp(ctx, new SchemaWatch(db), () => isReady);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const { status, body } = await send(url, 'GET', '/readyz');
    await app.close();
    return { status, body };
  }
  const away = (code: string) => () =>
    Promise.reject(new DatabaseAway(Object.assign(new Error('of 10.0.0.7:5432'), { code })));

  test('is 200 when all is well, like /healthz', async () => {
    assert.deepEqual(await asked(), { status: 200, body: { status: 'ready' } });
    assert.deepEqual((await world.call('GET', '/healthz')).body, { status: 'ok' });
  });

  for (const [reason, own, isReady] of [
    ['starting', {}, false],
    ['database', { all: away('ECONNREFUSED') }, true],
    ['disk', { once: away('53100') }, true],
  ] as const) {
    test(`says ${reason} and no more, and the log the rest`, async () => {
      const { status, body } = await asked(own, isReady);
      assert.equal(status, 503);
      const { request_id: _, ...error } = body.error;
      assert.deepEqual(error, {
        code: 'SERVICE_UNAVAILABLE',
        message: 'The service is not ready',
        http_status: 503,
        details: { reason },
        outcome: 'not_done',
      });
      if (isReady) assert.match(world.logText(), /10\.0\.0\.7.*"not ready"/);
    });
  }
});
