import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { DemoFile } from '../../src/demo/demo.ts';
import { readDemo } from '../support/demo.ts';
import { bookingBody, CREATE } from '../support/booking.ts';
import { nextJune } from '../support/clock.ts';
import { examine, typed } from '../support/command-line.ts';
import { findBinaries, freePort, startCluster, unprivilegedUser, type Cluster } from '../support/cluster.ts';
import { onBothEngines, type TestDatabase } from '../support/engines.ts';
import { makeFolder, startProcess, type Running } from '../support/process.ts';
import { until } from '../support/until.ts';
import { query } from '../support/query.ts';
import { send } from '../support/world.ts';

// The lines of docs/operations.md, "Back up and restore", typed into a shell; and the script of the timer in deploy/.

const ROOT = join(import.meta.dirname, '../..');
const SECTION = /^## Back up and restore$([^]*?)^## /m.exec(
  readFileSync(join(ROOT, 'docs/operations.md'), 'utf8'),
)![1]!;
const [DUMP, RESTORE, ARCHIVE, TO_A_POINT] = [...SECTION.matchAll(/^```sh\n([^]*?)^```$/gm)].map(
  ([, lines]) => lines!,
) as [string, string, string, string];

const bin = findBinaries();
const user = unprivilegedUser();

describe('PostgreSQL, backed up and restored as the docs say', { skip: bin === undefined }, () => {
  const folder = makeFolder();
  const at = (name: string): string => join(folder.path, name);
  const settings = {
    SECRET_KEY: 'the key of this database',
    DATA_DIR: at('data'),
    RATE_LIMIT_PRODUCTION: '0',
  };
  let cluster: Cluster;
  let demo: DemoFile;
  let dates = 0;
  const names: Record<string, string> = {
    DUMP: at('hourkeep.dump'),
    WAL: at('wal'),
    BASE: at('base'),
    DATA: at('restored'),
  };
  before(async () => {
    cluster = (await startCluster({ archive_mode: 'on' }))!;
    names['SERVER'] = cluster.url;
    names['DATABASE_URL'] = cluster.url.replace(/postgres$/, 'hourkeep');
    names['RESTORED'] = cluster.url.replace(/postgres$/, 'hourkeep_restored');
    await query(cluster.url, 'create database hourkeep');
    if (user !== undefined) chownSync(folder.path, user.uid, user.gid);
    mkdirSync(names['WAL']!);
    if (user !== undefined) chownSync(names['WAL']!, user.uid, user.gid);
  });
  after(() => {
    if (bin !== undefined)
      spawnSync(join(bin, 'pg_ctl'), ['-D', names['DATA']!, '-m', 'immediate', 'stop'], { ...user });
    cluster.stop();
    folder.remove();
  });

  /** As the server's own user, who may read its files. */
  async function type(lines: string): Promise<void> {
    const PATH = `${bin}:${join(ROOT, 'bin')}:${process.env['PATH']}`;
    const env = { PATH, HOME: folder.path, ...settings, ...names };
    await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', lines], { env, cwd: folder.path, ...user });
  }
  const serve = async (url: string): Promise<Running> => {
    const service = await startProcess('serve', { ...settings, DATABASE_URL: url });
    demo ??= readDemo(at('data'));
    return service;
  };
  async function book({ url }: Running): Promise<string> {
    const body = bookingBody(demo.spaces[0]!.id, { date: nextJune(++dates) });
    const answer = await send(url, 'POST', CREATE, { key: demo.keys.production, body });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data.booking.id;
  }
  const has = async ({ url }: Running, id: string): Promise<boolean> => {
    const path = `/api-booking-detail/api/v1/bookings/${id}`;
    return (await send(url, 'GET', path, { key: demo.keys.production })).status === 200;
  };
  const backupIs = async (): Promise<string | undefined> =>
    (await examine({ ...settings, DATABASE_URL: names['DATABASE_URL']! })).get('backup')?.status;

  test('by a dump: what was booked before it is there again, what came later is not', async () => {
    const service = await serve(names['DATABASE_URL']!);
    const early = await book(service);
    assert.equal(await backupIs(), 'warn');
    await type(DUMP);
    assert.equal(await backupIs(), 'ok');
    const late = await book(service);
    await service.end();
    await type(RESTORE);
    const again = await serve(names['RESTORED']!);
    assert.deepEqual([await has(again, early), await has(again, late)], [true, false]);
    await book(again);
    await again.end();
  });

  test('to a point in time: what was booked until then, after the base backup too', async () => {
    const [archiving = '', base = ''] = ARCHIVE.split(/^# restart PostgreSQL.*$/m);
    await type(archiving);
    await cluster.crash();
    await cluster.restart();
    const service = await serve(names['DATABASE_URL']!);
    await type(base);
    const early = await book(service);
    const [{ now } = { now: '' }] = await query<{ now: string }>(cluster.url, 'select now()::text as now');
    names['TIME'] = now;
    const late = await book(service);
    await service.end();
    const [{ file } = { file: '' }] = await query<{ file: string }>(
      cluster.url,
      'select pg_walfile_name(pg_switch_wal()) as file',
    );
    await until(() => readdirSync(names['WAL']!).includes(file));

    const [files = '', afterwards = ''] = TO_A_POINT.split(/^# start PostgreSQL.*$/m);
    await type(files);
    const port = await freePort();
    // As the first one has them: a server that recovers takes no fewer connections than it had.
    const options = `-p ${port} -k ${folder.path} -c fsync=off -c max_connections=300`;
    const start = ['-D', names['DATA']!, '-w', '-l', at('restored.log'), '-o', options, 'start'];
    const { status } = spawnSync(join(bin!, 'pg_ctl'), start, { ...user, cwd: folder.path });
    assert.equal(status, 0, readFileSync(at('restored.log'), 'utf8'));
    const server = `postgres://postgres@127.0.0.1:${port}`;
    await until(async () => {
      const [row] = await query<{ waits: boolean }>(
        `${server}/postgres`,
        'select pg_is_in_recovery() as waits',
      );
      return row?.waits === false;
    });
    names['DATABASE_URL'] = `${server}/hourkeep`;
    await type(afterwards);
    const again = await serve(names['DATABASE_URL']);
    assert.deepEqual([await has(again, early), await has(again, late)], [true, false]);
    await book(again);
    await again.end();
  });
});

onBothEngines('the script of the timer', (engine) => {
  const folder = makeFolder();
  let database: TestDatabase;
  before(async () => {
    database = await engine.createDatabase();
  });
  after(async () => {
    await database.drop();
    folder.remove();
  });

  test('makes a backup that the database remembers, and keeps fourteen', async () => {
    const url = database.url;
    const settings = { DATABASE_URL: url, DATA_DIR: join(folder.path, 'data') };
    assert.equal((await typed(['demo'], settings)).code, 0);
    const backups = join(folder.path, 'backups');
    mkdirSync(backups);
    const end = engine.name === 'sqlite' ? 'db' : 'dump';
    for (let day = 10; day < 24; day++)
      writeFileSync(join(backups, `hourkeep-2026-01-${day}T023000Z.${end}`), '');
    writeFileSync(join(backups, 'hourkeep.key'), 'not a backup');
    const env = { PATH: `${bin ?? ''}:${process.env['PATH']}`, HOME: folder.path, ...settings };
    await promisify(execFile)('sh', [join(ROOT, 'deploy/backup'), backups], { env });
    const kept = readdirSync(backups).sort();
    assert.equal(kept.length, 15);
    assert.equal(kept[0], 'hourkeep-2026-01-11T023000Z.' + end);
    assert.ok(kept.includes('hourkeep.key'));
    assert.equal((await examine(settings)).get('backup')?.status, 'ok');
  });
});
