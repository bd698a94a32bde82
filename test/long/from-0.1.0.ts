import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { DemoFile } from '../../src/demo/demo.ts';
import { examine } from '../support/command-line.ts';
import { askAt, keepAsking, readDemo } from '../support/demo.ts';
import { onPostgres, type TestDatabase } from '../support/engines.ts';
import { notTested } from '../support/own-server.ts';
import { hourkeep, makeFolder, startProcess, type Running, type TestFolder } from '../support/process.ts';
import { until } from '../support/until.ts';

// The release before this one, as git has it: its process goes on while this one migrates. test/old-databases.test.ts has its rows, keys and
// idempotency keys.

const ROOT = join(import.meta.dirname, '../..');
/** 0.1.0. */
const COMMIT = 'cc89852';

onPostgres('an upgrade from 0.1.0', (engine) => {
  const isThere = spawnSync('git', ['cat-file', '-e', `${COMMIT}^{commit}`], { cwd: ROOT }).status === 0;
  // git fetch --unshallow brings it.
  if (!isThere) return notTested('the upgrade from 0.1.0: the history does not reach back to it');
  const folder = makeFolder();
  let old: string;
  let database: TestDatabase;
  let settings: Record<string, string>;
  let demo: DemoFile;
  let oldOne: Running;
  let newOne: Running;

  before(async () => {
    old = checkOut(folder);
    database = await engine.createDatabase();
    settings = {
      DATA_DIR: join(folder.path, 'data'),
      DATABASE_URL: database.url,
      RATE_LIMIT_PRODUCTION: '0',
    };
    oldOne = await startProcess('serve', settings, old);
    demo = readDemo(join(folder.path, 'data'));
  });
  after(async () => {
    await Promise.all([oldOne.end(), newOne.end()]);
    await database.drop();
    folder.remove();
  });

  test('begins with 0.1.0', async () => {
    assert.equal((await hourkeep(['--version'], {}, old)).stdout, '0.1.0\n');
  });

  test('fails no request of either process while this one migrates and starts', async () => {
    const load = keepAsking(demo, askAt(oldOne.url));
    await until(() => load.answered() > 50);
    newOne = await startProcess('serve', settings);
    load.asks.push(askAt(newOne.url));
    const sofar = load.answered();
    await until(() => load.answered() > sofar + 200);
    assert.deepEqual(await load.stop(), []);
    assert.equal((await fetch(`${oldOne.url}/readyz`)).status, 200);
  });

  test('leaves doctor without a complaint about the schema', async () => {
    assert.equal((await examine(settings)).get('schema')?.status, 'ok');
  });
});

/** Its files from git, on the packages and the Node that are installed now. Returns its command. */
function checkOut({ path }: TestFolder): string {
  const place = join(path, '0.1.0');
  mkdirSync(join(place, 'node_modules/node/bin'), { recursive: true });
  const tar = execFileSync(
    'git',
    [
      'archive',
      '--format=tar',
      COMMIT,
      'bin',
      'src',
      'client/src',
      'migrations',
      'docs/guides',
      'package.json',
      'CHANGELOG.md',
    ],
    { cwd: ROOT, maxBuffer: 2 ** 28 },
  );
  execFileSync('tar', ['-x', '-C', place], { input: tar });
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!name.startsWith('.'))
      symlinkSync(join(ROOT, 'node_modules', name), join(place, 'node_modules', name));
  symlinkSync(process.execPath, join(place, 'node_modules/node/bin/node'));
  return join(place, 'bin/hourkeep');
}
