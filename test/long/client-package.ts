import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { engines } from '../support/engines.ts';
import { makeFolder } from '../support/process.ts';
import { runReadme } from '../support/readme.ts';
import { useWorld } from '../support/world.ts';

// The package as a user gets it: packed, installed elsewhere, compiled against and run.

const ROOT = join(import.meta.dirname, '../..');
const CLIENT = join(ROOT, 'client');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const run = promisify(execFile);

const PROGRAM = `
import { Hourkeep, HourkeepError, verifyWebhook, type Booking } from '@hourkeep/client';

declare const console: { log(...values: unknown[]): void };
const hk = new Hourkeep({ apiKey: 'key', baseUrl: 'http://127.0.0.1:9', maxRetries: 0 });
const hours = (error: HourkeepError): number[] | undefined =>
  error.code === 'BOOKING_CONFLICT' ? error.details?.hours : undefined;
const list: Promise<Booking[]> = hk.bookings.list({ status: 'confirmed' }).then(({ bookings }) => bookings);
list.catch((error: unknown) => {
  if (error instanceof HourkeepError) console.log(error.code, hours(error) === undefined && !!verifyWebhook);
});
`;

describe('the package @hourkeep/client', () => {
  const world = useWorld(engines[0]!);
  const folder = makeFolder();
  const installed = join(folder.path, 'user/node_modules/@hourkeep/client');
  let files: string[];
  before(async () => {
    files = await packInto(join(folder.path, 'pack'), installed);
    // Without types of Node, whose newest TypeScript 5.4 cannot read.
    mkdirSync(join(folder.path, 'typed/node_modules'), { recursive: true });
    writeFileSync(join(folder.path, 'typed/package.json'), '{}');
    symlinkSync(join(installed, '..'), join(folder.path, 'typed/node_modules/@hourkeep'));
    await compileReadme(join(folder.path, 'user'));
  });
  after(() => folder.remove());

  test('has what a user needs and nothing else', () => {
    const modules = [
      'document',
      'error',
      'hourkeep',
      'index',
      'pace',
      'sign-webhook',
      'transport',
      'verify-webhook',
      'version',
      'within',
    ];
    const built = modules.flatMap((name) =>
      ['dist', 'dist/cjs'].flatMap((folder) => [`${folder}/${name}.d.ts`, `${folder}/${name}.js`]),
    );
    const others = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', 'dist/cjs/package.json'];
    assert.deepEqual(files.toSorted(), [...others, ...built].toSorted());
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as object;
    assert.ok(!('dependencies' in manifest));
  });

  test('is at most 5 kB, minified and compressed', async () => {
    const entryPoints = [join(installed, 'dist/index.js')];
    const { outputFiles } = await build({
      entryPoints,
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
    });
    const size = gzipSync(outputFiles[0]!.contents, { level: 9 }).length;
    assert.ok(size <= 5 * 1000, `${size} bytes`);
  });

  test('names nothing of Node: browsers and workers do not have it', async () => {
    for (const file of files.filter((name) => name.endsWith('.js') && !name.startsWith('dist/cjs/'))) {
      const text = readFileSync(join(installed, file), 'utf8');
      assert.doesNotMatch(text, /\b(?:node:|require\(|process\.|Buffer\b)/, file);
    }
  });

  for (const [version, find] of [
    ['5.4.5', fetchedTsc],
    ['5.9.3', generatorsTsc],
  ] as const) {
    test(`compiles in programs of TypeScript ${version}, whatever their modules are`, async () => {
      const tsc = await find(version);
      const { stdout: said } = await run(process.execPath, [tsc, '--version']);
      assert.equal(said, `Version ${version}\n`);
      for (const [name, ...settings] of [
        ['use.ts', 'commonjs'],
        ['use.cts', 'node16'],
        ['use.mts', 'node16'],
        ['use.cts', 'nodenext'],
        ['use.mts', 'nodenext'],
        ['use.ts', 'esnext', '--moduleResolution', 'bundler'],
      ] as const) {
        const place = join(folder.path, 'typed');
        writeFileSync(join(place, name), PROGRAM);
        const strict = ['--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--lib', 'es2022,dom'];
        const compiled = run(tsc, [...strict, '--module', ...settings, '--outDir', 'out', name], {
          cwd: place,
        });
        await compiled.catch((error: { stdout: string }) =>
          assert.fail(`${settings.join(' ')}: ${error.stdout}`),
        );
        // What no bundler is needed for runs too.
        if (settings.length > 1) continue;
        const made = join('out', name.replace('ts', 'js'));
        const { stdout } = await run(process.execPath, [made], { cwd: place });
        assert.equal(stdout, 'CONNECTION_LOST true\n', settings.join(' '));
      }
    });
  }

  test('gives the same to import and to require', async () => {
    const code = `Promise.all([import('@hourkeep/client'), require('@hourkeep/client')])
      .then(([one, other]) => console.log(Object.keys(one).join() === Object.keys(other).sort().join()))`;
    for (const node of [process.execPath, machineNode() ?? process.execPath])
      assert.equal((await run(node, ['-e', code], { cwd: join(folder.path, 'typed') })).stdout, 'true\n');
  });

  for (const [name, node] of [
    ['the project’s Node', process.execPath],
    ['the machine’s Node', machineNode()],
  ] as const) {
    if (node === undefined) {
      process.stderr.write(`client: the machine has no Node of its own; it has NOT been tried on one\n`);
      continue;
    }
    test(`runs every snippet of its README on ${name}`, async () => {
      const { stdout } = await run(node, ['--version']);
      assert.ok(Number(/^v(\d+)/.exec(stdout)?.[1]) >= 20, stdout);
      const said = await runReadme(world, (port) => {
        const code = readFileSync(join(folder.path, 'user/readme.js'), 'utf8');
        const file = join(folder.path, `user/readme-${port}.js`);
        writeFileSync(file, code.replace('.listen(4000)', `.listen(${port})`));
        return [node, [file], {}];
      });
      assert.doesNotMatch(said, /Error/);
    });
  }
});

/** For this run: a TypeScript that old serves nothing else here. */
async function fetchedTsc(version: string): Promise<string> {
  const args = ['exec', '--yes', `--package=typescript@${version}`, '-c', 'command -v tsc'];
  return realpathSync((await run('npm', args, { cwd: tmpdir() })).stdout.trim());
}

/** The one that the generators of test/clients need. */
async function generatorsTsc(): Promise<string> {
  return createRequire(join(ROOT, 'test/clients/package.json')).resolve('typescript/bin/tsc');
}

/** Built and packed beside the clone, so that what somebody else has built there is not touched. */
async function packInto(folder: string, installed: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  mkdirSync(installed, { recursive: true });
  await run(process.execPath, [join(CLIENT, 'build.mjs'), join(folder, 'dist')]);
  for (const name of ['package.json', 'CHANGELOG.md', 'README.md', 'LICENSE'])
    cpSync(join(CLIENT, name), join(folder, name));
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts'], { cwd: folder });
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  await run('tar', ['-xzf', join(folder, packed.filename), '--strip-components=1', '-C', installed]);
  return packed.files.map(({ path }) => path);
}

/** The README reads as one program, and is compiled as one, as strictly as there is. */
async function compileReadme(folder: string): Promise<void> {
  const text = readFileSync(join(CLIENT, 'README.md'), 'utf8');
  const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => match[1]!);
  assert.ok(blocks.length >= 5);
  writeFileSync(join(folder, 'readme.ts'), blocks.join('\n'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  symlinkSync(join(ROOT, 'node_modules/undici-types'), join(folder, 'node_modules/undici-types'));
  const options = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
    '--skipLibCheck',
    'false',
  ];
  const target = ['--target', 'es2022', '--module', 'nodenext', '--types', 'node'];
  await run(process.execPath, [TSC, ...options, ...target, 'readme.ts'], { cwd: folder }).catch(
    (error: { stdout: string }) => assert.fail(error.stdout),
  );
}

/** Not the one that npm puts in front of it. */
function machineNode(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(':').filter((path) => !path.includes('node_modules'));
  return folders.map((path) => join(path, 'node')).find((file) => existsSync(file));
}
