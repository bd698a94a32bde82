import assert from 'node:assert/strict';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { DemoFile } from '../../src/demo/demo.ts';
import { readDemo } from '../support/demo.ts';
import { bookingBody, CREATE } from '../support/booking.ts';
import { nextJune } from '../support/clock.ts';
import { accepts } from '../support/listening.ts';
import {
  hourkeep,
  makeFolder,
  startProcess,
  serveAtTerminal,
  type Running,
  type TestFolder,
} from '../support/process.ts';
import { rawConnection, readAnswers } from '../support/raw-connection.ts';
import { until } from '../support/until.ts';
import { send } from '../support/world.ts';

const SPACES = '/api-listings/api/v1/spaces';
/** Until it takes no connections any more. */
const untilRefused = ({ url }: Running) => until(async () => !(await accepts(Number(new URL(url).port))));
const demoFile = (folder: TestFolder): DemoFile => readDemo(folder.path);

describe('the service as a process', () => {
  let folder: TestFolder;
  let settings: Record<string, string>;
  beforeEach(() => {
    folder = makeFolder();
    settings = { DATA_DIR: folder.path };
  });
  afterEach(() => folder.remove());

  test('starts on an empty database with demo data, and says where, with which key, and what to paste', async () => {
    const { log } = await serveAtTerminal(settings, async (shown) => {
      const demo = demoFile(folder);
      assert.equal(statSync(join(folder.path, 'demo.json')).mode & 0o777, 0o600);
      assert.match(shown, new RegExp(`Hourkeep listens on ${demo.base_url}\n`));
      assert.ok(shown.includes(demo.keys.production));
      const commands = [...shown.matchAll(/^ {2}curl -H "Authorization: (Bearer \S+)" "?([^\s"]+)"?$/gm)];
      assert.equal(commands.length, 2);
      for (const [, authorization = '', url = ''] of commands) {
        assert.equal((await fetch(url, { headers: { authorization } })).status, 200, url);
      }
    });
    for (const line of log.trim().split('\n')) JSON.parse(line);
  });

  test('the demo has what every endpoint needs to show something, in files that only their owner can read', async () => {
    const service = await startProcess('serve', settings);
    const demo = demoFile(folder);
    const get = async (path: string, key: string) => (await send(service.url, 'GET', path, { key })).body;
    const production = demo.spaces.filter((space) => space.environment === 'production');
    const isAlwaysOpen = (space: (typeof production)[number]) =>
      space.operating_hours.start_hour === 0 && space.operating_hours.end_hour === 24;
    assert.ok(production.some((space) => isAlwaysOpen(space) && space.is_active));
    assert.ok(production.some((space) => !isAlwaysOpen(space) && space.is_active));
    assert.ok(production.some((space) => !space.is_active));
    assert.ok(demo.spaces.some((space) => space.environment === 'sandbox'));
    assert.equal((await get(SPACES, demo.keys.production)).data.spaces.length, production.length);
    assert.equal((await get(SPACES, demo.keys.read_only)).data.spaces[0]?.currency, 'USD');
    assert.equal((await get(SPACES, demo.other_host.keys.production)).data.spaces[0]?.currency, 'KRW');
    assert.equal((await get(SPACES, demo.keys.revoked)).error.code, 'API_KEY_REVOKED');
    const { bookings } = (await get('/api-bookings/api/v1/bookings?limit=200', demo.keys.production)).data;
    const values = (field: 'status' | 'source' | 'settlement_mode' | 'payment_status') =>
      [...new Set(bookings.map((booking) => booking[field]))].toSorted();
    assert.deepEqual(values('status'), ['cancelled', 'completed', 'confirmed']);
    assert.deepEqual(values('source'), ['api', 'platform']);
    assert.deepEqual(values('settlement_mode'), ['host_settled', 'platform_settled']);
    assert.deepEqual(values('payment_status'), ['confirmed', 'host_collected', 'pending']);
    for (const name of ['hourkeep.db', 'hourkeep.db-wal'])
      assert.equal(statSync(join(folder.path, name)).mode & 0o777, 0o600, name);
    const latest = Math.max(...bookings.map((booking) => Date.parse(booking.ends_at)));
    assert.ok(latest < Date.now() + 30 * 86_400_000);
    await service.end();
  });

  test('each start has the data and the keys of the first, and polls the demo’s calendar; without a terminal all it prints is JSON', async () => {
    const calendar = async () => {
      const ended = await hourkeep(['calendar', 'list', '--json'], settings);
      return JSON.parse(ended.stdout)[0];
    };
    let before: DemoFile | undefined;
    let lastPolled: string | null = null;
    for (let starts = 0; starts < 2; starts++) {
      const service = await startProcess('serve', settings);
      const demo = demoFile(folder);
      assert.equal(demo.base_url, service.url);
      before ??= demo;
      assert.deepEqual({ ...demo, base_url: '' }, { ...before, base_url: '' });
      assert.equal((await send(service.url, 'GET', SPACES, { key: before.keys.production })).status, 200);
      let polled = await calendar();
      while (polled.last_polled_at === lastPolled) polled = await calendar();
      lastPolled = polled.last_polled_at;
      assert.equal(polled.status, 'ok', polled.last_error);
      assert.ok(polled.busy_hours > 0);
      assert.equal(new URL(polled.url).port, new URL(service.url).port);
      const { stdout, stderr } = await service.end();
      assert.equal(stderr, '');
      const lines = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      // A poll that changes something is logged.
      assert.deepEqual(
        lines.filter(({ level, message }) => level !== 'info' || message.startsWith('calendar')),
        [],
      );
    }
  });

  test('SIGTERM and SIGINT end it with 0, after what is in flight', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const service = await startProcess('serve', settings);
      const { keys, spaces } = demoFile(folder);
      const start_hour = signal === 'SIGINT' ? 3 : 4;
      const hours = { date: nextJune(1), start_hour, end_hour: start_hour + 1 };
      const body = JSON.stringify(bookingBody(spaces[0]!.id, hours));
      const half = Math.floor(body.length / 2);
      const { socket, closed } = await rawConnection(service.url);
      socket.write(
        `POST ${CREATE} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.production}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, half)}`,
      );
      // By the time another request has been answered, what was written before it has been read.
      await fetch(`${service.url}/readyz`);
      const ending = service.end(signal);
      await untilRefused(service);
      socket.write(body.slice(half));
      const [answer] = readAnswers(await closed());
      assert.deepEqual([answer?.status, answer?.headers['connection']], [200, 'close']);
      const ended = await ending;
      assert.equal(ended.code, 0);
      const told = [...ended.stdout.matchAll(/"message":"([^"]+)"/g)].map(([, message]) => message);
      assert.ok(told.includes('stopping: finishing what is in flight'));
      assert.equal(told.at(-1), 'stopped');
    }
  });

  test('a request on an idle connection is answered after SIGTERM too, and told that the connection closes', async () => {
    const service = await startProcess('serve', settings);
    const { socket, closed } = await rawConnection(service.url);
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    const ended = service.end();
    await untilRefused(service);
    socket.write('POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n');
    const [, answer] = readAnswers(await closed());
    assert.deepEqual([answer?.status, answer?.headers['connection']], [405, 'close']);
    assert.equal((await ended).code, 0);
  });

  test('a port in use is one clear line and exit code 1', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const ended = await hourkeep(['serve'], { ...settings, PORT: String(port) });
    assert.equal(ended.code, 1);
    assert.equal(ended.stderr, `hourkeep: 127.0.0.1:${port} is already in use; choose another PORT\n`);
    server.close();
  });

  test('NODE_ENV=production seeds nothing, demands SECRET_KEY, and warns once that PUBLIC_URL is not set', async () => {
    const refused = await hourkeep(['serve'], { ...settings, NODE_ENV: 'production' });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^hourkeep: SECRET_KEY must be set in production .*\n$/);
    const production = { ...settings, NODE_ENV: 'production', SECRET_KEY: 'k'.repeat(32) };
    const service = await startProcess('serve', production);
    const hosts = await hourkeep(['host', 'list', '--json'], settings);
    assert.deepEqual(JSON.parse(hosts.stdout), []);
    assert.equal((await fetch(`${service.url}/api-openapi`)).status, 200);
    const { stdout } = await service.end();
    assert.equal(stdout.split('PUBLIC_URL is not set').length, 2);
  });
});

