import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { DemoFile } from '../../src/demo/demo.ts';
import { addDays } from '../../src/time/dates.ts';
import { bookingBody, CREATE } from '../support/booking.ts';
import { nextJune } from '../support/clock.ts';
import { freePort } from '../support/cluster.ts';
import { onPostgres } from '../support/engines.ts';
import { findProgram, startNginx, type Nginx } from '../support/nginx.ts';
import { makeFolder, startProcess } from '../support/process.ts';
import { until } from '../support/until.ts';

// The shipped nginx configuration in front of two processes that are restarted one after the other, as an upgrade does.

const CLIENTS = 8;
const RESTARTS = 4;
const BETWEEN = 200;

onPostgres('two processes behind nginx', (engine) => {
  const program = findProgram('nginx');
  if (program === undefined) {
    process.stderr.write('rolling restart: nginx is not installed; NOTHING WAS CHECKED in this run\n');
    return;
  }

  test('are restarted four times, and no request fails', async () => {
    const folder = makeFolder();
    const database = await engine.createDatabase();
    const settings = { DATA_DIR: folder.path, DATABASE_URL: database.url, RATE_LIMIT_PRODUCTION: '0' };
    const ports = [await freePort(), await freePort()];
    const start = (port: number) => startProcess('api', { ...settings, PORT: String(port) });
    const processes = [await start(ports[0]!), await start(ports[1]!)];
    const upstreams = ports.map((port) => `127.0.0.1:${port}`);
    const nginx = await startNginx(program, folder.path, upstreams);
    const demo = JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8')) as DemoFile;

    const load = startLoad(nginx, demo);
    for (let i = 0; i < RESTARTS; i++) {
      const sofar = load.answered();
      await until(() => load.answered() > sofar + BETWEEN);
      const ended = await processes[i % 2]!.end();
      assert.equal(ended.code, 0);
      processes[i % 2] = await start(ports[i % 2]!);
    }
    const failed = await load.stop();

    await nginx.end();
    await Promise.all(processes.map((process) => process.end()));
    await database.drop();
    folder.remove();
    assert.deepEqual(failed, []);
    assert.ok(load.answered() > RESTARTS * BETWEEN);
  });
});

/** Books hours that nobody else books, and looks at them, until it is stopped. */
function startLoad(nginx: Nginx, demo: DemoFile) {
  const space = demo.spaces.find(
    ({ environment, is_active, operating_hours: hours }) =>
      environment === 'production' && is_active && hours.end_hour - hours.start_hour === 24,
  )!;
  const headers = { authorization: `Bearer ${demo.keys.production}` };
  const failed: string[] = [];
  let answered = 0;
  let booked = 0;
  const stop = new AbortController();

  const ask = async (path: string, body?: object): Promise<void> => {
    const request = body === undefined ? { headers } : { method: 'POST', headers, body };
    const result = await nginx.ask(path, request).then(
      ({ status, body: text }) => (status === 200 ? undefined : `${status} ${text}`),
      (error: unknown) => String(error),
    );
    answered++;
    if (result !== undefined) failed.push(`${body === undefined ? 'GET' : 'POST'}: ${result}`);
  };
  const client = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const n = booked++;
      const date = addDays(nextJune(1), Math.floor(n / 24));
      await ask(CREATE, bookingBody(space.id, { date, start_hour: n % 24, end_hour: (n % 24) + 1 }));
      await ask(`/api-availability/api/v1/spaces/${space.id}/availability?date=${date}`);
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  return {
    answered: () => answered,
    stop: async (): Promise<string[]> => {
      stop.abort();
      await clients;
      return failed;
    },
  };
}
