import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { DemoFile } from '../../src/demo/demo.ts';
import { bookingBody, CREATE } from '../support/booking.ts';
import { askAt, keepAsking, openSpaceOf, readDemo } from '../support/demo.ts';
import { onPostgres, type TestDatabase } from '../support/engines.ts';
import { hourkeep, makeFolder, startProcess, type Running, type TestFolder } from '../support/process.ts';
import { until } from '../support/until.ts';

// The release before this one, as git has it: its process goes on while this one migrates. (test/old-databases.test.ts has its files.)

const ROOT = join(import.meta.dirname, '../..');
/** 0.1.0. */
const COMMIT = 'cc89852';

const isThere = spawnSync('git', ['cat-file', '-e', `${COMMIT}^{commit}`], { cwd: ROOT }).status === 0;
if (!isThere) {
  const line = '!'.repeat(100);
  process.stderr.write(
    `${line}\nThe history does not reach back to 0.1.0 (git fetch --unshallow brings it): the upgrade from its process is NOT\n` +
      `TESTED in this run. test/old-databases.test.ts has rows of its schema.\n${line}\n`,
  );
}

if (isThere)
  onPostgres('an upgrade from 0.1.0', (engine) => {
    const folder = makeFolder();
    let old: string;
    let database: TestDatabase;
    let settings: Record<string, string>;
    let demo: DemoFile;
    let oldOne: Running;
    let newOne: Running;
    const order = () =>
      bookingBody(openSpaceOf(demo), {
        idempotency_key: 'before the upgrade',
        guest_email: 'ada@example.com',
      });
    let bookingId: string;

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
      const { status, body, text } = await book(oldOne, demo, order());
      assert.equal(status, 200, text);
      bookingId = body.data.booking.id;
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

    test('answers the old key with the old booking', async () => {
      const { status, body, headers, text } = await book(newOne, demo, order());
      assert.equal(status, 200, text);
      assert.deepEqual([body.data.booking.id, headers.get('idempotent-replayed')], [bookingId, 'true']);
      const path = `/api-booking-detail/api/v1/bookings/${bookingId}`;
      const { body: read } = await send(newOne.url, 'GET', path, { key: demo.keys.read_only });
      assert.deepEqual(read.data.booking, body.data.booking);
    });

    test('gives nobody the hours of the old booking, and others to everybody', async () => {
      assert.equal((await book(newOne, demo, bookingBody(openSpaceOf(demo)))).status, 409);
      const later = bookingBody(openSpaceOf(demo), { date: '2027-06-02' });
      assert.equal((await book(newOne, demo, later)).status, 200);
    });

    test('leaves doctor without a complaint about the schema', async () => {
      const { stdout } = await hourkeep(['doctor', '--json'], settings);
      const checks = JSON.parse(stdout) as { check: string; status: string }[];
      assert.equal(checks.find(({ check }) => check === 'schema')?.status, 'ok', stdout);
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

/** Not held to this version's document: the old one has another. */
async function send(base: string, method: string, path: string, call: { key: string; body?: object }) {
  const headers = { authorization: `Bearer ${call.key}`, 'content-type': 'application/json' };
  const body = call.body === undefined ? null : JSON.stringify(call.body);
  const response = await fetch(base + path, { method, headers, body });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

const book = (service: Running, demo: DemoFile, body: Record<string, unknown>) =>
  send(service.url, 'POST', CREATE, { key: demo.keys.production, body });
