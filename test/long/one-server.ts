import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, linkSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, test, type TestContext } from 'node:test';
import { createIfMissing } from '../../src/db/sqlite/file.ts';
import { bookingBody, CREATE } from '../support/booking.ts';
import { readDemo } from '../support/demo.ts';
import { hourkeep, makeFolder, startProcess, type Running, type TestFolder } from '../support/process.ts';
import { send } from '../support/world.ts';

describe('an SQLite file that is served', () => {
  let folder: TestFolder;
  let file: string;
  let server: Running;
  beforeEach(async () => {
    folder = makeFolder();
    file = join(folder.path, 'hourkeep.db');
    server = await startProcess('serve', { DATA_DIR: folder.path });
  });
  afterEach(async () => {
    await server.end('SIGKILL');
    folder.remove();
  });
  const at = (path: string) => ({ DATA_DIR: folder.path, DATABASE_URL: `sqlite:${path}`, PORT: '0' });
  const assertRefused = async (path: string, reason?: string): Promise<void> => {
    const line = `another process is serving ${path}; stop it first, or use PostgreSQL to run several`;
    // Not with `hourkeep`: a second server that is let in would never end.
    const second = startProcess('serve', at(path)).then((running) => running.end('SIGKILL'));
    await assert.rejects(second, { message: `hourkeep serve ended with 1: hourkeep: ${reason ?? line}\n` });
  };
  const book = async (): Promise<void> => {
    const { keys, spaces } = readDemo(folder.path);
    const body = bookingBody(spaces[0]!.id, { date: '2031-03-18' });
    const answer = await send(server.url, 'POST', CREATE, { key: keys.production, body });
    assert.equal(answer.status, 200);
  };
  const hosts = async (path: string) => hourkeep(['host', 'list', '--json'], at(path));
  const countHosts = async (path: string): Promise<number> => {
    const { code, stdout, stderr } = await hosts(path);
    assert.equal(code, 0, stderr);
    return (JSON.parse(stdout) as unknown[]).length;
  };

  test('has no second server under its own name, whatever is removed beside it', async () => {
    await assertRefused(file);
    for (const name of readdirSync(folder.path)) {
      if (name.startsWith('hourkeep.db') && !/^hourkeep\.db(?:-wal|-shm)?$/.test(name))
        rmSync(join(folder.path, name));
    }
    await assertRefused(file);
    assert.equal(await countHosts(file), 2);
  });

  const WAYS: [how: string, make: (other: string) => void, sees: boolean][] = [
    ['through a symbolic link', (other) => symlinkSync(file, other), true],
    ['through a hard link', (other) => linkSync(file, other), false],
    ['through a hard link in another folder', (other) => linkSync(file, other), false],
    ['under a new name', (other) => renameSync(file, other), false],
  ];
  for (const [how, make, sees] of WAYS)
    test(`has no second server ${how}`, async () => {
      const elsewhere = makeFolder();
      const other = join(how.endsWith('another folder') ? elsewhere.path : folder.path, 'other.db');
      make(other);
      await assertRefused(other);
      if (!existsSync(file)) renameSync(other, file);
      assert.equal(await countHosts(sees ? other : file), 2);
      await book();
      elsewhere.remove();
    });

  test('has no second server on a backup that was moved over it', async () => {
    const backup = join(folder.path, 'backup.db');
    copyFileSync(file, backup);
    renameSync(backup, file);
    await assertRefused(file);
  });

  test('is refused to the command line under a name that has another log than the server’s', async () => {
    const elsewhere = makeFolder();
    const near = join(folder.path, 'link.db');
    const far = join(elsewhere.path, 'hourkeep.db');
    const says = {
      [near]: `it is the same file as ${file}, and the latest writes are in the log of that name`,
      [far]: 'another process has the same file open under another name; use that name',
    };
    for (const [link, reason] of Object.entries(says)) {
      linkSync(file, link);
      // Twice: the first attempt must not leave a log behind that the second one takes for a good sign.
      for (const attempt of [1, 2]) {
        const { code, stderr } = await hosts(link);
        assert.equal(stderr, `hourkeep: cannot open the database file ${link}: ${reason}\n`, `${attempt}`);
        assert.equal(code, 1);
      }
      rmSync(link);
    }
    await book();
    elsewhere.remove();
  });

  test('can be served again at once after kill -9, and only under the name that has the latest writes', async () => {
    const link = join(folder.path, 'link.db');
    linkSync(file, link);
    await book();
    await server.end('SIGKILL');
    const reason = `it is the same file as ${file}, and the latest writes are in the log of that name`;
    await assertRefused(link, `cannot open the database file ${link}: ${reason}`);
    server = await startProcess('serve', at(file));
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
    await assertRefused(link);
  });

  test('can be served under any name after a clean stop', async () => {
    const link = join(folder.path, 'link.db');
    linkSync(file, link);
    assert.equal((await server.end()).code, 0);
    server = await startProcess('serve', at(link));
    await assertRefused(file);
  });
});

