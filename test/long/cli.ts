import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { IssuedKey } from '../../src/api-keys/api-keys.ts';
import { ALL_SCOPES, SCOPES } from '../../src/ids/scopes.ts';
import { nextJune } from '../support/clock.ts';
import { commandLine, typed, useServing } from '../support/command-line.ts';
import { onOneEngine } from '../support/engines.ts';
import { hourkeep } from '../support/process.ts';
import { send } from '../support/world.ts';

onOneEngine('the command line, while the service runs', (engine) => {
  const serving = useServing(engine);
  const { run, json, says, refuses } = commandLine(() => ({
    ...serving.settings,
    PUBLIC_URL: 'https://api.example.com',
  }));
  const spacesBy = (key: string) => send(serving.service.url, 'GET', '/api-listings/api/v1/spaces', { key });
  let hostId: string;

  test('adds a host, a space and a key that works at once', async () => {
    const place = '--email new@example.com --timezone Asia/Seoul --currency krw'.split(' ');
    hostId = (await json('host', 'add', '--name', 'New Host', ...place)).id;
    const offer = `--host ${hostId} --price 35000 --hours 9-22 --amenities wifi,parking`.split(' ');
    const space = await json('space', 'add', '--title', '새 공간', ...offer);
    const issued = await json('key', 'create', '--host', hostId, '--name', 'PMS');
    assert.match(issued.key, /^hk_live_/);
    const answer = await spacesBy(issued.key);
    assert.equal(answer.status, 200);
    const [made, ...others] = answer.body.data.spaces;
    const shown = { id: space.id, title: '새 공간', price_per_hour: 35_000, currency: 'KRW' };
    const times = { timezone: 'Asia/Seoul', operating_hours: { start_hour: 9, end_hour: 22 } };
    assert.deepEqual([made, others], [{ ...made, ...shown, ...times, amenities: ['wifi', 'parking'] }, []]);
  });

  test('issues keys with scopes, environment and expiry, and lists them without showing them', async () => {
    const kept = '--env sandbox --scopes spaces:read,availability:read --expires 90d'.split(' ');
    const issued = await json('key', 'create', '--host', hostId, '--name', 'Kiosk', ...kept);
    assert.match(issued.key, /^hk_test_/);
    assert.deepEqual(issued.scopes, ['spaces:read', 'availability:read']);
    assert.deepEqual((await json('key', 'create', '--host', hostId, '--name', 'All')).scopes, [...SCOPES]);
    const listed = await json('key', 'list', '--host', hostId);
    const kiosk = listed.find((key: { name: string }) => key.name === 'Kiosk');
    assert.equal(kiosk.key, `hk_test_…${issued.key.slice(-4)}`);
    assert.equal(kiosk.status, 'active');
    assert.equal(kiosk.expires_at, issued.expires_at);
    assert.equal(JSON.stringify(listed).includes(issued.key), false);
  });

  test('takes a duration, a date or a time for every --expires', async () => {
    const endOf = async (...args: string[]) =>
      Date.parse((await json('key', ...args, '--host', hostId)).expires_at);
    const isIn = (time: number, ms: number) => Math.abs(time - Date.now() - ms) < 60_000;
    for (const command of [['create', '--name', 'Short'], ['invite']]) {
      assert.ok(isIn(await endOf(...command, '--expires', '12h'), 43_200_000));
      assert.ok(isIn(await endOf(...command, '--expires', '90m'), 5_400_000));
      const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
      assert.equal(Math.round((await endOf(...command, '--expires', day)) / 1000), Date.parse(day) / 1000);
      const time = `${day}T18:00:00Z`;
      assert.equal(Math.round((await endOf(...command, '--expires', time)) / 1000), Date.parse(time) / 1000);
    }
    const both = await run('key', 'invite', '--host', hostId, '--expires', '1h', '--expires-in', '1h');
    assert.equal(both.code, 2);
  });

  test('takes --limit for every list', async () => {
    for (const list of ['host', 'space', 'key', 'calendar', 'webhook', 'booking', 'audit', 'payout']) {
      const all = await json(list, 'list');
      const first = await json(list, 'list', '--limit', '1');
      assert.deepEqual(first, all.slice(0, 1), list);
    }
    const names = async (list: string) => (await json(list, 'list')).map(({ id }: { id: string }) => id);
    assert.equal((await names('host'))[0], hostId, 'the newest first');
    assert.equal((await json('space', 'list'))[0].title, '새 공간');
    const keys = (await names('key')).slice(0, 3);
    assert.deepEqual(keys, keys.toSorted().toReversed());
  });

  test('revokes a key for the very next request; twice is fine', async () => {
    const issued = await json('key', 'create', '--host', hostId, '--name', 'Gone soon');
    assert.equal((await spacesBy(issued.key)).status, 200);
    assert.deepEqual(await json('key', 'revoke', issued.id, '--reason', 'found in a repository'), {
      id: issued.id,
      revoked: true,
    });
    const [entry] = await json('audit', 'list', '--subject', issued.id, '--action', 'key.revoked');
    assert.equal(entry.reason, 'found in a repository');
    assert.equal((await spacesBy(issued.key)).body.error.code, 'API_KEY_REVOKED');
    assert.equal((await run('key', 'revoke', issued.id)).code, 0);
  });

  test('invites a host to make a key, which only their browser sees', async () => {
    const { id, url, expires_at } = await json('key', 'invite', '--host', hostId, '--expires-in', '24h');
    assert.ok(Math.abs(Date.parse(expires_at) - Date.now() - 86_400_000) < 60_000);
    const [open] = await json('key', 'list', '--host', hostId);
    assert.deepEqual([open.id, open.status, open.key], [id, 'invited', null]);
    assert.match(
      (await run('key', 'list', '--host', hostId)).stdout,
      new RegExp(`${id}  not made yet +Console `),
    );
    const [page, token] = url.split('#');
    assert.equal(page, 'https://api.example.com/console/welcome');
    const claim = () => send(serving.service.url, 'POST', '/console/claim', { body: { token } });
    const { key, name, scopes } = (await claim()).body.data as unknown as IssuedKey;
    assert.deepEqual([name, scopes], ['Console', [...ALL_SCOPES]]);
    assert.equal((await spacesBy(key)).status, 200);
    assert.equal((await claim()).body.error.code, 'INVITATION_USED');
    const [listed] = await json('key', 'list', '--host', hostId);
    assert.deepEqual(listed.scopes, [...ALL_SCOPES]);
    assert.match((await run('key', 'list', '--host', hostId)).stdout, /Console .* all and keys:write /);
  });

  test('rotates a key, or prints a link with which the host makes the new one', async () => {
    const old = await json('key', 'create', '--host', hostId, '--name', 'PMS', '--scopes', 'spaces:read');
    const next = await json('key', 'rotate', old.id, '--grace', '1h');
    assert.deepEqual([next.name, next.scopes, next.old.id], ['PMS', ['spaces:read'], old.id]);
    assert.ok(Math.abs(Date.parse(next.old.revoked_at) - Date.now() - 3_600_000) < 60_000);
    const invited = await json('key', 'rotate', next.id, '--invite', '--grace', '0s');
    assert.deepEqual(Object.keys(invited), ['id', 'url', 'expires_at', 'old']);
    assert.deepEqual(invited.old, { id: next.id, revoked_at: null });
  });

  test('invites nobody without the console, and says so in one line', async () => {
    for (const args of [
      ['key', 'invite', '--host', hostId],
      ['key', 'rotate', hostId, '--invite'],
    ]) {
      const { code, stdout, stderr } = await typed(args, { ...serving.settings, CONSOLE: 'off' });
      const said = 'hourkeep: CONSOLE=off: invitations are links to the console; use key create instead\n';
      assert.deepEqual([code, stdout, stderr], [1, '', said]);
    }
  });

  test('shows records by the names of their options, without empty fields', async () => {
    const [space] = await json('space', 'list', '--host', hostId);
    const updated = (...args: string[]) => says(args[0]!, 'update', ...args.slice(1));
    assert.match(
      await updated('host', hostId, '--max-booking-value', '750'),
      /^Max booking value +750 KRW$/m,
    );
    assert.doesNotMatch(await updated('host', hostId, '--no-max-booking-value'), /^Max booking value/m);
    assert.match(
      await updated('space', space.id, '--inactive', '--capacity', '3'),
      /^Capacity +3\n[^]*^Active +no$/m,
    );
    assert.match(await updated('space', space.id, '--active'), /^Active +yes$/m);
    assert.equal((await json('space', 'update', space.id, '--no-capacity')).capacity, null);
  });

  test('enters a platform booking under the rules of the hours, finds and shows it, cancels it and refunds it', async () => {
    const [space] = await json('space', 'list', '--host', hostId);
    const date = nextJune(18);
    const guest = '--guest-name Ada --guest-email ada@example.com';
    const args = `booking create --space ${space.id} --date ${date} --hours 10-12 ${guest}`.split(' ');
    const { id, ...made } = await json(...args);
    assert.deepEqual(
      [made.source, made.settlement_mode, made.total_price],
      ['platform', 'platform_settled', 70_000],
    );
    assert.equal(await refuses(...args), 'hourkeep: Already taken: 10:00, 11:00\n');
    assert.match(await refuses(...args.with(7, '3-4')), /must lie within the operating hours/);

    const range = `--status confirmed --from ${date} --to ${date}`.split(' ');
    const [found, ...others] = await json('booking', 'list', '--host', hostId, ...range);
    assert.deepEqual([found.id, others], [id, []]);
    assert.deepEqual(await json('booking', 'show', id), { ...found, payments: [] });
    assert.match(await says('booking', 'list', '--limit', '3'), /^ID +DATE +HOURS +STATUS(.*\n){4}$/);

    await says('payment', 'confirm', id, '--reference', 'pi_1');
    const cancel = ['booking', 'cancel', id, '--reason', 'double booked'];
    assert.equal(
      await says(...cancel),
      `Cancelled ${id}: ${date} 10:00 to 12:00 (Asia/Seoul) is free again.\n` +
        `The guest has paid 70000 KRW: give it back, then run "hourkeep payment refund ${id}".\n`,
    );
    assert.match(
      await refuses(...cancel),
      /^hourkeep: The booking cannot be cancelled: it is already cancelled\n/,
    );
    const refunded = await json('payment', 'refund', id, '--reference', 're_1');
    assert.deepEqual(
      [refunded.payment_status, refunded.refund_reference, refunded.already_refunded],
      ['refunded', 're_1', false],
    );
    assert.equal(await says('payment', 'refund', id), `Already refunded: 70000 KRW for booking ${id}.\n`);
    assert.match(
      await says('booking', 'show', id),
      /^Payment status +refunded\n[^]*^Cancellation reason +double booked$/m,
    );
  });

  test('deactivates a host with a reason, whose feeds are rejected until it is active again', async () => {
    const { demo, call } = serving;
    const { id, ical_token: token } = demo.spaces[0]!;
    const feed = async () => (await call('GET', `/api-ical-feed?space_id=${id}&token=${token}`)).status;
    await says('host', 'deactivate', demo.host.id, '--reason', 'owes three months');
    assert.equal(await feed(), 401);
    const [entry] = await json('audit', 'list', '--action', 'host.deactivated');
    assert.equal(entry.reason, 'owes three months');
    assert.match(await says('host', 'list'), new RegExp(`${demo.host.id}.* USD .* \\d{4}-\\d\\d-\\d\\dT`));
    assert.equal((await json('host', 'activate', demo.host.id)).deactivated_at, null);
    assert.equal(await feed(), 200);
  });

  test('shows tables with aligned columns, wide characters too', async () => {
    const { stdout } = await run('space', 'list');
    const [heading, ...rows] = stdout.trimEnd().split('\n');
    assert.match(
      heading!,
      /^ID\s+REF\s+TITLE\s+HOST NAME\s+ENVIRONMENT\s+PRICE\s+HOURS\s+TIMEZONE\s+ACTIVE$/,
    );
    assert.ok(rows.length >= 6);
    assert.ok(rows.some((row) => /새 공간 {2,}New Host/.test(row)));
  });

  test('refuses with exit code 1 and one line on standard error what names nothing, or too much money', async () => {
    const nobody = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';
    for (const command of [
      `key create --host ${nobody} --name x`,
      `key revoke ${nobody}`,
      `key invite --host ${nobody}`,
      `key rotate ${nobody}`,
      `space add --host ${nobody} --title x --price 1`,
      `ical-token rotate --space ${nobody}`,
    ])
      assert.match(
        await refuses(...command.split(' ')),
        new RegExp(`^hourkeep: there is no (host|key|space) ${nobody}\n$`),
      );
    const space = ['space', 'add', '--host', hostId, '--title', 'x', '--price'];
    assert.equal(
      await refuses(...space, '0.5'),
      'hourkeep: price_per_hour must be an amount in KRW with at most 0 decimals\n',
    );
    assert.equal(
      await refuses(...space, '100000000001'),
      'hourkeep: price_per_hour must be 100000000000 KRW or less\n',
    );
    const account = '--name x --email x@example.com --timezone UTC --currency USD'.split(' ');
    assert.equal(
      await refuses('host', 'add', ...account, '--max-booking-value', '1000000000.01'),
      'hourkeep: max_booking_value must be 1000000000 USD or less\n',
    );
  });
});

describe('the exit codes', () => {
  test('of wrong usage is 2, with words on standard error alone', async () => {
    const ended = await hourkeep(['key', 'revoke', 'abc'], {});
    assert.deepEqual([ended.code, ended.stdout], [2, '']);
    assert.match(ended.stderr, /must be an id/);
  });

  test('of help is 0, and a long example can be pasted', async () => {
    const { code, stdout } = await typed(['space', 'add', '--help'], {});
    assert.equal(code, 0);
    assert.ok(
      stdout.endsWith(
        'Example:\n  hourkeep space add --host <id> --title "Riverside Studio" --price 45 --hours \\\n' +
          '    9-22 --capacity 12\n\nExit codes: 0 done, 1 rejected, 2 wrong usage.\n',
      ),
      stdout,
    );
  });
});
