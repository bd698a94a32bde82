import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { bookingBody, CREATE } from '../support/booking.ts';
import { nextJune } from '../support/clock.ts';
import { useServing } from '../support/command-line.ts';
import { onOneEngine } from '../support/engines.ts';
import { until } from '../support/until.ts';

// A disk that is full, on SQLite: the process may not make its files any larger. (On PostgreSQL the disk is the server's.)

onOneEngine('a service whose disk is full', (sqlite) => {
  const serving = useServing(sqlite);
  const limitFiles = (bytes: number | 'unlimited') => {
    const pid = String(serving.service.process.pid);
    execFileSync('prlimit', ['--pid', pid, `--fsize=${bytes}:unlimited`]);
  };
  const readiness = () => fetch(`${serving.service.url}/readyz`);
  const ready = async () => (await readiness()).status;

  test('is not ready, though it reads on, and is ready again when there is room', async () => {
    assert.equal(await ready(), 200);
    limitFiles(statSync(`${serving.database.url.replace('sqlite:', '')}-wal`).size);
    // What was written a moment ago counts for two seconds.
    await until(async () => (await ready()) === 503);
    const { error } = (await (await readiness()).json()) as { error: object };
    assert.deepEqual('details' in error && error.details, { reason: 'disk' });
    const body = bookingBody(serving.demo.spaces[0]!.id, { date: nextJune(1) });
    assert.equal((await serving.call('POST', CREATE, { body })).status, 503);
    assert.equal((await serving.call('GET', '/api-listings/api/v1/spaces')).status, 200);
    limitFiles('unlimited');
    await until(async () => (await ready()) === 200);
    assert.equal((await serving.call('POST', CREATE, { body })).status, 200);
  });
});
