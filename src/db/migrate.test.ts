import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { engines, onBothEngines } from '../../test/support/engines.ts';
import { startWorld, useWorld } from '../../test/support/world.ts';
import * as hours from '../hours/hours.ts';

onBothEngines('migrations', (engine) => {
  const world = useWorld(engine);

  test('those of the other engine are left out', async () => {
    const applied = await world.rows('select name from schema_migrations');
    const others = engine.name === 'sqlite' ? '.postgres.sql' : '.sqlite.sql';
    assert.ok(applied.length > 5);
    assert.deepEqual(
      applied.filter(({ name }) => name.endsWith(others)),
      [],
    );
  });
});

test('tables of SQLite that are made anew keep their rows and indexes', async () => {
  const sqlite = engines.find(({ name }) => name === 'sqlite')!;
  const world = await startWorld(sqlite);
  const desk = await openDesk(world);
  await desk.book({ idempotency_key: 'once' });
  await world.ctx.db.transaction((tx) =>
    hours.addExternal(tx, 'calendar-1', { spaceId: desk.spaceId, date: '2027-06-01', hour: 9 }),
  );
  await world.rows(`insert into deliveries (event_id, webhook_id, status, attempts, due_at)
    select id, 'webhook-1', 'pending', 0, 0 from events`);
  const look = async (): Promise<unknown[][]> => {
    const tables = ['bookings', 'deliveries', 'hours', 'external_hours'];
    const rows = await Promise.all(tables.map((table) => world.rows(`select * from ${table}`)));
    const schema = await world.rows(`select type, name, tbl_name from sqlite_schema order by type, name`);
    return [...rows, schema];
  };
  const before = await look();
  assert.ok(before.every((rows) => rows.length > 0));
  const file = new URL('../../migrations/0008_lighter_writes.sqlite.sql', import.meta.url);
  await world.ctx.db.exclusive((tx) => tx.script(readFileSync(file, 'utf8')));
  assert.deepEqual(await look(), before);
  await world.close();
});
