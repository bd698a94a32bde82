import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { useCalendarServer } from './support/calendar-server.ts';
import { onBothEngines, type TestDatabase } from './support/engines.ts';
import { send } from './support/world.ts';

const COMMAND = fileURLToPath(new URL('../bin/hourkeep', import.meta.url));

interface Finished {
  code: number | null;
  out: string;
  err: string;
}

onBothEngines('hourkeep calendar, beside a running service', (engine) => {
  const server = useCalendarServer();
  const folder = mkdtempSync(join(tmpdir(), 'hourkeep-calendars-'));
  let database: TestDatabase;
  let service: ChildProcess;
  let demo: { base_url: string; keys: { production: string }; spaces: { id: string; timezone: string }[] };

  before(async () => {
    database = await engine.createDatabase();
    service = spawn(COMMAND, ['serve'], { env: environment(), stdio: ['ignore', 'ignore', 'pipe'] });
    await said(service, 'Hourkeep listens on');
    demo = JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')) as typeof demo;
  });

  after(async () => {
    const ended = new Promise((resolve) => service.once('exit', resolve));
    service.kill('SIGTERM');
    assert.equal(await ended, 0);
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  function environment(): NodeJS.ProcessEnv {
    const { PATH } = process.env;
    const settings = { PORT: '0', METRICS_PORT: '0', RATE_LIMIT_PRODUCTION: '0', DATA_DIR: folder };
    return { PATH, ...settings, DATABASE_URL: database.url };
  }

  async function run(...args: string[]): Promise<Finished> {
    const child = spawn(COMMAND, ['calendar', ...args], { env: environment() });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, out, err };
  }

  async function json<T>(...args: string[]): Promise<T> {
    const { code, out, err } = await run(...args, '--json');
    assert.deepEqual([code, err], [0, '']);
    return JSON.parse(out) as T;
  }

  async function reasonsOn(date: string): Promise<Record<string, string>> {
    const path = `/api-availability/api/v1/spaces/${demo.spaces[0]!.id}/availability?date=${date}`;
    const answer = await send(demo.base_url, 'GET', path, { key: demo.keys.production });
    const slots = answer.body.data.slots as { hour: number; block_reason: string | null }[];
    return Object.fromEntries(
      slots.flatMap(({ hour, block_reason }) => (block_reason === null ? [] : [[hour, block_reason]])),
    );
  }

  const date = new Date(Date.now() + 60 * 86_400_000).toISOString().slice(0, 10);

  test('a calendar is added, imported by the worker, synced, listed and removed', async () => {
    server.serveEvents(`10:00-12:00 on ${date}`);
    const space = demo.spaces[0]!.id;
    const added = await json<{ id: string }>('add', '--space', space, '--url', server.url);
    assert.deepEqual(added, { id: added.id, space_id: space, url: server.url });
    while (Object.keys(await reasonsOn(date)).length === 0) await delay(100);
    assert.deepEqual(await reasonsOn(date), { 10: 'external_block', 11: 'external_block' });

    server.serveEvents(`11:00-13:00 on ${date}`);
    assert.deepEqual(await json('sync', added.id), {
      id: added.id,
      result: 'imported',
      busy_hours: 2,
      added_hours: 1,
      freed_hours: 1,
      overlapping_bookings: [],
      warning: null,
    });
    assert.deepEqual(await reasonsOn(date), { 11: 'external_block', 12: 'external_block' });

    const listed = await json<Record<string, unknown>[]>('list', '--space', space);
    assert.equal(listed.length, 1);
    const { id, url, status, busy_hours, last_error, failures } = listed[0]!;
    assert.deepEqual(
      { id, url, status, busy_hours, last_error, failures },
      { id: added.id, url: server.url, status: 'ok', busy_hours: 2, last_error: null, failures: 0 },
    );

    const removed = await json('remove', added.id);
    assert.deepEqual(removed, { id: added.id, removed: true, freed_hours: 2 });
    assert.deepEqual(await reasonsOn(date), {});
  });

  test('a calendar that cannot be imported is refused with one line and exit code 1', async () => {
    server.answer(404);
    const { id } = await json<{ id: string }>(
      'add',
      '--space',
      demo.spaces[0]!.id,
      '--url',
      `${server.url}?404`,
    );
    const { code, out, err } = await run('sync', id, '--json');
    assert.deepEqual(
      [code, out, err],
      [1, '', 'hourkeep: the calendar was not imported: the server answers with status 404\n'],
    );
    const { out: table } = await run('list');
    assert.match(table, new RegExp(`${id}.*failing.*the server answers with status 404`));
    assert.equal((await run('remove', id)).code, 0);
  });

  test('the demo’s calendar can be synced, and has the hours that it had', async () => {
    const loft = demo.spaces[1]!.id;
    const [calendar] = await json<{ id: string; busy_hours: number }[]>('list', '--space', loft);
    const { result, added_hours, freed_hours } = await json<Record<string, unknown>>('sync', calendar!.id);
    assert.deepEqual([result, added_hours, freed_hours], ['imported', 0, 0]);
    assert.ok(calendar!.busy_hours > 0);
  });

  test('wrong usage is exit code 2', async () => {
    for (const args of [['add'], ['sync', 'not-an-id']]) {
      const { code, out, err } = await run(...args);
      assert.equal(code, 2, args.join(' '));
      assert.equal(out, '');
      assert.notEqual(err, '');
    }
  });
});

async function said(child: ChildProcess, words: string): Promise<void> {
  let heard = '';
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}: ${heard}`)));
    child.stderr?.on('data', (chunk: Buffer) => {
      heard += chunk.toString();
      if (heard.includes(words)) resolve();
    });
  });
}
