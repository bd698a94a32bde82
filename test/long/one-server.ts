import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, linkSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test, type TestContext } from 'node:test';
import { createIfMissing } from '../../src/db/sqlite/file.ts';
import { bookingBody, CREATE } from '../support/booking.ts';
import { openSpaceOf, readDemo } from '../support/demo.ts';
import { hourkeep, makeFolder, startProcess, type Running } from '../support/process.ts';
import { send } from '../support/world.ts';

// One after another, on one server.
describe('an SQLite file that is served', () => {
  const folder = makeFolder();
  const elsewhere = makeFolder();
  const file = join(folder.path, 'hourkeep.db');
  const near = join(folder.path, 'link.db');
  const far = join(elsewhere.path, 'hourkeep.db');
  let server: Running;
  let hour = 0;
  before(async () => {
    server = await startProcess('serve', { DATA_DIR: folder.path });
  });
  after(async () => {
    await server.end('SIGKILL');
    folder.remove();
    elsewhere.remove();
  });
  const at = (path: string) => ({ DATA_DIR: folder.path, DATABASE_URL: `sqlite:${path}`, PORT: '0' });
  const assertRefused = async (path: string, reason?: string): Promise<void> => {
    const line = `another process is serving ${path}; stop it first, or use PostgreSQL to run several`;
    // Not with `hourkeep`: a second server that is let in would never end.
    const second = startProcess('serve', at(path)).then((running) => running.end('SIGKILL'));
    await assert.rejects(second, { message: `hourkeep serve ended with 1: hourkeep: ${reason ?? line}\n` });
  };
  const book = async (): Promise<void> => {
    const demo = readDemo(folder.path);
    const body = bookingBody(openSpaceOf(demo), { date: '2031-03-18', start_hour: hour, end_hour: ++hour });
    const answer = await send(server.url, 'POST', CREATE, { key: demo.keys.production, body });
    assert.equal(answer.status, 200);
  };
  const hosts = async (path: string) => hourkeep(['host', 'list', '--json'], at(path));
  const assertSeen = async (path: string): Promise<void> => {
    const { code, stdout, stderr } = await hosts(path);
    assert.equal(code, 0, stderr);
    assert.equal((JSON.parse(stdout) as unknown[]).length, 2);
  };
  const otherLog = `it is the same file as ${file}, and the latest writes are in the log of that name`;

  test('has no second server under its own name, whatever is removed beside it', async () => {
    await assertRefused(file);
    for (const name of readdirSync(folder.path)) {
      if (name.startsWith('hourkeep.db') && !/^hourkeep\.db(?:-wal|-shm)?$/.test(name))
        rmSync(join(folder.path, name));
    }
    await assertRefused(file);
    await assertSeen(file);
  });

  test('has no second server through a symbolic link, through which commands see it', async () => {
    symlinkSync(file, near);
    await assertRefused(near);
    await assertSeen(near);
    rmSync(near);
  });

  test('has no second server through a hard link, and no command beside the log of its name', async () => {
    for (const [link, reason] of [
      [near, otherLog],
      [far, 'another process has the same file open under another name; use that name'],
    ] as const) {
      linkSync(file, link);
      await assertRefused(link);
      // Twice: the first attempt must not leave a log behind that the second one takes for a good sign.
      for (const attempt of [1, 2]) {
        const { code, stderr } = await hosts(link);
        assert.equal(stderr, `hourkeep: cannot open the database file ${link}: ${reason}\n`, `${attempt}`);
        assert.equal(code, 1);
      }
      rmSync(link);
    }
    await book();
  });

  test('has no second server under a new name', async () => {
    renameSync(file, near);
    await assertRefused(near);
    renameSync(near, file);
    await assertSeen(file);
    await book();
  });

  test('can be served again at once after kill -9, and only under the name that has the latest writes', async () => {
    linkSync(file, near);
    await server.end('SIGKILL');
    await assertRefused(near, `cannot open the database file ${near}: ${otherLog}`);
    server = await startProcess('serve', at(file));
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
    await assertRefused(near);
  });

  test('can be served under any name after a clean stop', async () => {
    assert.equal((await server.end()).code, 0);
    server = await startProcess('serve', at(near));
    await assertRefused(file);
  });

  test('has no second server on a backup that was moved over it', async () => {
    const backup = join(folder.path, 'backup.db');
    copyFileSync(near, backup);
    renameSync(backup, near);
    await assertRefused(near);
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
      const [first, ...others] = (await Promise.all(Array.from({ length: 4 }, tryToLock))).sort((a, b) =>
        a.outcome.localeCompare(b.outcome),
      );
      assert.deepEqual(
        [first, ...others].map((each) => each!.outcome),
        ['locked', 'refused', 'refused', 'refused'],
      );
      const beside = new DatabaseSync(file);
      beside.exec('create table marks (n integer); insert into marks values (1)');
      beside.close();
      await first!.kill();
      assert.equal((await tryToLock()).outcome, 'locked');
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
