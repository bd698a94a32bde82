import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onBothEngines } from '../../test/support/engines.ts';
import { numbers } from '../../test/support/numbers.ts';
import { operator } from '../../test/support/operator.ts';
import { useWorld } from '../../test/support/world.ts';
import { newId, NO_ID } from '../ids/uuid.ts';
import { toTimestamp } from '../time/clock.ts';
import { DAY_MS, MINUTE_MS } from '../time/units.ts';
import { record, type Change } from './audit.ts';
import { list, type Wanted } from './list.ts';

onBothEngines('the list of the audit trail', (engine) => {
  const world = useWorld(engine);
  const start = Date.parse('2027-03-01T12:00:00Z');
  const EVERYTHING: Wanted = { limit: 10_000 };
  const write = (hostId: string, at: number, subject: string, fields: Partial<Change> = {}) =>
    world.ctx.db.transaction((tx) =>
      record(tx, at, operator, {
        action: 'space.updated',
        hostId,
        environment: 'production',
        subject,
        ...fields,
      }),
    );
  const subjects = async (wanted: Partial<Wanted>) =>
    (await list(world.ctx.db, { ...EVERYTHING, ...wanted })).map(({ subject }) => subject);

  test('has null where an entry concerns no single host', async () => {
    await write(NO_ID, start, 'a', { action: 'secret.rotated', environment: null, reason: 'yearly' });
    assert.deepEqual(await list(world.ctx.db, { limit: 1 }), [
      {
        at: toTimestamp(start),
        actor: { type: 'operator', id: 'tester' },
        action: 'secret.rotated',
        host_id: null,
        environment: null,
        subject: 'a',
        reason: 'yearly',
        request_id: null,
        changes: null,
      },
    ]);
  });

  test('is newest first, of one host or of all, and ends at the limit', async () => {
    const [one, other] = [newId(), newId()];
    await write(one, start, 'one-1');
    await write(other, start, 'other-1');
    await write(one, start, 'one-2');
    assert.deepEqual(await subjects({ limit: 3 }), ['one-2', 'other-1', 'one-1']);
    assert.deepEqual(await subjects({ hostId: one }), ['one-2', 'one-1']);
    assert.deepEqual(await subjects({ hostId: one, limit: 1 }), ['one-2']);
    assert.deepEqual(await subjects({ hostId: newId() }), []);
  });

  test('of one subject, action, actor or request, and of all that is asked for together', async () => {
    const hostId = newId();
    const [key, request] = [newId(), 'req-1'];
    await write(hostId, start, 'one');
    await write(hostId, start, 'two', { action: 'key.revoked' });
    const change = { action: 'webhook.created', hostId, environment: 'sandbox', subject: 'three' } as const;
    await world.ctx.db.transaction((tx) =>
      record(tx, start, { type: 'key', id: key, requestId: request }, change),
    );
    assert.deepEqual(await subjects({ subject: 'one' }), ['one']);
    assert.deepEqual(await subjects({ hostId, action: 'key.revoked' }), ['two']);
    assert.deepEqual(await subjects({ actor: key }), ['three']);
    assert.deepEqual(await subjects({ hostId, actor: 'tester' }), ['two', 'one']);
    assert.deepEqual(await subjects({ request }), ['three']);
    assert.deepEqual(await subjects({ request, action: 'webhook.created', subject: 'three', hostId }), [
      'three',
    ]);
    assert.deepEqual(await subjects({ request, action: 'webhook.deleted' }), []);
  });

  test('finds an entry among others that a machine with a slow clock wrote', async () => {
    const hostId = newId();
    for (let n = 0; n < 20; n++) await write(hostId, start - 10 * MINUTE_MS, `slow ${n}`);
    await write(hostId, start, 'right time');
    for (let n = 0; n < 20; n++) await write(hostId, start - 10 * MINUTE_MS, `slow ${n}`);
    assert.deepEqual(await subjects({ hostId, since: start }), ['right time']);
  });

  test('since and until a moment leave out what is older and younger, not by a millisecond more', async () => {
    const hostId = newId();
    // Later than all entries above: the search goes by ids, which are in the order of time.
    const today = start + 10 * DAY_MS;
    for (const days of [3, 2, 1, 0]) await write(hostId, today - days * DAY_MS, `${days} days ago`);
    const [since, until] = [today - 2 * DAY_MS, today - DAY_MS];
    assert.deepEqual(await subjects({ hostId, since, until }), ['1 days ago', '2 days ago']);
    assert.deepEqual(await subjects({ hostId, since: since + 1, until }), ['1 days ago']);
    assert.deepEqual(await subjects({ hostId, since, until: until - 1 }), ['2 days ago']);
    assert.deepEqual(await subjects({ hostId, since: today + 1 }), []);
  });
});

onBothEngines('a long audit trail', (engine) => {
  const world = useWorld(engine);
  const now = Date.parse('2027-03-01T12:00:00Z');
  const COUNT = 20_000;
  const hosts = [newId(), newId()];
  // One a minute, with gaps where transactions were rolled back.
  before(async () => {
    await world.write(
      `insert into audit (host_id, at, actor_type, actor_id, action, subject)
       select case when n % 2 = 0 then '${hosts[0]}'::uuid else '${hosts[1]}'::uuid end,
         ${now} - (${COUNT} - n) * ${MINUTE_MS}, 'clock', 'prune-events', 'host.updated', '' || n
       from ${numbers(1, COUNT)} order by n`,
    );
    await world.write("delete from audit where subject like '%7'");
    if (engine.name === 'postgres') await world.write('analyze audit');
  });

  test('is searched for a moment, not read up to it', async () => {
    const reads: { text: string; values: readonly unknown[]; rows: number }[] = [];
    const noted: Parameters<typeof list>[0] = {
      all: async (statement, values = []) => {
        const rows = await world.ctx.db.all(statement, values);
        reads.push({ text: statement.text, values, rows: rows.length });
        return rows;
      },
      get: (statement, values = []) => {
        reads.push({ text: statement.text, values, rows: 1 });
        return world.ctx.db.get(statement, values);
      },
    };
    const since = now - 5 * MINUTE_MS;
    const found = await list(noted, { since, limit: 100 });
    assert.deepEqual(
      found.map(({ subject }) => subject),
      ['20000', '19999', '19998', '19996', '19995'],
    );
    assert.ok(reads.length < 20, `${reads.length} reads`);
    const from = Number(reads.at(-1)!.values[0]);
    const between = await world.row<{ n: number }>('select count(*) as n from audit where id >= $1', [from]);
    assert.ok(between.n < 70, `${between.n} entries looked at`);
  });
});
