import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import type { DemoFile } from '../../src/demo/demo.ts';
import { readDemo } from '../support/demo.ts';
import { bookingBody, CREATE } from '../support/booking.ts';
import { nextJune } from '../support/clock.ts';
import { commandLine, typed } from '../support/command-line.ts';
import { browserWith, signIn } from '../support/console.ts';
import { engines, onPostgres } from '../support/engines.ts';
import { filled } from '../support/old-database.ts';
import { answeredAtTerminal, makeFolder, startProcess } from '../support/process.ts';
import { send } from '../support/world.ts';

const DETAIL = '/api-booking-detail/api/v1/bookings';

interface End {
  newest_booking: { id: string; created_at: string } | null;
  last_audit: { action: string } | null;
}
interface Restored {
  file: string;
  kept: string | null;
  replaced: End | null;
  restored: End;
}

describe('restore', () => {
  const folder = makeFolder();
  const data = join(folder.path, 'data');
  const file = join(data, 'hourkeep.db');
  const backup = join(folder.path, 'backup.db');
  const settings = { DATA_DIR: data, RATE_LIMIT_PRODUCTION: '0' };
  let demo: DemoFile;
  let cookie: string;
  const booked: string[] = [];
  const { run, json, says } = commandLine(() => settings);
  const restored = (from: string) => json<Restored>('restore', from, '--yes');
  /** Serves for a moment. Returns which of the bookings are there. */
  async function serve(work: (url: string) => Promise<void> = async () => undefined): Promise<boolean[]> {
    const service = await startProcess('serve', settings);
    demo ??= readDemo(data);
    await work(service.url);
    const there: boolean[] = [];
    for (const id of booked)
      there.push(
        (await send(service.url, 'GET', `${DETAIL}/${id}`, { key: demo.keys.production })).status === 200,
      );
    await service.end();
    return there;
  }
  async function book(url: string): Promise<void> {
    const body = bookingBody(demo.spaces[0]!.id, { date: nextJune(booked.length + 1) });
    const answer = await send(url, 'POST', CREATE, { key: demo.keys.production, body });
    assert.equal(answer.status, 200, answer.text);
    booked.push(answer.body.data.booking.id);
  }
  before(async () => {
    await serve(async (url) => {
      await book(url);
      const browser = await signIn({ call: (...call) => send(url, ...call) }, demo.keys.production, true);
      cookie = browser.cookie;
      const { code, stderr } = await run('backup', backup);
      assert.equal(code, 0, stderr);
      await book(url);
    });
  });
  after(() => folder.remove());
  const files = () => readdirSync(data).sort();

  test('is refused while the file is served, and without --yes where nobody can be asked', async () => {
    await serve(async () => {
      const { code, stdout, stderr } = await run('restore', backup, '--yes');
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /^hourkeep: another process is serving .*hourkeep\.db; stop it first.*\n$/);
    });
    const before = [files(), readFileSync(file)];
    const unasked = await run('restore', backup);
    assert.deepEqual(
      [unasked.code, unasked.stdout, unasked.stderr],
      [1, '', 'hourkeep: restoring replaces the database: add --yes\n'],
    );
    assert.deepEqual([files(), readFileSync(file)], before);
  });

  test('refuses what is no sound backup, with one line, and changes nothing', async () => {
    const before = [files(), readFileSync(file)];
    const bytes = readFileSync(backup);
    const damaged = Buffer.concat([bytes.subarray(0, 8192), Buffer.alloc(bytes.length - 8192, 7)]);
    const foreign = join(folder.path, 'foreign.db');
    const other = new DatabaseSync(foreign);
    other.exec('create table notes (x)');
    other.close();
    const write = (name: string, content: Buffer | string): string => {
      writeFileSync(join(folder.path, name), content);
      return join(folder.path, name);
    };
    const cases: [from: string, line: RegExp][] = [
      [join(folder.path, 'nowhere'), /there is no backup .*nowhere/],
      [file, /is the database itself/],
      [write('text', 'no database at all'), /file is not a database/],
      [write('damaged', damaged), /malformed|not sound|cannot be copied/],
      [foreign, /foreign\.db: it is no backup of Hourkeep/],
    ];
    for (const [from, line] of cases) {
      const { code, stdout, stderr } = await run('restore', from, '--yes');
      assert.deepEqual([code, stdout], [1, ''], from);
      assert.match(stderr, new RegExp(`^hourkeep: .*(?:${line.source}).*\\n$`));
    }
    const otherKey = { ...settings, SECRET_KEY: 'the key of another database' };
    const { code, stderr } = await typed(['restore', backup, '--yes'], otherKey);
    assert.equal(code, 1);
    assert.match(stderr, /^hourkeep: SECRET_KEY is not the key of this database/);
    assert.deepEqual([files(), readFileSync(file)], before);
  });

  test('asks at a terminal, and shows the end of both databases', async () => {
    const before = readFileSync(file);
    const { code, shown } = await answeredAtTerminal(`restore ${backup}`, settings, 'no\n');
    assert.equal(code, 1);
    assert.match(shown, new RegExp(`The database now: +newest booking ${booked[1]} of `));
    assert.match(
      shown,
      new RegExp(`The backup: +newest booking ${booked[0]} of .*, last change .* booking.created`),
    );
    assert.match(shown, /nothing was changed/);
    assert.deepEqual(readFileSync(file), before);
  });

  test('puts the backup in place, keeps the old file beside it, and ends every session', async () => {
    const done = await restored(backup);
    assert.equal(done.file, file);
    assert.equal(done.replaced?.newest_booking?.id, booked[1]);
    assert.equal(done.restored.newest_booking?.id, booked[0]);
    assert.equal(done.restored.last_audit?.action, 'booking.created');
    assert.ok(done.kept !== null && existsSync(done.kept));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const there = await serve(async (url) => {
      const browser = browserWith({ call: (...call) => send(url, ...call) }, cookie);
      assert.equal((await browser.call('GET', '/console/session')).status, 401);
    });
    assert.deepEqual(there, [true, false]);
    const [entry] = await json('audit', 'list', '--limit', '1');
    assert.deepEqual([entry.action, entry.actor.type], ['database.restored', 'operator']);

    // And back again.
    const back = await restored(done.kept);
    assert.equal(back.restored.newest_booking?.id, booked[1]);
    assert.deepEqual(await serve(), [true, true]);
  });

  test('takes the place of a file that cannot be read, and of one that is gone', async () => {
    writeFileSync(file, 'what a bad disk has left');
    const done = await restored(backup);
    assert.equal(done.replaced, null);
    assert.equal(readFileSync(done.kept!, 'utf8'), 'what a bad disk has left');
    assert.deepEqual(await serve(), [true, false]);
    const elsewhere = makeFolder();
    copyFileSync(join(data, 'secret.key'), join(elsewhere.path, 'secret.key'));
    const fresh = await typed(['restore', backup, '--yes', '--json'], { DATA_DIR: elsewhere.path });
    assert.deepEqual([fresh.code, fresh.stderr], [0, '']);
    assert.equal(JSON.parse(fresh.stdout).kept, null);
    elsewhere.remove();
  });

  test('takes a backup of the schema of 0.1.0', async () => {
    const old = await filled(
      engines.find(({ name }) => name === 'sqlite')!,
      '0001',
    );
    const said = await says('restore', old.url.replace('sqlite:', ''), '--yes');
    assert.match(said, /^Restored .*hourkeep\.db\. The database that it replaces is /m);
    await old.drop();
  });
});

onPostgres('restore of a PostgreSQL database', (engine) => {
  test('is one line that names pg_restore', async () => {
    const database = await engine.createDatabase();
    const settings = { DATABASE_URL: database.url };
    const { code, stdout, stderr } = await typed(['restore', '/tmp/x.dump', '--yes'], settings);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^hourkeep: this database is PostgreSQL’s; use its own tool: pg_restore .*\n$/);
    await database.drop();
  });
});
