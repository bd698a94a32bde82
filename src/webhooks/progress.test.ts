import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'pg';
import { onBothEngines, onPostgres } from '../../test/support/engines.ts';
import { planOf } from '../../test/support/plan.ts';
import { aReceiver, aSubscriber, claimDue } from '../../test/support/webhooks.ts';
import { useWorld } from '../../test/support/world.ts';
import { forPostgres } from '../db/database.ts';
import { firstIdAt, NO_ID } from '../ids/uuid.ts';
import { PAGE_ROWS, Progress } from './progress.ts';
import { claim, claimFirst, selectPending } from './queue.ts';

const ROOM = { rows: 100, perEndpoint: 8, atLeast: 1 };

onPostgres('a worker’s look', (engine) => {
  const world = useWorld(engine);

  /** How many pages of the database it reads. */
  async function pagesRead(values: readonly (string | number)[]): Promise<number> {
    const [row] = await world.rows<{ 'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number } }] }>(
      `explain (analyze, buffers, format json) ${forPostgres(selectPending)}`,
      [world.clock.now(), ...values],
    );
    return row!['QUERY PLAN'][0].Plan['Shared Hit Blocks'];
  }

  test('does not read over what was delivered while somebody’s transaction stays open, as a dump’s does', async (t) => {
    const host = await aSubscriber(world);
    const { id } = await host.subscribe({ url: 'http://127.0.0.1:9/' });
    await host.emit();
    await claimDue(world);
    const { database } = world.ctx.config;
    assert.ok(database.engine === 'postgres');
    const dump = new Client({ connectionString: database.url });
    await dump.connect();
    t.after(() => dump.end());
    dump.on('error', () => undefined);
    await dump.query('begin isolation level repeatable read');
    await dump.query('select count(*) from deliveries');
    const minuteAgo = firstIdAt(Date.now() - 60_000).slice(0, 24);
    await world.write(
      `insert into deliveries (host_id, webhook_id, event_id, status, attempts, due_at)
       select $1, $2, ($3 || (100000000000 + n))::uuid, 'pending', 0, 0 from generate_series(1, 2000) as n`,
      [host.hostId, id, minuteAgo],
    );
    const now = world.clock.now();
    await world.write(
      `update deliveries set lease_token = $2, due_at = $3 where webhook_id = $1 and lease_token is null`,
      [id, NO_ID, now + 20_000],
    );
    await world.write(
      `update deliveries set status = 'delivered', lease_token = null where webhook_id = $1`,
      [id],
    );
    world.clock.advance({ minutes: 1 });
    const progress = new Progress();
    await claim(world.ctx, progress, ROOM);
    const fromBeginning = await pagesRead([NO_ID, NO_ID, PAGE_ROWS, '{}']);
    const fromMarks = await pagesRead(progress.values);
    assert.ok(fromMarks * 5 < fromBeginning, `${fromMarks} pages instead of ${fromBeginning}`);
  });
});

onBothEngines('what counts deliveries in flight', (engine) => {
  const world = useWorld(engine);

  for (const [name, statement] of Object.entries({ selectPending, claimFirst })) {
    test(`${name} reads no farther than leases last: behind them all retries of a failing receiver wait`, async () => {
      const plan = await planOf(world, statement.text);
      const ranges = plan.match(/using( index)? deliveries_again.*(\n *Index Cond.*)?/gi) ?? [];
      assert.ok(ranges.length > 0, plan);
      assert.deepEqual(
        ranges.filter((range) => !/due_at ?</.test(range)),
        [],
      );
    });
  }
});

onBothEngines('a worker whose clock is set back', (engine) => {
  const world = useWorld(engine);

  test('looks again from the beginning, and finds what is due before its marks', async () => {
    const { receiver, host } = await aReceiver(world);
    await host.deliver();
    world.clock.advance({ hours: 1 });
    const progress = new Progress();
    const now = world.clock.now();
    const [page] = await world.ctx.db.readAlongIndexes([[selectPending, [now, ...progress.values]]]);
    // As if the look had taken a day: no pass from the beginning is due for as long as this test may take.
    progress.passed(page, 0, now, 86_400_000);

    world.clock.advance({ hours: -1 });
    receiver.answer = () => ({ status: 500 });
    await host.deliver();
    world.clock.advance({ minutes: 1 });
    assert.deepEqual((await claim(world.ctx, progress, ROOM)).claimed, [], 'a look behind the marks');
    const { claimed } = await claim(world.ctx, progress, ROOM);
    assert.deepEqual(
      claimed.map(({ event_id, attempts }) => ({ event_id, attempts })),
      [{ event_id: receiver.received[1]!.body.id, attempts: 1 }],
    );
  });
});
