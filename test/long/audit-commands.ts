import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Action } from '../../src/audit/audit.ts';
import type { Entry } from '../../src/audit/list.ts';
import { operator } from '../../src/cli/run.ts';
import { nextJune } from '../support/clock.ts';
import { commandsOn } from '../support/command-line.ts';
import { onOneEngine } from '../support/engines.ts';
import { hourkeep } from '../support/process.ts';
import { trailOf } from '../support/trail.ts';
import { useWorld } from '../support/world.ts';

// On one engine: what each feature writes is tested beside it, on both.
onOneEngine('the audit trail of the command line', (engine) => {
  const world = useWorld(engine);
  const { run, json } = commandsOn(world);
  const addHost = (email: string) =>
    json(...`host add --name Harbor --email ${email} --timezone America/New_York --currency USD`.split(' '));

  let hostId: string;
  let spaceId: string;
  before(async () => {
    hostId = (await addHost('first@example.com')).id;
    const offer = '--title Loft --price 45 --env sandbox';
    spaceId = (await json(...`space add --host ${hostId} ${offer}`.split(' '))).id;
  });

  test('has one entry for each change, and none for one that changes nothing', async () => {
    const earlier = (await trailOf(world, hostId)).length;
    const expected: [action: Action, subject: string][] = [];
    /** The id of the record that a command was about, or has made. */
    const does = async (command: string, record?: string): Promise<string> => {
      const { stdout } = await run(...command.split(' '), '--json');
      return record ?? (JSON.parse(stdout) as { id: string }).id;
    };
    const leaves = async (action: Action, command: string, record?: string): Promise<string> => {
      const subject = await does(command, record);
      expected.push([action, subject]);
      return subject;
    };

    await leaves('space.added', `space add --host ${hostId} --title Loft --price 45 --env sandbox`);
    await leaves('ical_token.rotated', `ical-token rotate --space ${spaceId}`, spaceId);
    const keyId = await leaves('key.created', `key create --host ${hostId} --name PMS --env sandbox`);
    await leaves('key.revoked', `key revoke ${keyId}`);
    await does(`key revoke ${keyId}`);
    const invited = await leaves('invitation.created', `key invite --host ${hostId} --env sandbox`);
    await leaves('invitation.withdrawn', `key revoke ${invited}`);
    await does(`key revoke ${invited}`);
    const url = 'http://127.0.0.1:9/busy.ics';
    const calendar = await leaves('calendar.added', `calendar add --space ${spaceId} --url ${url}`);
    // It fails, and was tried all the same.
    await leaves('calendar.synced', `calendar sync ${calendar}`, calendar);
    await leaves('calendar.removed', `calendar remove ${calendar}`, calendar);
    const booking = await leaves(
      'booking.created',
      `booking create --space ${spaceId} --date ${nextJune(1)} --hours 10-12 --guest-name Ada --guest-email ada@example.com`,
    );
    await leaves('payment.confirmed', `payment confirm ${booking}`);
    await does(`payment confirm ${booking}`);
    await leaves('payment.updated', `payment confirm ${booking} --reference pi_1`);
    await does(`payment confirm ${booking} --reference pi_1`);

    const rows = (await trailOf(world, hostId)).slice(earlier);
    for (const { at } of rows) assert.ok(Math.abs(Date.now() - at) < 60_000, `${at}`);
    const by = { host_id: hostId, actor_type: 'operator', actor_id: operator.id, environment: 'sandbox' };
    const why = { reason: null, request_id: null };
    assert.deepEqual(
      rows,
      expected.map(([action, subject], i) => ({ ...by, ...why, at: rows[i]?.at, action, subject })),
    );
  });

  test('names whoever said sudo, and a host that was added', async () => {
    const { id } = await addHost('sudo@example.com');
    const settings = { DATABASE_URL: world.databaseUrl, SUDO_USER: 'ada' };
    await hourkeep(['host', 'update', id, '--name', 'Harbor Lights'], settings);
    const [added, updated] = await trailOf(world, id);
    assert.deepEqual([added?.action, added?.subject, added?.environment], ['host.added', id, null]);
    assert.equal(updated?.actor_id, 'ada');
  });
});

onOneEngine('hourkeep audit list', (engine) => {
  const world = useWorld(engine);
  const { says, json } = commandsOn(world);
  const HOUR = 3_600_000;
  const now = Date.now();

  test('prints a table', async () => {
    for (const [hours, subject] of [
      [30, 'old'],
      [2, 'new'],
    ])
      await world.write(
        `insert into audit (host_id, at, actor_type, actor_id, action, environment, subject, reason, request_id)
         values ('00000000-0000-0000-0000-000000000000', $1, 'operator', 'root', 'webhook.disabled', 'sandbox', $2, 'spam', 'r1')`,
        [now - Number(hours) * HOUR, subject!],
      );
    const [headings, row, ...others] = (await says('audit', 'list', '--limit', '1')).split('\n');
    assert.match(
      headings!,
      /^AT +BY +ACTION +SUBJECT +HOST NAME +HOST ID +ENVIRONMENT +REQUEST ID +REASON +CHANGES$/,
    );
    assert.match(row!, /Z +operator root +webhook\.disabled +new +sandbox +r1 +spam$/);
    assert.deepEqual(others, ['']);
  });

  const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);
  for (const [option, value, found] of [
    ['--since', '2d', ['new', 'old']],
    ['--since', '1d', ['new']],
    ['--since', '1h', []],
    ['--since', new Date(now - 3 * HOUR).toISOString(), ['new']],
    ['--since', dateOf(now - 54 * HOUR), ['new', 'old']],
    ['--until', '1h', ['new', 'old']],
    ['--until', '1d', ['old']],
    ['--until', '2d', []],
    // A date counts to its end.
    ['--until', dateOf(now), ['new', 'old']],
    ['--until', new Date(now - 3 * HOUR).toISOString(), ['old']],
    ['--subject', 'old', ['old']],
    ['--action', 'webhook.disabled', ['new', 'old']],
    ['--actor', 'root', ['new', 'old']],
    ['--request', 'r2', []],
  ] as const)
    test(`${option} ${value} finds ${found.join(' and ') || 'nothing'}`, async () => {
      const listed = await json<Entry[]>('audit', 'list', option, value);
      assert.deepEqual(
        listed.map(({ subject }) => subject),
        found,
      );
    });
});
