import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import type { Applied } from '../../src/apply/kinds.ts';
import type { File } from '../../src/apply/file.ts';
import { commandsOn, typed } from '../support/command-line.ts';
import { onOneEngine } from '../support/engines.ts';
import { BIN, cleanEnvironment, makeFolder } from '../support/process.ts';
import { TEST_SECRET_KEY, useWorld } from '../support/world.ts';

onOneEngine('hourkeep apply and export', (engine) => {
  const world = useWorld(engine);
  const folder = makeFolder();
  after(() => folder.remove());
  const { run, json, says, refuses } = commandsOn(world);
  const path = join(folder.path, 'hosts.json');
  const write = (file: unknown): void =>
    writeFileSync(path, typeof file === 'string' ? file : `\uFEFF${JSON.stringify(file)}`);
  const apply = (...args: string[]) => json<Applied>('apply', path, ...args);

  const HOSTS = 8;
  const file: File = {
    hosts: Array.from({ length: HOSTS }, (_, i) => ({
      ref: `host-${i}`,
      name: `Host ${i}`,
      email: `host-${i}@example.com`,
      timezone: 'Europe/Vienna',
      currency: 'EUR',
      spaces: ['attic', 'loft', 'barn'].map((ref) => ({ ref, title: ref, price_per_hour: 45 })),
      keys: [{ ref: 'pms', name: 'PMS' }],
    })),
  };
  const counts = ({ created, changed, unchanged, keys }: Applied) => [
    created.length,
    changed.length,
    unchanged,
    keys.length,
  ];

  test('make hosts from one file, and nothing the second time', async () => {
    write(file);
    const all = HOSTS * 5;
    assert.deepEqual(counts(await apply('--dry-run')), [all, 0, 0, HOSTS]);
    assert.deepEqual(counts(await apply()), [all, 0, 0, HOSTS]);
    assert.deepEqual(counts(await apply()), [0, 0, all, 0]);
    assert.equal(await says('apply', path), `Nothing to do: all ${all} are as the file says.\n`);
    file.hosts[7]!.spaces![1]!.price_per_hour = 52.5;
    write(file);
    const lines = `would be changed space host-7/loft: price_per_hour: 45 → 52.5\n0 would be created, 1 would be changed, ${all - 1} unchanged.\n`;
    assert.equal(await says('apply', path, '--dry-run'), lines);
    const [loft] = (await apply()).changed;
    assert.deepEqual(
      [loft?.host, loft?.ref, loft?.changes],
      ['host-7', 'loft', { price_per_hour: [45, 52.5] }],
    );
  });

  test('say whose each key, link, space and calendar is', async () => {
    const space = {
      ref: 's1',
      title: 'Attic',
      price_per_hour: 45,
      calendars: [{ ref: 'airbnb', url: 'http://127.0.0.1:9/a.ics' }],
    };
    const keys = [
      { ref: 'pms', name: 'PMS' },
      { ref: 'desk', name: 'Desk', invite: true },
    ];
    const host = { ...file.hosts[0]!, ref: 'h003', email: 'h003@example.com', spaces: [space], keys };
    write({ hosts: [host] });
    const lines = (await says('apply', path)).replaceAll(/[0-9a-f-]{36}/g, 'ID').split('\n');
    assert.deepEqual(lines.slice(0, 5), [
      'created host h003 (ID)',
      'created space h003/s1 (ID)',
      'created calendar h003/s1/airbnb (ID)',
      'created key h003/pms (ID)',
      'created key h003/desk (ID)',
    ]);
    assert.match(lines[5]!, /^key h003\/pms: hk_live_/);
    assert.match(lines[6]!, /^invitation h003\/desk: http:/);
    write({ hosts: [{ ...host, spaces: [], keys: [] }] });
    const rest = (await says('apply', path, '--orphans')).split('\n');
    assert.deepEqual(
      rest.filter((line) => line.includes('h003')),
      ['space h003/s1', 'key h003/pms', 'key h003/desk'].map((name) => `not in the file: ${name}`),
    );
    write({ hosts: [{ ...host, spaces: [{ ...space, calendars: [] }], keys: [] }] });
    const { orphans } = (await apply('--orphans')) as unknown as { orphans: { kind: string; id: string }[] };
    const { id, ...calendar } = orphans.find(({ kind }) => kind === 'calendar')!;
    assert.deepEqual(calendar, { kind: 'calendar', host: 'h003', space: 's1', ref: 'airbnb' });
    assert.ok(id);
  });

  test('carry deactivated hosts and, when asked, calendars to another database', async () => {
    await run('host', 'deactivate', 'h003', '--reason', 'moves away');
    const other = await engine.createDatabase('template');
    const settings = { DATABASE_URL: other.url, SECRET_KEY: TEST_SECRET_KEY };
    write(await says('export', '--host', 'h003'));
    assert.equal(
      (await typed(['apply', path], settings)).stderr,
      'hourkeep: hosts[0] (h003).spaces[0].calendars[0].url is required for a calendar that is not there\n',
    );
    const exported = await says('export', '--host', 'h003', '--with-urls');
    write(exported);
    assert.equal((await typed(['apply', path], settings)).stderr, '');
    const again = await typed(['export', '--with-urls'], settings);
    assert.deepEqual(JSON.parse(again.stdout), JSON.parse(exported));
    const [host] = (JSON.parse(again.stdout) as File).hosts;
    assert.deepEqual(
      [host!.deactivated, host!.spaces![0]!.calendars],
      [true, [{ ref: 'airbnb', url: 'http://127.0.0.1:9/a.ics' }]],
    );
    await other.drop();
  });

  test('take a file from standard input', async () => {
    const env = cleanEnvironment({ DATABASE_URL: world.databaseUrl, SECRET_KEY: TEST_SECRET_KEY });
    const child = spawn(BIN, ['apply', '-', '--json'], { env });
    child.stdin.end(await says('export'));
    const done = JSON.parse(await text(child.stdout)) as Applied;
    assert.deepEqual(counts(done), [0, 0, HOSTS * 5 + 4, 0]);
  });

  test('say what is wrong with what is no such file', async () => {
    write('{"hosts": [');
    assert.match(await refuses('apply', path), /^hourkeep: .*hosts\.json is not JSON: /);
    assert.match(
      await refuses('apply', `${path}.none`),
      /^hourkeep: cannot read .*hosts\.json\.none: there is no such file or folder\n$/,
    );
    assert.equal((await run('apply')).code, 2);
  });

  test('print the schema of the file', async () => {
    const { properties } = JSON.parse(await says('apply', '--schema')) as {
      properties: { hosts: { items: { required: string[] } } };
    };
    assert.deepEqual(properties.hosts.items.required, ['ref', 'name', 'email', 'timezone', 'currency']);
  });
});
