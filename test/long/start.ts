import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { readDemo } from '../support/demo.ts';
import { typed } from '../support/command-line.ts';
import { onBothEngines, type TestDatabase } from '../support/engines.ts';
import {
  BIN,
  cleanEnvironment,
  hourkeep,
  makeFolder,
  startProcess,
  type TestFolder,
  serveAtTerminal,
} from '../support/process.ts';

onBothEngines('a start', (engine) => {
  const folder = makeFolder();
  let database: TestDatabase;
  before(async () => {
    database = await engine.createDatabase();
  });
  after(async () => {
    await database.drop();
    folder.remove();
  });
  const warnings = async (more: Record<string, string>): Promise<string[]> => {
    const settings = { DATA_DIR: folder.path, DATABASE_URL: database.url, ...more };
    const { stdout } = await (await startProcess('serve', settings)).end();
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>);
    return lines.filter(({ level }) => level === 'warn').map(({ message }) => message!);
  };
  /** Sets the clock of the process that is started. */
  const clockOff = (ms: number) => ({
    NODE_OPTIONS: `--import=data:text/javascript,const%20now=Date.now;Date.now=()=>now()+${ms};`,
  });

  test('warns of a setting that is nearly one', async () => {
    assert.deepEqual(await warnings({}), []);
    assert.deepEqual(await warnings({ DATABSE_URL: 'postgres://x/y' }), [
      'DATABSE_URL is not a setting; did you mean DATABASE_URL?',
    ]);
  });

  test('warns of a clock that is off by more than five seconds from the database’s', async () => {
    // First: a clock that is ahead leaves a change in the future.
    assert.deepEqual(await warnings(clockOff(-1000)), []);
    const [behind] = await warnings(clockOff(-3_600_000));
    if (engine.name === 'postgres') {
      assert.match(behind!, /^this machine’s clock is 3[56]\d\d\.\d s behind PostgreSQL’s; set both by NTP$/);
      const [ahead] = await warnings(clockOff(6000));
      assert.match(ahead!, /^this machine’s clock is [56]\.\d s ahead of PostgreSQL’s/);
    } else assert.match(behind!, /^the last change is of .*, in the future; correct the clock, or wait$/);
  });
});

describe('the kept secret key', () => {
  const folder = makeFolder();
  const settings = { DATA_DIR: folder.path, PORT: '0' };
  const keyFile = join(folder.path, 'secret.key');
  before(async () => void (await (await startProcess('serve', settings)).end()));
  after(() => folder.remove());

  test('is made by the first start alone', async () => {
    const key = readFileSync(keyFile, 'utf8');
    assert.match(key, /^[0-9a-f]{64}\n$/);
    await (await startProcess('serve', settings)).end();
    assert.equal(readFileSync(keyFile, 'utf8'), key);
  });

  const REFUSED: [what: string, content: string | undefined, says: string][] = [
    [
      'is another database’s',
      'f'.repeat(64),
      'is not the key of this database; start with the one it has now',
    ],
    [
      'is short',
      'too short',
      'must hold a key of at least 16 characters and has 9; put the original back, or for a new database delete the file',
    ],
    [
      'is missing',
      undefined,
      'is missing, and the database was set up with a key; put the file back, or set SECRET_KEY',
    ],
  ];
  for (const [what, content, says] of REFUSED)
    test(`that ${what} refuses the start, and no other is made`, async () => {
      if (content === undefined) rmSync(keyFile);
      else writeFileSync(keyFile, content);
      const { code, stderr } = await hourkeep(['serve'], settings);
      assert.deepEqual({ code, stderr }, { code: 1, stderr: `hourkeep: ${keyFile} ${says}\n` });
      assert.equal(existsSync(keyFile) ? readFileSync(keyFile, 'utf8') : undefined, content);
    });
});

describe('an SQLite file that may not be written', () => {
  let folder: TestFolder;
  let file: string;
  beforeEach(async () => {
    folder = makeFolder();
    file = join(folder.path, 'hourkeep.db');
    await hourkeep(['migrate'], { DATA_DIR: folder.path });
  });
  afterEach(() => {
    chmodSync(folder.path, 0o700);
    folder.remove();
  });
  /** Root may write everything, unless it does without that right. */
  const obeying = (args: string[]): string => {
    const isRoot = process.getuid?.() === 0;
    const [command = BIN, ...rest] = isRoot
      ? ['setpriv', '--bounding-set', '-dac_override,-fowner,-chown', BIN]
      : [BIN];
    const env = cleanEnvironment({ DATA_DIR: folder.path, PORT: '0' });
    const { stdout, stderr } = spawnSync(command, [...rest, ...args], { env, encoding: 'utf8' });
    return stdout + stderr;
  };
  const assertNamed = (path: string, spoil: () => void): void => {
    const { uid, username } = userInfo();
    const user = `${username} (${uid})`;
    const why = `${path} may not be written by user ${user}; give it to the user who runs Hourkeep`;
    for (const args of [['serve'], ['host', 'list'], ['doctor', '--json']]) {
      spoil();
      const said = obeying(args);
      assert.ok(said.includes(why), said);
      assert.doesNotMatch(said, /I\/O error/);
    }
  };

  test('is named, by the service, a command and doctor', () => {
    assertNamed(file, () => chmodSync(file, 0o444));
    assertNamed(folder.path, () => chmodSync(folder.path, 0o555));
  });
});

