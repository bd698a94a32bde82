import { test } from 'node:test';
import { TestClock } from '../support/clock.ts';
import { onBothEngines } from '../support/engines.ts';
import { useWorld } from '../support/world.ts';
import { BooksRun, START } from './run.ts';

onBothEngines('books', (engine) => {
  const world = useWorld(engine, {}, new TestClock(START));

  test('agree with a model of them over four months of random operations', async () => {
    const run = new BooksRun(world, 38);
    await run.open();
    await run.run(600);
    run.assertReached();
  });
});
