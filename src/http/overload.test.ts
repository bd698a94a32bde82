import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onOneEngine } from '../../test/support/engines.ts';
import { overload } from '../../test/support/overload.ts';
import { rawConnection, sendRaw } from '../../test/support/raw-connection.ts';
import { useWorld } from '../../test/support/world.ts';
import { refusedRequests } from '../metrics.ts';

const SPACES = '/api-listings/api/v1/spaces';

onOneEngine('when more is asked at once than can be served', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  /** One of them has at most 100 requests in progress. */
  const keys: string[] = [];
  before(async () => {
    desk = await openDesk(world);
    while (keys.length < 10) keys.push((await world.addKey(desk.hostId)).key);
  });
  const read = (headers: Record<string, string> = {}, key = desk.key) =>
    world.call('GET', SPACES, { key, headers });
  const crowd = async (count: number): Promise<number[]> => {
    const answers = await Promise.all(Array.from({ length: count }, (_, i) => read({}, keys[i % 10])));
    return [...new Set(answers.map(({ status }) => status))];
  };

  test('a crowd of 500 is served', async () => {
    assert.deepEqual(await crowd(500), [200]);
  });

  test('those who do not read their answers keep nobody out', async () => {
    const asked = 'GET /api-openapi HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100);
    const sockets = [];
    while (sockets.length < 12) {
      const { socket } = await rawConnection(world.url);
      sockets.push(socket);
      socket.write(asked);
      await once(socket, 'data');
      socket.pause();
    }
    assert.deepEqual(await crowd(200), [200]);
    for (const socket of sockets) socket.destroy();
  });

  describe('and it does not end', () => {
    let leave: () => Promise<unknown>;
    before(async () => {
      leave = await overload(world);
    });
    after(() => leave());

    test('a request is 503 with Retry-After, like every other 503', async () => {
      const answer = await read({ 'x-request-id': 'r1' });
      const error = refused(answer, 503, 'SERVICE_UNAVAILABLE');
      assert.equal(error.message, 'The service is temporarily unavailable; retry shortly');
      assert.deepEqual([error.request_id, error.outcome, error.details], ['r1', 'not_done', undefined]);
      const { date: _, connection: __, 'keep-alive': ___, ...headers } = Object.fromEntries(answer.headers);
      assert.deepEqual(headers, {
        'cache-control': 'no-store',
        'content-length': String(answer.bytes.length),
        'content-type': 'application/json; charset=utf-8',
        'retry-after': '1',
        'x-content-type-options': 'nosniff',
        'x-request-id': 'r1',
      });
    });

    test('whoever watches over the service is served', async () => {
      assert.equal((await world.call('GET', '/healthz')).status, 200);
      assert.equal((await world.call('GET', '/readyz')).status, 200);
    });

    test('refusals are counted, and none has a line in the log', async () => {
      const count = async () => (await refusedRequests.get()).values[0]!.value;
      const counted = await count();
      await read({ 'x-request-id': 'counted' });
      assert.ok((await count()) > counted);
      assert.doesNotMatch(world.logText(), /"request_id":"counted"/);
    });

    test('a client that closes its own side is refused or let go, and its connection is closed', async () => {
      const { socket, closed } = await rawConnection(world.url);
      socket.end(`GET ${SPACES} HTTP/1.1\r\nHost: x\r\n\r\n`);
      // Let go when its end is seen before its turn has come.
      assert.match(await closed(), /^(?:$|HTTP\/1\.1 503 )/);
    });

    test('a connection on which more is asked before the answer is closed', async () => {
      const twice = `GET ${SPACES} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(2);
      assert.equal(await sendRaw(world.url, twice), '');
    });
  });

  test('all is well when it has ended: the next crowd is served, and the log tells of both', async () => {
    while (!world.logText().includes('"message":"overload is over"')) await read();
    assert.deepEqual(await crowd(100), [200]);
    assert.equal((await desk.book()).status, 200);
    const told = world.logText().match(/"level":"warn".*"message":"overload[^:"]*/g) ?? [];
    assert.deepEqual(
      told.map((line) => line.split('"').at(-1)),
      ['overloaded', 'overload is over'],
    );
  });
});
