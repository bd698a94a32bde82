import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { engines } from '../../test/support/engines.ts';
import { until } from '../../test/support/until.ts';
import { useWorld } from '../../test/support/world.ts';
import { buildApp } from '../app.ts';
import type { App } from './server.ts';

/** Asked for so often that the buffers of both sockets cannot hold the answers. */
const TIMES = 200;
const ASKED = 'GET /api-openapi HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(TIMES);
/** Instead of the minute that it is. */
const PATIENCE_MS = 1000;

describe('an answer that is not read', () => {
  const world = useWorld(engines[0]!);
  let app: App;
  before(async () => {
    app = await buildApp(world.ctx);
    await app.listen({ host: '127.0.0.1', port: 0 });
    assert.equal(app.server.timeout, 60_000);
    app.server.timeout = PATIENCE_MS;
  });
  after(() => app.close());
  const ask = (): Socket => {
    const { port } = app.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write(ASKED);
    return socket;
  };

  test('is given up, with its connection', async () => {
    const connected = once(app.server, 'connection');
    const client = ask().pause();
    const [socket] = (await connected) as [Socket];
    // It is closed with an error, for the log.
    await Promise.allSettled([once(socket, 'close')]);
    assert.ok(socket.destroyed);
    assert.ok(socket.bytesWritten > 0);
    client.destroy();
    const statuses = () => new Set(world.logText().match(/"route":"\/api-openapi","status":\d+/g));
    await until(() => statuses().size > 1);
    assert.deepEqual(
      [...statuses()].map((text) => text.slice(-3)),
      ['200', '499'],
    );
  });

  test('is kept for a slow reader who goes on reading', async () => {
    const { 'content-length': length } = (await app.inject('/api-openapi')).headers;
    const whole = TIMES * Number(length);
    let heard = 0;
    const client = ask();
    // All of it in three times as long as anybody may stand still.
    for await (const chunk of client) {
      heard += (chunk as Buffer).length;
      if (heard > whole) break;
      await delay((3 * PATIENCE_MS * (chunk as Buffer).length) / whole);
    }
    assert.ok(heard > whole);
    client.destroy();
  });
});
