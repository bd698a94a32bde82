import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Action } from '../../src/audit/audit.ts';
import type { Entry } from '../../src/audit/list.ts';
import { operator } from '../../src/cli/run.ts';
import { nextJune } from '../support/clock.ts';
import { commandLine, typed } from '../support/command-line.ts';
import { onBothEngines } from '../support/engines.ts';
import { hourkeep } from '../support/process.ts';
import { trailOf, type TrailRow } from '../support/trail.ts';
import { TEST_SECRET_KEY, useWorld } from '../support/world.ts';

onBothEngines('the audit trail of the command line', (engine) => {
  const world = useWorld(engine);
  const { run, json } = commandLine(() => ({
    DATABASE_URL: world.databaseUrl,
    SECRET_KEY: TEST_SECRET_KEY,
  }));
  const addHost = (email: string) => {
    const place = ['--timezone', 'America/New_York', '--currency', 'USD'];
    return json('host', 'add', '--name', 'Harbor Light', '--email', email, ...place);
  };
  const list = async (kind: string) => (await json<{ id: string }[]>(kind, 'list')).map(({ id }) => id);
  const addSpace = (host: string) =>
    json('space', 'add', '--host', host, '--title', 'Loft', '--price', '45', '--env', 'sandbox');

  let hostId: string;
  let spaceId: string;
  before(async () => {
    hostId = (await addHost('first@example.com')).id;
    spaceId = (await addSpace(hostId)).id;
  });

  /** What a command adds to the trail of the host. */
  async function addedBy(command: string): Promise<[rows: TrailRow[], printed: string]> {
    const earlier = (await trailOf(world, hostId)).length;
    const { stdout } = await run(...command.split(' '), '--json');
    return [(await trailOf(world, hostId)).slice(earlier), stdout];
  }

  /** Exactly one entry: about `subject`, or about what the command has made. Returns its id. */
  async function leaves(action: Action, command: string, subject?: string): Promise<string> {
    const [entries, printed] = await addedBy(command);
    const id = subject ?? (JSON.parse(printed) as { id: string }).id;
    assertOne(entries, action, id);
    return id;
  }

  const leavesNothing = async (command: string): Promise<void> =>
    assert.deepEqual((await addedBy(command))[0], []);

  function assertOne(
    entries: TrailRow[],
    action: Action,
    subject: string,
    fields: Partial<TrailRow> = {},
  ): void {
    assert.deepEqual(entries, [
      {
        host_id: hostId,
        at: entries[0]?.at,
        actor_type: 'operator',
        actor_id: operator.id,
        action,
        environment: 'sandbox',
        subject,
        reason: null,
        request_id: null,
        ...fields,
      },
    ]);
    const age = Date.now() - entries[0]!.at;
    assert.ok(age >= 0 && age < 60_000, `${age} ms old`);
  }

  test('host add', async () => {
    const { id } = await addHost('second@example.com');
    assertOne(await trailOf(world, id), 'host.added', id, { host_id: id, environment: null });
  });

  test('lists of hosts, spaces and keys are newest first, as the trail is', async () => {
    const { id } = await addHost('newest@example.com');
    const space = await addSpace(id);
    const key = await json('key', 'create', '--host', id, '--name', 'Newest');
    const newer = await json('key', 'create', '--host', id, '--name', 'Even newer');
    assert.equal((await list('host'))[0], id);
    assert.equal((await list('space'))[0], space.id);
    assert.deepEqual((await list('key')).slice(0, 2), [newer.id, key.id]);
  });

  test('names whoever said sudo', async () => {
    const { id } = await addHost('sudo@example.com');
    const settings = { DATABASE_URL: world.databaseUrl, SUDO_USER: 'ada' };
    await hourkeep(['host', 'update', id, '--name', 'Harbor Lights'], settings);
    assert.equal((await trailOf(world, id)).at(-1)?.actor_id, 'ada');
  });

  test('space add and ical-token rotate', async () => {
    await leaves('space.added', `space add --host ${hostId} --title Loft --price 45 --env sandbox`);
    await leaves('ical_token.rotated', `ical-token rotate --space ${spaceId}`, spaceId);
  });

  test('key create, and key revoke once', async () => {
    const id = await leaves('key.created', `key create --host ${hostId} --name PMS --env sandbox`);
    await leaves('key.revoked', `key revoke ${id}`, id);
    await leavesNothing(`key revoke ${id}`);
  });

  test('key invite, and withdrawing it once', async () => {
    const id = await leaves('invitation.created', `key invite --host ${hostId} --env sandbox`);
    await leaves('invitation.withdrawn', `key revoke ${id}`, id);
    await leavesNothing(`key revoke ${id}`);
  });

  test('calendar add, calendar sync (also one that fails) and calendar remove', async () => {
    const url = 'http://127.0.0.1:9/busy.ics';
    const id = await leaves('calendar.added', `calendar add --space ${spaceId} --url ${url}`);
    await leaves('calendar.synced', `calendar sync ${id}`, id);
    await leaves('calendar.removed', `calendar remove ${id}`, id);
  });

  test('booking create, and payment confirm: once, and again when it brings the reference', async () => {
    const hours = `--space ${spaceId} --date ${nextJune(1)} --hours 10-12`;
    const guest = '--guest-name Ada --guest-email ada@example.com';
    const id = await leaves('booking.created', `booking create ${hours} ${guest}`);
    await leaves('payment.confirmed', `payment confirm ${id}`, id);
    await leavesNothing(`payment confirm ${id}`);
    await leaves('payment.updated', `payment confirm ${id} --reference pi_1`, id);
    await leavesNothing(`payment confirm ${id} --reference pi_1`);
  });

  test('has no entry for a command that is refused', async () => {
    const unknown = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';
    const before = await world.rows('select id from audit');
    for (const args of [
      ['space', 'add', '--host', unknown, '--title', 'Loft', '--price', '45'],
      ['key', 'create', '--host', unknown, '--name', 'PMS'],
      ['key', 'revoke', unknown],
      ['ical-token', 'rotate', '--space', unknown],
      ['calendar', 'add', '--space', unknown, '--url', 'http://127.0.0.1:9/busy.ics'],
      ['calendar', 'remove', unknown],
      ['payment', 'confirm', unknown],
    ])
      assert.equal((await run(...args)).code, 1, args.join(' '));
    assert.deepEqual(await world.rows('select id from audit'), before);
  });
});

