import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { DemoFile } from '../../src/demo/demo.ts';
import { readDemo } from '../support/demo.ts';
import { bookingBody, CREATE } from '../support/booking.ts';
import { nextJune } from '../support/clock.ts';
import { makeFolder, startProcess, type Running } from '../support/process.ts';
import { until } from '../support/until.ts';
import { send } from '../support/world.ts';

// A disk that is full, on SQLite: the process may not make its files any larger. (On PostgreSQL the disk is the server's.)

describe('a service whose disk is full', () => {
  const folder = makeFolder();
  let service: Running;
  let demo: DemoFile;
  before(async () => {
    service = await startProcess('serve', { DATA_DIR: folder.path });
    demo = readDemo(folder.path);
  });
  after(async () => {
    await service.end();
    folder.remove();
  });
  const limitFiles = (bytes: number | 'unlimited') =>
    execFileSync('prlimit', ['--pid', String(service.process.pid), `--fsize=${bytes}:unlimited`]);
  const ready = async () => (await fetch(`${service.url}/readyz`)).status;

  test('is not ready, though it reads on, and is ready again when there is room', async () => {
    assert.equal(await ready(), 200);
    limitFiles(statSync(join(folder.path, 'hourkeep.db-wal')).size);
    // What was written a moment ago counts for two seconds.
    await until(async () => (await ready()) === 503);
    const { error } = (await (await fetch(`${service.url}/readyz`)).json()) as { error: object };
    assert.deepEqual('details' in error && error.details, { reason: 'disk' });
    const key = demo.keys.production;
    const body = bookingBody(demo.spaces[0]!.id, { date: nextJune(1) });
    assert.equal((await send(service.url, 'POST', CREATE, { key, body })).status, 503);
    assert.equal((await send(service.url, 'GET', '/api-listings/api/v1/spaces', { key })).status, 200);
    limitFiles('unlimited');
    await until(async () => (await ready()) === 200);
    assert.equal((await send(service.url, 'POST', CREATE, { key, body })).status, 200);
  });
});
