import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { newId } from '../ids/uuid.ts';
import { onBothEngines, onPostgres } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';
import { DatabaseAway } from '../errors.ts';
import { read, engineOnly, sharedRead, write, type Condition, type Db } from './database.ts';

const put = write('insert into settings (name, value) values ($1, $2)');
const putOnce = write('insert into settings (name, value) values ($1, $2) on conflict do nothing');
const shortWait = engineOnly('postgres', `set local lock_timeout = '50ms'`);
const named = read<{ value: string }>('select value from settings where name = $1');
const withValue = read<{ holds: number }>(
  `select count(*) as holds from settings where $1::text = 'host' and name = $2 and value = $3`,
);
const shared = sharedRead<{ value: string; id: string }>(
  'select value, $1::uuid as id from settings where name = $2',
  ['uuid', 'text'],
);

onBothEngines('a transaction', (engine) => {
  // One connection: whoever keeps it while it is not needed makes the test wait for ever.
  const world = useWorld(engine, { DATABASE_POOL_SIZE: '1' });
  let db: Db;
  before(() => {
    db = world.ctx.db;
  });

  test('that has only read so far keeps nobody from a connection', async () => {
    const seen = await db.transaction(async (tx) => {
      await tx.get(named, ['nothing']);
      return db.get(named, ['nothing']);
    });
    assert.equal(seen, undefined);
  });

  test('reads its own writes, and not those that come after the read', async () => {
    const seen = await db.transaction((tx) =>
      Promise.all([tx.get(named, ['own']), tx.run(put, ['own', 'x']), tx.get(named, ['own'])]),
    );
    assert.deepEqual(seen, [undefined, 1, { value: 'x' }]);
  });

  test('that fails at a statement leaves nothing behind and a connection that works', async () => {
    const twice = db.transaction((tx) =>
      Promise.all([tx.run(put, ['failed', 'x']), tx.run(put, ['failed', 'x']), tx.get(named, ['failed'])]),
    );
    await assert.rejects(twice, /unique/i);
    assert.equal(await db.get(named, ['failed']), undefined);
    await db.transaction((tx) => Promise.all([tx.run(put, ['failed', 'y']), tx.get(named, ['failed'])]));
    assert.deepEqual(await db.get(named, ['failed']), { value: 'y' });
  });

  test('that has ended writes nothing any more, whatever its body still does', async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const body = (name: string, refuse: boolean) => {
      let late: Promise<unknown> | undefined;
      const done = db.transaction(async (tx) => {
        await tx.run(put, [`${name} early`, 'x']);
        late = ended.then(() => tx.run(put, [`${name} late`, 'x']));
        if (refuse) throw new Error('refused');
      });
      return { done, late: () => late! };
    };
    const [refused, committed] = [body('refused', true), body('committed', false)];
    await assert.rejects(refused.done, /^Error: refused$/);
    await committed.done;
    end();
    for (const { late } of [refused, committed]) await assert.rejects(late(), /transaction is over/);
    for (const name of ['refused early', 'refused late', 'committed late'])
      assert.equal(await db.get(named, [name]), undefined);
    assert.deepEqual(await db.get(named, ['committed early']), { value: 'x' });
  });

  /** Holds where this name has this value. */
  const has = (name: string, value: string, why: string): Condition => ({
    judge: withValue,
    values: ['host', name, value],
    refusal: () => new Error(why),
  });

  test('whose conditions hold is committed after one run', async () => {
    let runs = 0;
    await db.transaction(async (tx) => {
      runs++;
      await Promise.all([tx.run(put, ['holds', 'x']), tx.require(has('holds', 'x', 'it is not there'))]);
    });
    assert.equal(runs, 1);
    assert.deepEqual(await db.get(named, ['holds']), { value: 'x' });
  });

  test('is undone when a condition does not hold, and says the first that does not', async () => {
    await db.transaction((tx) => tx.run(put, ['taken', 'theirs']));
    const mine = db.transaction(async (tx) => {
      await Promise.all([
        tx.run(putOnce, ['taken', 'mine']),
        tx.run(put, ['beside taken', 'mine']),
        tx.require(
          has('beside taken', 'mine', 'it was not written'),
          has('taken', 'mine', 'it is taken'),
          has('taken', 'nobody’s', 'it is somebody’s'),
        ),
      ]);
    });
    await assert.rejects(mine, /^Error: it is taken$/);
    assert.equal(await db.get(named, ['beside taken']), undefined);
    assert.deepEqual(await db.get(named, ['taken']), { value: 'theirs' });
  });

  test('shared reads that are made together get their own rows, and a bad value fails its own read only', async () => {
    await db.transaction((tx) => Promise.all([tx.run(put, ['s1', 'one']), tx.run(put, ['s2', 'two'])]));
    const [a, b] = [newId(), newId()];
    const answers = await Promise.allSettled([
      db.get(shared, [a, 's2']),
      db.get(shared, [b, 'none']),
      db.get(shared, [b, 's1']),
      db.get(shared, [a, 's2']),
    ]);
    const values = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason));
    assert.deepEqual(
      values.map((row) => (row === undefined ? undefined : { value: row.value, id: row.id })),
      [{ value: 'two', id: a }, undefined, { value: 'one', id: b }, { value: 'two', id: a }],
    );
    if (engine.name !== 'postgres') return;
    const [, good, bad] = await Promise.allSettled([
      db.get(shared, [a, 's2']),
      db.get(shared, [a, 's1']),
      db.get(shared, ['no uuid', 's1']),
    ]);
    assert.equal(good.status, 'fulfilled');
    assert.match(String(bad.status === 'rejected' && bad.reason), /invalid input syntax for type uuid/);
  });
});

onPostgres('a commit', (engine) => {
  const world = useWorld(engine);
  const pid = engineOnly<{ pid: number }>('postgres', 'select pg_backend_pid() as pid');
  const outcomeOf = (error: unknown) => (error instanceof DatabaseAway ? error.outcome : error);

  test('whose connection is lost has an outcome that nobody knows', async () => {
    const lost = world.ctx.db.transaction(async (tx) => {
      const [row] = await tx.all(pid);
      await tx.run(put, ['lost', 'x']);
      await world.rows('select pg_terminate_backend($1::integer)', [row!.pid]);
    });
    assert.equal(await lost.catch(outcomeOf), 'unknown');
  });

  test('that is not reached, because a lock was not to be had, has not been done', async () => {
    const { db } = world.ctx;
    await db.transaction(async (holder) => {
      await holder.run(put, ['held', 'x']);
      const refused = db.transaction(async (tx) => {
        await tx.run(shortWait);
        await tx.run(put, ['held', 'y']);
      });
      assert.equal(await refused.catch(outcomeOf), 'not_done');
    });
  });
});