describe('an SQLite file', () => {
  let folder: TestFolder;
  before(() => {
    folder = makeFolder();
  });
  after(() => folder.remove());

  test('in a folder that is not there yet is made, also when the secret key is a setting', async () => {
    const file = join(folder.path, 'new', 'deep', 'hourkeep.db');
    const settings = { DATABASE_URL: `sqlite:${file}`, SECRET_KEY: 'a'.repeat(64), DATA_DIR: folder.path };
    const service = await startProcess('serve', settings);
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    await service.end();
  });

  test('is not for api or worker alone', async () => {
    for (const command of ['api', 'worker']) {
      const ended = await hourkeep([command], { DATA_DIR: folder.path, PORT: '0' });
      assert.equal(ended.code, 1);
      assert.match(ended.stderr, /needs PostgreSQL/);
    }
  });

  for (const [path, says] of [
    ['/dev/null/data', /^hourkeep: cannot use the data folder \/dev\/null\/data: .*\n$/],
    [
      '/proc/1/foo',
      /^hourkeep: cannot use the data folder \/proc\/1\/foo: there is no such file or folder\n$/,
    ],
  ] as const)
    test(`in a folder that cannot be made or written, ${path}, is one clear line and exit code 1`, async () => {
      const ended = await hourkeep(['serve'], { DATA_DIR: path, PORT: '0' });
      assert.equal(ended.code, 1);
      assert.match(ended.stderr, says);
    });
});
