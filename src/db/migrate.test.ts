import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';

onBothEngines('migrations', (engine) => {
  const world = useWorld(engine);

  test('those of the other engine are left out', async () => {
    const applied = await world.rows<{ name: string }>('select name from schema_migrations order by name');
    assert.equal(applied[0]?.name, `0001_schema.${engine.name}.sql`);
    const other = engine.name === 'sqlite' ? '.postgres.sql' : '.sqlite.sql';
    assert.deepEqual(
      applied.filter(({ name }) => name.endsWith(other)),
      [],
    );
  });
});
