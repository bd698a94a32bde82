import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../support/cluster.ts';
import { keepAsking, readDemo } from '../support/demo.ts';
import { onPostgres } from '../support/engines.ts';
import { findProgram, startNginx } from '../support/nginx.ts';
import { notTested } from '../support/own-server.ts';
import { makeFolder, startProcess } from '../support/process.ts';
import { until } from '../support/until.ts';

// The shipped nginx configuration in front of two processes that are restarted one after the other, as an upgrade does.

const RESTARTS = 4;
const BETWEEN = 200;

onPostgres('two processes behind nginx', (engine) => {
  const program = findProgram('nginx');
  if (program === undefined) return notTested('a rolling restart: nginx is not installed');

  test('are restarted four times, and no request fails', async () => {
    const folder = makeFolder();
    const database = await engine.createDatabase();
    const settings = { DATA_DIR: folder.path, DATABASE_URL: database.url, RATE_LIMIT_PRODUCTION: '0' };
    const ports = [await freePort(), await freePort()];
    const start = (port: number) => startProcess('api', { ...settings, PORT: String(port) });
    const processes = [await start(ports[0]!), await start(ports[1]!)];
    const upstreams = ports.map((port) => `127.0.0.1:${port}`);
    const nginx = await startNginx(program, folder.path, upstreams);
    const demo = readDemo(folder.path);

    const load = keepAsking(demo, async (key, what, body) => {
      const headers = { authorization: `Bearer ${key}` };
      const request = body === undefined ? { headers } : { method: 'POST', headers, body };
      const { status = 0, body: text } = await nginx.ask(what, request).catch((error: unknown) => {
        return { status: 0, body: String(error) };
      });
      return { what, status, text, retryAfter: null };
    });
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
