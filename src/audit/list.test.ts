import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { useWorld } from '../../test/support/world.ts';
import { newId, NO_ID } from '../ids/uuid.ts';
import { toTimestamp } from '../time/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time/units.ts';
import { record, type Change } from './audit.ts';
import { list, type Wanted } from './list.ts';

onBothEngines('the list of the audit trail', (engine) => {
  const world = useWorld(engine);
  const start = Date.parse('2027-03-01T12:00:00Z');
  const EVERYTHING: Wanted = { hostId: undefined, since: 0, limit: 10_000 };
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

  test('tells everything about an entry, and null where it concerns no single host', async () => {
    const hostId = newId();
    await write(hostId, start, 'a', { action: 'webhook.disabled', reason: 'spam' });
    await write(NO_ID, start, 'b', { action: 'secret.rotated', environment: null });
    assert.deepEqual(await list(world.ctx.db, { ...EVERYTHING, limit: 2 }), [
      {
        at: toTimestamp(start),
        actor: { type: 'operator', id: 'tester' },
        action: 'secret.rotated',
        host_id: null,
        environment: null,
        subject: 'b',
        reason: null,
        request_id: null,
      },
      {
        at: toTimestamp(start),
        actor: { type: 'operator', id: 'tester' },
        action: 'webhook.disabled',
        host_id: hostId,
        environment: 'production',
        subject: 'a',
        reason: 'spam',
        request_id: null,
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

  test('since a moment leaves out what is older, not by a millisecond more', async () => {
    const hostId = newId();
    for (const days of [3, 2, 1, 0]) await write(hostId, start - days * DAY_MS, `${days} days ago`);
    assert.deepEqual(await subjects({ hostId, since: start - 2 * DAY_MS }), [
      '0 days ago',
      '1 days ago',
      '2 days ago',
    ]);
    assert.deepEqual(await subjects({ hostId, since: start - 2 * DAY_MS + 1 }), ['0 days ago', '1 days ago']);
    assert.deepEqual(await subjects({ hostId, since: start + 1 }), []);
  });

  test('finds an entry behind others that a machine with a slow clock wrote', async () => {
    const hostId = newId();
    await write(hostId, start, 'right time');
    for (let n = 0; n < 150; n++) await write(hostId, start - 10 * MINUTE_MS, `slow ${n}`);
    assert.deepEqual(await subjects({ hostId, since: start, limit: 5 }), ['right time']);
  });

  test('does not read on when all that follows is older', async () => {
    const hostId = newId();
    for (let n = 0; n < 250; n++) await write(hostId, start - DAY_MS, `old ${n}`);
    await write(hostId, start, 'new');
    let reads = 0;
    const counting: Parameters<typeof list>[0] = {
      all: (statement, values) => {
        reads++;
        return world.ctx.db.all(statement, values);
      },
      get: () => assert.fail('one row is not what a list asks for'),
    };
    const found = await list(counting, { hostId, since: start - HOUR_MS, limit: 50 });
    assert.deepEqual([found.length, reads], [1, 1]);
  });
});
