import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { cutUnread } from './unread.ts';

/** More than the sockets between them hold. */
const LONG = Buffer.alloc(30_000_000);

describe('an answer that is not read', () => {
  let server: Server;
  before(async () => {
    server = createServer((_request, response) => response.end(LONG));
    cutUnread(server, 10, 1000);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());
  const ask = (): Socket => {
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    return socket;
  };

  test('is given up, with its connection', async () => {
    const connected = once(server, 'connection');
    const client = ask().pause();
    const [socket] = (await connected) as [Socket];
    await once(socket, 'close');
    assert.ok(socket.bytesWritten > 0);
    client.destroy();
  });

  test('is kept for a slow reader who goes on reading', async () => {
    let heard = 0;
    const client = ask();
    // Three seconds for all of it, which is longer than anybody may stand still.
    for await (const chunk of client) {
      heard += (chunk as Buffer).length;
      if (heard > LONG.length) break;
      await delay((3000 * (chunk as Buffer).length) / LONG.length);
    }
    assert.ok(heard > LONG.length);
    client.destroy();
  });
});
