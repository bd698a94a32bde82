import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as hosts from '../../src/hosts/hosts.ts';
import { nextJune } from '../support/clock.ts';
import { commandsOn } from '../support/command-line.ts';
import { onBothEngines } from '../support/engines.ts';
import { makeFolder } from '../support/process.ts';
import { useWorld } from '../support/world.ts';

const NOBODY = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';

onBothEngines('hosts and spaces by the operator’s own names', (engine) => {
  const world = useWorld(engine);
  const folder = makeFolder();
  after(() => folder.remove());
  const { json, says, refuses } = commandsOn(world);

  let ids: Record<string, string>;
  before(async () => {
    const hostOf = (ref: string, name: string, email: string) => ({
      ref,
      name,
      email,
      timezone: 'Europe/Vienna',
      currency: 'EUR',
      spaces: [
        { ref: 's1', title: 'Attic', price_per_hour: 45 },
        { ref: 'a/b', title: 'Slash', price_per_hour: 45 },
      ],
    });
    const path = join(folder.path, 'hosts.json');
    const harbors = [
      hostOf('h003', 'Harbor Light', 'Desk@Harbor.example'),
      hostOf('h004', 'Ötztal Lofts', 'loft@oetztal.example'),
    ];
    writeFileSync(path, JSON.stringify({ hosts: harbors }));
    const { created } = await json('apply', path);
    ids = Object.fromEntries(
      created.map((made: { kind: string; host: string; ref: string; id: string }) => [
        made.kind === 'host' ? made.ref : `${made.host}/${made.ref}`,
        made.id,
      ]),
    );
    // Refs that are the id and the email of other hosts.
    for (const [name, ref] of [
      ['Trap 1', ids['h003']!],
      ['Trap 2', 'loft@oetztal.example'],
    ] as const) {
      const given = { name, email: `${name.at(-1)}@trap.example`, timezone: 'UTC', currency: 'EUR' };
      await world.ctx.db.transaction((tx) => hosts.add(tx, world.clock.now(), given, ref));
    }
  });

  test('a host is found by id, ref or email, in this order', async () => {
    const nameOf = async (host: string) => (await json('host', 'show', host)).name;
    assert.equal(await nameOf('h003'), 'Harbor Light');
    assert.equal(await nameOf(ids['h003']!.toUpperCase()), 'Harbor Light');
    assert.equal(await nameOf('desk@harbor.EXAMPLE'), 'Harbor Light');
    assert.equal(await nameOf('loft@oetztal.example'), 'Trap 2');
    assert.equal((await json('host', 'show', 'h004')).ref, 'h004');
  });

  // The names of records are looked up in one place for arguments and in one for options; guest erase does it on its own.
  test('an argument or option that is a host or a space takes its name', async () => {
    for (const host of ['h003', 'desk@harbor.example'])
      assert.equal((await json('host', 'activate', host)).id, ids['h003']);
    assert.equal(JSON.parse(await says('host', 'export', 'h003')).host.id, ids['h003']);
    const space = await json('space', 'show', 'h003/s1');
    assert.deepEqual([space.id, space.ref, space.host_name], [ids['h003/s1'], 's1', 'Harbor Light']);
    for (const [name, id] of [
      ['h003/a/b', 'h003/a/b'],
      ['desk@harbor.example/s1', 'h003/s1'],
      [`h003/${ids['h003/s1']}`, 'h003/s1'],
    ] as const)
      assert.equal((await json('space', 'show', name)).id, ids[id]);
    assert.equal((await json('space', 'list', '--host', 'h003')).length, 2);
    const key = await json('key', 'create', '--host', 'h003', '--name', 'PMS');
    assert.equal(key.host_id, ids['h003']);
    const [listed] = await json('key', 'list', '--host', 'h003');
    assert.equal(listed.host_name, 'Harbor Light');
    assert.equal((await json('ical-token', 'rotate', '--space', 'h003/s1')).space_id, ids['h003/s1']);
    const guest = ['--guest-name', 'Ada', '--guest-email', 'ada@example.com'];
    const when = ['--date', nextJune(2), '--hours', '10-12'];
    const booking = await json('booking', 'create', '--space', 'h003/s1', ...when, ...guest);
    const [found] = await json('booking', 'list', '--host', 'h003', '--space', 'h003/s1');
    assert.deepEqual([found.id, found.host_name], [booking.id, 'Harbor Light']);
    assert.match(await says('booking', 'list', '--host', 'h003'), /HOST NAME\n.*Harbor Light\n$/);
    const [settled] = await json('settlement', '--month', '2027-03', '--host', 'h003');
    assert.equal(settled.host_id, ids['h003']);
    const erased = ['guest', 'erase', '--email', 'ada@example.com', '--host'];
    assert.equal((await json(...erased, 'h004', '--dry-run')).bookings, 0);
    assert.equal((await json(...erased, 'h003', '--yes')).bookings, 1);
  });

  test('an unknown one is refused, with the nearest where one is near', async () => {
    const cases: [args: string[], said: string][] = [
      [['host', 'show', 'h03'], 'no host h03; did you mean h003 (Harbor Light)?'],
      [['host', 'show', 'Harbour Light'], 'no host Harbour Light; did you mean h003 (Harbor Light)?'],
      [['host', 'show', 'zebra-crossing'], 'no host zebra-crossing'],
      [
        ['key', 'list', '--host', 'dek@harbor.example'],
        'no host dek@harbor.example; did you mean h003 (Harbor Light)?',
      ],
      [['space', 'list', '--host', NOBODY], `no host ${NOBODY}`],
      [['guest', 'erase', '--email', 'a@example.com', '--host', NOBODY, '--yes'], `no host ${NOBODY}`],
      [
        ['settlement', '--month', '2027-03', '--host', 'h03'],
        'no host h03; did you mean h003 (Harbor Light)?',
      ],
      [['space', 'show', 'h03/s1'], 'no space h03/s1; did you mean h003/s1?'],
      [['space', 'show', 's1'], 'no space s1; did you mean h004/s1?'],
      [['calendar', 'list', '--space', NOBODY], `no space ${NOBODY}`],
    ];
    for (const [args, said] of cases)
      assert.equal(await refuses(...args), `hourkeep: there is ${said}\n`, args.join(' '));
  });

  test('hosts are searched for in name, email and ref, in any case', async () => {
    const found = async (text: string) =>
      (await json('host', 'list', '--search', text)).map(({ name }: { name: string }) => name);
    assert.deepEqual(await found('HARBOR'), ['Harbor Light']);
    assert.deepEqual(await found('ötzTAL'), ['Ötztal Lofts']);
    assert.deepEqual(await found('H004'), ['Ötztal Lofts']);
    assert.deepEqual(await found('@trap.'), ['Trap 2', 'Trap 1']);
    assert.deepEqual(await found('nowhere'), []);
  });
});
