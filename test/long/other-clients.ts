import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { makePhpZip, makeWheel } from '../../packaging/other-clients.ts';
import { VERSION } from '../../src/version.ts';
import { engines } from '../support/engines.ts';
import { makeFolder } from '../support/process.ts';
import { runReadme } from '../support/readme.ts';
import { useWorld } from '../support/world.ts';

// The clients for Python and PHP as a user gets them: packed, unpacked elsewhere, and every snippet of their READMEs run.
// test/conformance has what they do.

const CLIENTS = join(import.meta.dirname, '../../clients');
const run = promisify(execFile);
const works = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;

/** What .ci/run installs must be there in CI; the rest is told of. */
function lacking(what: string, isInstalledByCi: boolean): void {
  if (isInstalledByCi && process.env['CI'] === 'true')
    test(`${what}, in CI`, () => assert.fail('not installed'));
  else process.stderr.write(`${'!'.repeat(100)}\nNOT TESTED: ${what}\n${'!'.repeat(100)}\n`);
}

describe('the Python client', () => {
  const world = useWorld(engines[0]!);
  const folder = makeFolder();
  const wheel = join(folder.path, `hourkeep_client-${VERSION}-py3-none-any.whl`);
  const installed = join(folder.path, 'installed');
  before(() => writeFileSync(wheel, makeWheel(VERSION, 0x6a000000)));
  after(() => folder.remove());

  const pip = ['-m', 'pip', '--disable-pip-version-check'];
  if (works('python3', ...pip, '--version'))
    test('is installed by pip', async () => {
      const args = ['install', '--no-index', '--no-deps', '--root-user-action=ignore', '--target', installed];
      await run('python3', [...pip, ...args, wheel]);
      const shown = await run('python3', [...pip, 'list', '--path', installed, '--format=freeze']);
      assert.equal(shown.stdout, `hourkeep-client==${VERSION}\n`);
    });
  else if (works('python3', '--version')) {
    lacking('an installation by pip (Debian: apt-get install python3-pip)', false);
    before(() => unpack(wheel, installed));
  } else lacking('the Python client (Debian: apt-get install python3)', true);

  for (const python of ['python3', 'python3.9'].filter((name) => works(name, '--version')))
    test(`runs every snippet of its README on ${python}`, async () => {
      const code = blocksOf('python', 'python').join('\n');
      const said = await runReadme(world, (port) => {
        const file = join(folder.path, `${python}.py`);
        writeFileSync(file, code.replace('4000', String(port)));
        return [python, ['-u', '-X', 'dev', '-W', 'error', file], { PYTHONPATH: installed }];
      });
      assert.match(said, /^\d+ to save$/m);
      assert.match(said, /^GET \/api-earnings\/api\/v1\/earnings 200 1$/m);
    });

  const builder = ['python3', '/usr/bin/python3'].find((name) =>
    works(name, '-c', 'import setuptools, wheel'),
  );
  if (builder === undefined)
    lacking('a wheel by setuptools (apt-get install python3-setuptools python3-wheel)', true);
  else
    test('is the same when setuptools builds it', async () => {
      const source = join(folder.path, 'source');
      cpSync(join(CLIENTS, 'python'), source, {
        recursive: true,
        filter: (path) => !path.includes('__pycache__'),
      });
      const build = 'import sys, setuptools.build_meta as b; print(b.build_wheel(sys.argv[1]))';
      await run(builder, ['-c', build, folder.path + '/built'], { cwd: source });
      const theirs = contentOf(join(folder.path, 'built', `hourkeep_client-${VERSION}-py3-none-any.whl`));
      const ours = contentOf(wheel);
      assert.deepEqual(Object.keys(ours).toSorted(), Object.keys(theirs).toSorted());
      for (const name of Object.keys(ours).filter((each) => each.startsWith('hourkeep/')))
        assert.equal(ours[name], theirs[name], name);
      const facts = (text: string) =>
        text.split('\n').filter((line) => /^(Name|Version|Summary|Requires-Python|License): /.test(line));
      const metadata = `hourkeep_client-${VERSION}.dist-info/METADATA`;
      assert.deepEqual(facts(ours[metadata]!).toSorted(), facts(theirs[metadata]!).toSorted());
    });
});

describe('the PHP client', () => {
  const world = useWorld(engines[0]!);
  const folder = makeFolder();
  before(() => {
    const file = join(folder.path, 'hourkeep-php.zip');
    writeFileSync(file, makePhpZip(VERSION, 0x6a000000));
    unpack(file, join(folder.path, 'hourkeep'));
  });
  after(() => folder.remove());

  if (!works('php', '--version')) lacking('the PHP client (Debian: apt-get install php-cli)', true);
  else
    test('runs every snippet of its README', async () => {
      const blocks = blocksOf('php', 'php');
      writeFileSync(join(folder.path, 'receiver.php'), blocks.pop()!);
      writeFileSync(join(folder.path, 'program.php'), blocks.join('\n'));
      const said = await runReadme(world, (port) => {
        const both = `php -d error_reporting=-1 program.php && exec php -S 127.0.0.1:${port} receiver.php`;
        return ['sh', ['-c', `cd '${folder.path}' && ${both}`], {}];
      });
      assert.match(said, /^\d+ to save$/m);
      assert.match(said, /^GET \/api-earnings\/api\/v1\/earnings 200 1$/m);
      assert.doesNotMatch(said, /Warning|Notice|Deprecated/);
    });
});

function blocksOf(client: string, language: string): string[] {
  const text = readFileSync(join(CLIENTS, client, 'README.md'), 'utf8');
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(
    (match) => match[1]!,
  );
  assert.ok(blocks.length >= 6);
  return blocks;
}

function unpack(file: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  execFileSync('python3', ['-m', 'zipfile', '-e', file, folder]);
}

/** By name, what is in a zip. */
function contentOf(file: string): Record<string, string> {
  const code = `import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z: print(json.dumps({n: z.read(n).decode() for n in z.namelist()}))`;
  return JSON.parse(execFileSync('python3', ['-c', code, file], { encoding: 'utf8' })) as Record<
    string,
    string
  >;
}