describe('the lock of a serving process', () => {
  test('needs the program flock, and says so where it is missing', async () => {
    const folder = makeFolder();
    for (const program of ['sh', 'dirname', 'readlink', 'uname'])
      symlinkSync(execFileSync('which', [program], { encoding: 'utf8' }).trim(), join(folder.path, program));
    const ended = await hourkeep(['serve'], { DATA_DIR: folder.path, PATH: folder.path, PORT: '0' });
    const file = join(folder.path, 'hourkeep.db');
    const line = `cannot lock the database file ${file}: the program flock is missing (package util-linux)`;
    assert.deepEqual([ended.code, ended.stderr], [1, `hourkeep: ${line}\n`]);
    folder.remove();
  });

  // Linux has the first, other systems the second; both can be tried on Linux.
  for (const way of ['lockWithFlock', 'lockWithSqlite']) {
    test(`${way}: one process has it until it is killed, and others can write meanwhile`, async (t) => {
      const { file, tryToLock } = prepare(t, way);
      const first = await tryToLock();
      assert.equal(first.outcome, 'locked');
      assert.equal((await tryToLock()).outcome, 'refused');
      const beside = new DatabaseSync(file);
      beside.exec('create table marks (n integer); insert into marks values (1)');
      beside.close();
      await first.kill();
      assert.equal((await tryToLock()).outcome, 'locked');
    });

    test(`${way}: of those that start together no two have it`, async (t) => {
      const { tryToLock } = prepare(t, way);
      const outcomes = await Promise.all(Array.from({ length: 4 }, tryToLock));
      assert.ok(outcomes.filter(({ outcome }) => outcome === 'locked').length <= 1);
    });
  }
});

interface Attempt {
  outcome: string;
  kill(): Promise<void>;
}

/** A new file, and attempts to lock it, each in a process that keeps what it got until it is killed. */
function prepare(t: TestContext, way: string): { file: string; tryToLock(): Promise<Attempt> } {
  const folder = makeFolder();
  const file = createIfMissing(join(folder.path, 'hourkeep.db'));
  const module = new URL('../../src/db/sqlite/file.ts', import.meta.url).href;
  const script = `import { ${way} } from '${module}';
    globalThis.release = ${way}('${file}');
    console.log(globalThis.release === undefined ? 'refused' : 'locked');
    process.stdin.resume();`;
  const children: Attempt['kill'][] = [];
  t.after(async () => {
    for (const kill of children) await kill();
    folder.remove();
  });
  const tryToLock = async (): Promise<Attempt> => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exit = once(child, 'exit');
    const kill = async (): Promise<void> => {
      child.kill('SIGKILL');
      await exit;
    };
    children.push(kill);
    const [chunk] = (await Promise.race([once(child.stdout, 'data'), exit])) as [unknown];
    return { outcome: String(chunk).trim(), kill };
  };
  return { file, tryToLock };
}
