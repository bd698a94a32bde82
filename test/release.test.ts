import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { VERSION } from '../src/version.ts';
import { makeFolder } from './support/process.ts';

// What npm run release refuses, in a small repository of its own. test/long/packed.ts has what it makes.

const ROOT = join(import.meta.dirname, '..');
const MANIFESTS = ['package.json', 'bin/package.json', 'client/package.json', 'console/package.json'];
const SOURCES = [
  'client/src/version.ts',
  'clients/php/src/Transport.php',
  'clients/python/hourkeep/version.py',
];

describe('npm run release refuses', () => {
  const { path, remove } = makeFolder();
  const run = (program: string, ...args: string[]) => {
    const { status, stderr } = spawnSync(program, args, { cwd: path, encoding: 'utf8' });
    return { status, stderr };
  };
  const commitAll = (): void => {
    const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
    run('git', 'add', '--all');
    assert.equal(run('git', ...who, 'commit', '--quiet', '--message=x').status, 0);
  };
  const change = (file: string, from: string, to: string): void => {
    const text = readFileSync(join(path, file), 'utf8');
    assert.ok(text.includes(from), file);
    writeFileSync(join(path, file), text.replace(from, to));
  };
  const assertRefused = (why: string): void =>
    assert.deepEqual(run(process.execPath, 'packaging/release.ts'), {
      status: 1,
      stderr: `release: ${why}\n`,
    });
  before(() => {
    for (const name of [
      'packaging',
      'client/generate/files.ts',
      'CHANGELOG.md',
      'package-lock.json',
      ...MANIFESTS,
      ...SOURCES,
    ])
      cpSync(join(ROOT, name), join(path, name), { recursive: true });
    const changelog = readFileSync(join(path, 'CHANGELOG.md'), 'utf8');
    writeFileSync(join(path, 'CHANGELOG.md'), changelog.replace(/^## Unreleased\n[^]*?(?=^## )/m, ''));
    for (const folder of ['migrations', 'test/schemas']) mkdirSync(join(path, folder), { recursive: true });
    writeFileSync(join(path, 'migrations/0042_what.sql'), '');
    writeFileSync(join(path, 'test/schemas/0042.sql'), '');
    symlinkSync(join(ROOT, 'node_modules'), join(path, 'node_modules'));
    writeFileSync(join(path, '.gitignore'), 'node_modules\n');
    run('git', 'init', '--quiet');
    commitAll();
  });
  after(() => remove());

  test('what is not committed', () => {
    writeFileSync(join(path, 'new.txt'), '');
    assertRefused('there are changes that are not committed:\n?? new.txt');
    commitAll();
  });

  test('packages that are not those of the lock file', () => {
    const lock = JSON.parse(readFileSync(join(path, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { integrity: string }>;
    };
    const { integrity } = lock.packages['node_modules/fastify']!;
    change('package-lock.json', integrity, 'sha512-another');
    commitAll();
    assertRefused('node_modules/fastify is not what package-lock.json says: run npm ci');
    change('package-lock.json', 'sha512-another', integrity);
    commitAll();
  });

  test('a schema of which no rows are kept', () => {
    writeFileSync(join(path, 'migrations/0043_more.sql'), '');
    commitAll();
    assertRefused('test/schemas/0043.sql is missing: run npm run keep-rows, and commit it');
    writeFileSync(join(path, 'test/schemas/0043.sql'), '');
    commitAll();
  });

  test('entries that stand under no version, unless it is only to be tried', () => {
    change('CHANGELOG.md', '\n## ', '\n## Unreleased\n\n- Something new\n\n## ');
    commitAll();
    assertRefused(
      'CHANGELOG.md has entries under "Unreleased": give them a version, or try one with -- --unreleased',
    );
    // The next thing that is wrong.
    change('package-lock.json', 'sha512-', 'sha512-another');
    commitAll();
    const { stderr } = run(process.execPath, 'packaging/release.ts', '--unreleased');
    assert.match(stderr, /^release: node_modules\/\S+ is not what package-lock.json says: run npm ci\n$/);
    change('package-lock.json', 'sha512-another', 'sha512-');
    change('CHANGELOG.md', '## Unreleased\n\n- Something new\n\n', '');
    commitAll();
  });

  test('a version that the changelog does not know', () => {
    for (const file of MANIFESTS) change(file, `"version": "${VERSION}"`, '"version": "9.9.9"');
    for (const file of SOURCES) change(file, VERSION, '9.9.9');
    commitAll();
    assertRefused('CHANGELOG.md has no entry under "## 9.9.9"');
  });

  test('workspaces and clients of different versions', () => {
    for (const file of [...MANIFESTS.slice(1), ...SOURCES]) {
      change(file, '9.9.9', '9.9.8');
      commitAll();
      assertRefused(`${file} says 9.9.8, package.json 9.9.9`);
      change(file, '9.9.8', '9.9.9');
    }
  });
});