onBothEngines('hourkeep audit list', (engine) => {
  const world = useWorld(engine);
  const run = (...args: string[]) => typed(['audit', 'list', ...args], { DATABASE_URL: world.databaseUrl });
  const write = (at: number, subject: string) =>
    world.write(
      `insert into audit (host_id, at, actor_type, actor_id, action, environment, subject, reason, request_id)
       values ('00000000-0000-0000-0000-000000000000', $1, 'operator', 'root', 'webhook.disabled', 'sandbox', $2, 'spam', 'r1')`,
      [at, subject],
    );
  const HOUR = 3_600_000;
  let now: number;

  test('of an empty trail says so in words, and with --json is an empty array', async () => {
    assert.deepEqual(await run(), { code: 0, stdout: 'There are no such changes.\n', stderr: '' });
    assert.deepEqual(await run('--json'), { code: 0, stdout: '[]\n', stderr: '' });
  });

  test('prints a table', async () => {
    now = Date.now();
    await write(now - 30 * HOUR, 'old');
    await write(now - 2 * HOUR, 'new');
    const { code, stdout } = await run('--limit', '1');
    assert.equal(code, 0);
    const [headings, row, ...others] = stdout.split('\n');
    assert.match(
      headings!,
      /^AT +BY +ACTION +SUBJECT +HOST +HOST ID +ENVIRONMENT +REQUEST +REASON +CHANGES$/,
    );
    assert.match(row!, /Z +operator root +webhook\.disabled +new +sandbox +r1 +spam$/);
    assert.deepEqual(others, ['']);
  });

  test('takes the same for --until, where a date counts to its end', async () => {
    const subjects = async (until: string) =>
      (JSON.parse((await run('--until', until, '--json')).stdout) as Entry[]).map(({ subject }) => subject);
    assert.deepEqual(await subjects('1h'), ['new', 'old']);
    assert.deepEqual(await subjects('1d'), ['old']);
    assert.deepEqual(await subjects('2d'), []);
    assert.deepEqual(await subjects(new Date(now).toISOString().slice(0, 10)), ['new', 'old']);
    assert.deepEqual(await subjects(new Date(now - 3 * HOUR).toISOString()), ['old']);
  });

  test('finds by subject, action, actor and request', async () => {
    const found = async (...args: string[]) =>
      (JSON.parse((await run(...args, '--json')).stdout) as Entry[]).map(({ subject }) => subject);
    assert.deepEqual(await found('--subject', 'old'), ['old']);
    assert.deepEqual(await found('--action', 'webhook.disabled'), ['new', 'old']);
    assert.deepEqual(await found('--actor', 'root', '--limit', '1'), ['new']);
    assert.deepEqual(await found('--request', 'r2'), []);
  });

  test('takes a span, a date and a time for --since', async () => {
    const subjects = async (since: string) =>
      (JSON.parse((await run('--since', since, '--json')).stdout) as Entry[]).map(({ subject }) => subject);
    assert.deepEqual(await subjects('2d'), ['new', 'old']);
    assert.deepEqual(await subjects('1d'), ['new']);
    assert.deepEqual(await subjects('1h'), []);
    assert.deepEqual(await subjects(new Date(now - 3 * HOUR).toISOString()), ['new']);
    assert.deepEqual(await subjects(new Date(now - 54 * HOUR).toISOString().slice(0, 10)), ['new', 'old']);
  });
});
