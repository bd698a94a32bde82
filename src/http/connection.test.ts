import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { before, describe, test } from 'node:test';
import { bookingBody, CREATE, openDesk, type Desk } from '../../test/support/booking.ts';
import { onOneEngine } from '../../test/support/engines.ts';
import { listening } from '../../test/support/listening.ts';
import { rawConnection, readAnswers, sendRaw } from '../../test/support/raw-connection.ts';
import { until } from '../../test/support/until.ts';
import { useWorld } from '../../test/support/world.ts';
import { answerBrokenHttp } from './broken-http.ts';

const SPACES = '/api-listings/api/v1/spaces';

/** There is one answer, with the envelope, and no more can be asked on its connection. */
function assertNotHttp(received: string, status: number, message: string): void {
  const [answer, ...others] = readAnswers(received);
  assert.ok(answer && others.length === 0, received);
  const { date: _, 'x-request-id': request_id, ...headers } = answer.headers;
  const error = { code: 'VALIDATION_ERROR', message, http_status: status, request_id };
  assert.deepEqual([answer.status, JSON.parse(answer.body)], [status, { success: false, error }]);
  assert.deepEqual(headers, {
    connection: 'close',
    'cache-control': 'no-store',
    'content-length': String(Buffer.byteLength(answer.body)),
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
  });
}

onOneEngine('a connection', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  let auth: string;
  before(async () => {
    desk = await openDesk(world);
    auth = `Authorization: Bearer ${desk.key}\r\n`;
  });
  const create = (start_hour: number) => {
    const body = JSON.stringify(bookingBody(desk.spaceId, { start_hour, end_hour: start_hour + 1 }));
    const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    return `POST ${CREATE} HTTP/1.1\r\nHost: x\r\n${auth}${type}\r\n${body}`;
  };

  for (const [what, requests, status, message] of [
    [
      'bytes that are not HTTP',
      ['NONSENSE\r\n', 'GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n', '\x16\x03\x01\0'],
      400,
      'The request is not valid HTTP',
    ],
    [
      'headers beyond what a server takes',
      [`GET / HTTP/1.1\r\nX-Big: ${'x'.repeat(40_000)}\r\n`],
      431,
      'The request headers are too large',
    ],
    [
      'no Host, whatever it asks for,',
      [`GET ${SPACES}`, `POST ${CREATE}`, 'GET /nowhere', 'GET /%zz', 'GET /healthz'].map(
        (start) => `${start} HTTP/1.1\r\nAUTH`,
      ),
      400,
      'The request has no Host header',
    ],
    [
      'two Hosts, also when they agree,',
      ['1.1\r\nHost: x\r\nhOST: x', '1.1\r\nHost: x\r\nHost: y', '1.0\r\nHost: x\r\nHost: x'].map(
        (end) => `GET ${SPACES} HTTP/${end}\r\nAUTH`,
      ),
      400,
      'The request has more than one Host header',
    ],
  ] as const)
    test(`with ${what} gets ${status} with the envelope, and is closed`, async () => {
      for (const request of requests)
        assertNotHttp(await sendRaw(world.url, `${request.replace('AUTH', auth)}\r\n`), status, message);
    });

  for (const [what, lines] of [
    ['of HTTP/1.0 needs no Host', 'HTTP/1.0\r\n'],
    [
      'may carry an expectation that nobody knows',
      'HTTP/1.1\r\nHost: x\r\nExpect: the unexpected\r\nConnection: close\r\n',
    ],
  ] as const)
    test(what, async () => {
      const [answer] = readAnswers(await sendRaw(world.url, `GET ${SPACES} ${lines}${auth}\r\n`));
      assert.equal(answer!.status, 200);
      assert.match(answer!.headers['x-request-id']!, /^[0-9a-f-]{36}$/);
    });

  test('that waits for 100 Continue gets it before its body is read, and then the response', async () => {
    const [head, body] = create(13).split('\r\n\r\n');
    const { socket, received, closed } = await rawConnection(world.url);
    socket.write(`${head}\r\nExpect: 100-continue\r\n\r\n`);
    await until(() => received() !== '');
    assert.equal(received(), 'HTTP/1.1 100 Continue\r\n\r\n');
    socket.end(body!);
    assert.equal(readAnswers(await closed())[1]!.status, 200);
  });

  test('that waits for 100 Continue gets its refusal instead, and is closed', async () => {
    const cases = [
      [CREATE, '', 401],
      ['/mcp', `Origin: https://elsewhere.example\r\n${auth}`, 403],
      ['/nowhere', auth, 404],
      [SPACES, auth, 405],
    ] as const;
    for (const [path, header, status] of cases) {
      const { socket, received } = await rawConnection(world.url);
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\n${header}Expect: 100-continue\r\nContent-Length: 5\r\n\r\n`,
      );
      await until(() => received().includes('request_id'));
      socket.destroy();
      const answers = readAnswers(received()).map((answer) => [answer.status, answer.headers['connection']]);
      assert.deepEqual(answers, [[status, 'close']], path);
    }
  });

  test('whose client closes its own side after the request gets the answer', async () => {
    const { socket, closed } = await rawConnection(world.url);
    socket.end(create(9));
    const [answer] = readAnswers(await closed());
    assert.equal(answer!.status, 200);
    assert.equal(JSON.parse(answer!.body).data.booking.start_hour, 9);
  });

  test('whose client closes its own side in the middle of a request gets 400', async () => {
    const { socket, closed } = await rawConnection(world.url);
    socket.end(create(11).slice(0, -5));
    assertNotHttp(await closed(), 400, 'The request is not valid HTTP');
  });

  test('with broken bytes after a request gets the answer to the request, and is closed', async () => {
    const [answer, ...others] = readAnswers(await sendRaw(world.url, `${create(12)}NONSENSE\r\n\r\n`));
    assert.deepEqual([answer!.status, answer!.headers['connection'], others], [200, 'close', []]);
  });
});

describe('a request that never ends', () => {
  test('gets 408 with the envelope, and its connection is closed', async () => {
    // Node looks for late requests twice a minute; here it looks often.
    const server = createServer({ requestTimeout: 50, headersTimeout: 50, connectionsCheckingInterval: 10 });
    const { port, close } = await listening(server.on('clientError', answerBrokenHttp));
    const url = `http://127.0.0.1:${port}`;
    for (const beginning of ['GET / HT', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n12'])
      assertNotHttp(await sendRaw(url, beginning), 408, 'The request took too long to arrive');
    await close();
  });
});
