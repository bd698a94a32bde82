import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { BooksRun, START } from '../books/run.ts';
import { TestClock } from '../support/clock.ts';
import { onBothEngines, onPostgres, type Engine } from '../support/engines.ts';
import { hourkeep, makeFolder } from '../support/process.ts';
import { startWorld, TEST_SECRET_KEY, useWorld } from '../support/world.ts';

onBothEngines('books, at length', (engine) => {
  const world = useWorld(engine, {}, new TestClock(START));

  test('agree with a model of them over four months of random operations', async () => {
    const run = new BooksRun(world, 4711);
    await run.open();
    await run.run(2000);
    run.assertReached();
  });
});

onPostgres('books that go elsewhere', (postgres) => {
  test('are the same in a backup, after restore and after copy, and go on there', async (t) => {
    const folder = makeFolder();
    t.after(() => folder.remove());
    const [file, backup] = [join(folder.path, 'hourkeep.db'), join(folder.path, 'backup.db')];
    const settings = { DATABASE_URL: `sqlite:${file}`, SECRET_KEY: TEST_SECRET_KEY };
    const succeed = async (...args: string[]) => {
      const { code, stderr } = await hourkeep([...args, '--json'], settings);
      assert.deepEqual([code, stderr], [0, ''], args.join(' '));
    };
    const clock = new TestClock(START);
    const open = (name: Engine['name'], url: string) => startWorld(at(name, url), {}, clock);
    const first = await open('sqlite', settings.DATABASE_URL);
    const run = new BooksRun(first, 1494);
    await run.open();
    await run.run(600, '2027-03-31T22:00:00Z');

    await succeed('backup', backup);
    await run.driftUnnoticed();
    await first.close();
    run.world = await open('sqlite', `sqlite:${backup}`);
    await run.compareAll();
    await run.world.close();

    await succeed('restore', backup, '--yes');
    run.world = await open('sqlite', settings.DATABASE_URL);
    await run.compareAll();
    await run.run(400, '2027-04-30T22:00:00Z');
    await run.world.close();

    const database = await postgres.createDatabase();
    t.after(() => database.drop());
    await succeed('copy', '--to', database.url);
    run.world = await open('postgres', database.url);
    t.after(() => run.world.close());
    await run.compareAll();
    await run.run(600);
    run.assertReached();
  });
});

/** A database that stands already, and stays. */
function at(name: Engine['name'], url: string): Engine {
  return { name, createDatabase: async () => ({ url, drop: async () => undefined }) };
}
