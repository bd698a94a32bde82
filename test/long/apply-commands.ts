import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import type { Applied } from '../../src/apply/apply.ts';
import type { File } from '../../src/apply/file.ts';
import { onBothEngines } from '../support/engines.ts';
import { hourkeep, makeFolder } from '../support/process.ts';
import { useWorld } from '../support/world.ts';

const BIN = join(import.meta.dirname, '../../bin/hourkeep');

onBothEngines('hourkeep apply and export', (engine) => {
  const world = useWorld(engine);
  const folder = makeFolder();
  after(() => folder.remove());
  const run = (...args: string[]) => hourkeep(args, { DATABASE_URL: world.databaseUrl });
  const path = join(folder.path, 'hosts.json');
  const write = (file: unknown): void =>
    writeFileSync(path, typeof file === 'string' ? file : `\uFEFF${JSON.stringify(file)}`);
  const apply = async (...args: string[]): Promise<Applied> => {
    const { code, stdout, stderr } = await run('apply', path, ...args, '--json');
    assert.deepEqual([code, stderr], [0, '']);
    return JSON.parse(stdout) as Applied;
  };

  const HOSTS = 500;
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

  test('make five hundred hosts from one file, and nothing the second time', async () => {
    write(file);
    const all = HOSTS * 5;
    assert.deepEqual(counts(await apply('--dry-run')), [all, 0, 0, HOSTS]);
    assert.deepEqual(counts(await apply()), [all, 0, 0, HOSTS]);
    assert.deepEqual(counts(await apply()), [0, 0, all, 0]);
    const { stdout } = await run('apply', path);
    assert.equal(stdout, `Nothing to do: all ${all} are as the file says.\n`);
    file.hosts[7]!.spaces![1]!.price_per_hour = 52.5;
    write(file);
    const dry = await run('apply', path, '--dry-run');
    const lines = `would be changed space loft: price_per_hour: 45 → 52.5\n0 would be created, 1 would be changed, ${all - 1} unchanged.\n`;
    assert.deepEqual(dry, { code: 0, stdout: lines, stderr: '' });
    const [loft] = (await apply()).changed;
    assert.deepEqual([loft?.ref, loft?.changes], ['loft', { price_per_hour: [45, 52.5] }]);
  });

  test('export prints a file that apply takes, also from standard input', async () => {
    const exported = await run('export');
    assert.equal(exported.code, 0);
    const child = spawn(BIN, ['apply', '-', '--json'], {
      env: { ...process.env, DATABASE_URL: world.databaseUrl },
    });
    child.stdin.end(exported.stdout);
    const done = JSON.parse(await text(child.stdout)) as Applied;
    assert.deepEqual(counts(done), [0, 0, HOSTS * 5, 0]);
  });

  test('refuse a file with one bad entry, name its place, and change nothing', async () => {
    file.hosts[3]!.spaces![0]!.price_per_hour = -1;
    file.hosts[4]!.name = 'Changed';
    write(file);
    const { code, stdout, stderr } = await run('apply', path);
    assert.deepEqual([code, stdout], [1, '']);
    assert.equal(stderr, 'hourkeep: hosts[3].spaces[0].price_per_hour must be 0 or more\n');
    const { hosts } = JSON.parse((await run('export')).stdout) as File;
    assert.equal(hosts.find(({ ref }) => ref === 'host-4')?.name, 'Host 4');
  });

  test('list what is not in the file when asked', async () => {
    write({ hosts: [] });
    const { stdout } = await run('apply', path, '--orphans', '--json');
    assert.equal((JSON.parse(stdout) as { orphans: unknown[] }).orphans.length, HOSTS);
  });

  test('say what is wrong with what is no such file', async () => {
    write('{"hosts": [');
    assert.match((await run('apply', path)).stderr, /^hourkeep: .*hosts\.json is not JSON: /);
    assert.match((await run('apply', `${path}.none`)).stderr, /^hourkeep: cannot read .*ENOENT/);
    assert.equal((await run('apply')).code, 2);
  });

  test('print the schema of the file', async () => {
    const { code, stdout } = await run('apply', '--schema');
    assert.equal(code, 0);
    const { properties } = JSON.parse(stdout) as { properties: { hosts: { items: { required: string[] } } } };
    assert.deepEqual(properties.hosts.items.required, ['ref', 'name', 'email', 'timezone', 'currency']);
  });
});