describe('addresses and ports', () => {
  let folder: TestFolder;
  beforeEach(() => {
    folder = makeFolder();
  });
  afterEach(() => folder.remove());
  const baseUrl = async (settings: Record<string, string>): Promise<string> => {
    await (await startProcess('serve', { DATA_DIR: folder.path, ...settings })).end();
    return readDemo(folder.path).base_url;
  };

  test('BASE_PATH is in every address, also where the server’s name ends like it', async () => {
    const settings = { PUBLIC_URL: 'http://hourkeep', BASE_PATH: '/hourkeep' };
    assert.equal(await baseUrl(settings), 'http://hourkeep/hourkeep');
    const written = { ...settings, PUBLIC_URL: 'https://example.com/hourkeep/' };
    assert.equal(await baseUrl(written), 'https://example.com/hourkeep');
  });

  test('are named when it is ready: what is bound, and where clients, readers and hosts go', async () => {
    const settings = { DATA_DIR: folder.path, HOST: 'localhost', BASE_PATH: '/x' };
    const said = async (more: Record<string, string>) => {
      const { shown, log } = await serveAtTerminal({ ...settings, ...more });
      const line = log.split('\n').find((text) => text.includes('"message":"ready"'))!;
      const { url, public_url, docs, console } = JSON.parse(line) as Record<string, string>;
      const banner = shown.split('\n').slice(1, shown.split('\n').indexOf('Try it:') - 2);
      return { ready: { url, public_url, docs, console }, banner, port: new URL(url!).port };
    };
    const own = await said({});
    const bound = `http://127.0.0.1:${own.port}/x`;
    const named = `http://localhost:${own.port}/x`;
    assert.deepEqual(own.ready, {
      url: bound,
      public_url: undefined,
      docs: `${named}/docs`,
      console: `${named}/console`,
    });
    assert.deepEqual(own.banner, [
      `Hourkeep listens on ${bound}`,
      `Reference page:  ${named}/docs`,
      `Console:         ${named}/console`,
    ]);
    const open = await said({ PUBLIC_URL: 'https://api.example.com', CONSOLE: 'off' });
    assert.deepEqual(open.ready, {
      url: `http://127.0.0.1:${open.port}/x`,
      public_url: 'https://api.example.com/x',
      docs: 'https://api.example.com/x/docs',
      console: undefined,
    });
    assert.deepEqual(open.banner, [
      `Hourkeep listens on http://127.0.0.1:${open.port}/x`,
      'Public URL:      https://api.example.com/x',
      'Reference page:  https://api.example.com/x/docs',
    ]);
  });
});

onBothEngines('a command on a database that is not there', (engine) => {
  let folder: TestFolder;
  let database: TestDatabase;
  let settings: Record<string, string>;
  let says: RegExp;
  beforeEach(async () => {
    folder = makeFolder();
    database = await engine.createDatabase();
    settings = { DATA_DIR: folder.path, DATABASE_URL: database.url };
    const { host, pathname } = new URL(database.url);
    says =
      engine.name === 'sqlite'
        ? new RegExp(`^hourkeep: there is no database at ${pathname}; .*\n$`)
        : new RegExp(`^hourkeep: postgres://${host}${pathname} has no tables of Hourkeep; .*\n$`);
  });
  afterEach(async () => {
    await database.drop();
    folder.remove();
  });

  test('is refused with the place where it looked, and creates nothing, until migrate has created it', async () => {
    const id = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';
    for (const command of [
      'host list',
      'space list --json',
      'key revoke ' + id,
      'host add --name x --email x@example.com --timezone UTC --currency USD',
    ]) {
      const { code, stdout, stderr } = await typed(command.split(' '), settings);
      assert.match(stderr, says);
      assert.deepEqual([code, stdout], [1, ''], command);
    }
    const refused = await typed(['demo'], { ...settings, NODE_ENV: 'production' });
    assert.equal(refused.code, 1);
    if (engine.name === 'sqlite') assert.equal(existsSync(new URL(database.url).pathname), false);
    // Nothing was applied before: the first migration is still to be done.
    const { stdout } = await typed(['migrate', '--json'], settings);
    assert.notDeepEqual(JSON.parse(stdout), { applied: [] });
    assert.deepEqual(await typed(['migrate', '--json'], settings), {
      code: 0,
      stdout: '{\n  "applied": []\n}\n',
      stderr: '',
    });
    assert.equal((await typed(['migrate'], settings)).stdout, 'The schema is up to date.\n');
    assert.equal((await typed(['host', 'list', '--json'], settings)).stdout, '[]\n');
  });

  test('works once demo has created it, which prints the demo again', async () => {
    const { stdout } = await typed(['demo', '--json'], settings);
    assert.equal((await typed(['demo', '--json'], settings)).stdout, stdout);
    assert.deepEqual(JSON.parse(stdout), readDemo(folder.path));
    assert.match((await typed(['demo'], settings)).stdout, /^Host +Harbor Light Studios/);
    const listed = await typed(['host', 'list', '--json'], settings);
    assert.equal((JSON.parse(listed.stdout) as unknown[]).length, 2);
  });
});
