import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, describe, test } from 'node:test';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onOneEngine } from '../../test/support/engines.ts';
import { rawConnection, readAnswers, sendRaw, type RawAnswer } from '../../test/support/raw-connection.ts';
import { until } from '../../test/support/until.ts';
import { useWorld } from '../../test/support/world.ts';
import { answerBrokenHttp } from './broken-http.ts';

const SPACES = '/api-listings/api/v1/spaces';
const CREATE = '/api-create-booking/api/v1/bookings';

function assertNotHttp(answer: RawAnswer | undefined, status: number, message: string): void {
  assert.ok(answer);
  const { error, success } = JSON.parse(answer.body);
  assert.equal(answer.status, status);
  assert.deepEqual(
    { success, error },
    {
      success: false,
      error: {
        code: 'VALIDATION_ERROR',
        message,
        http_status: status,
        request_id: answer.headers['x-request-id'],
      },
    },
  );
  assert.equal(answer.headers['connection'], 'close');
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers['x-content-type-options'], 'nosniff');
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
}

onOneEngine('a connection', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  let auth: string;
  before(async () => {
    desk = await openDesk(world);
    auth = `Authorization: Bearer ${desk.key}\r\n`;
  });
  const create = (hour: number) => {
    const body = JSON.stringify({
      space_id: desk.spaceId,
      date: '2027-06-01',
      start_hour: hour,
      end_hour: hour + 1,
      guest_email: 'a@example.com',
      guest_name: 'A',
    });
    const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    return `POST ${CREATE} HTTP/1.1\r\nHost: x\r\n${auth}${type}\r\n${body}`;
  };

  test('with bytes that are not HTTP gets 400 with the envelope, and is closed', async () => {
    for (const bytes of [
      'NONSENSE\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n',
      '\x16\x03\x01\0',
    ]) {
      const answers = readAnswers(await sendRaw(world.url, bytes));
      assert.equal(answers.length, 1);
      assertNotHttp(answers[0], 400, 'The request is not valid HTTP');
    }
  });

  test('with headers beyond what a server takes gets 431 with the envelope, and is closed', async () => {
    const answers = readAnswers(
      await sendRaw(world.url, `GET / HTTP/1.1\r\nX-Big: ${'x'.repeat(40_000)}\r\n\r\n`),
    );
    assertNotHttp(answers[0], 431, 'The request headers are too large');
  });

  test('without a Host gets 400 with the envelope, and is closed, whatever it asks for', async () => {
    for (const start of [`GET ${SPACES}`, `POST ${CREATE}`, 'GET /nowhere', 'GET /%zz', 'GET /healthz']) {
      const answers = readAnswers(await sendRaw(world.url, `${start} HTTP/1.1\r\n${auth}\r\n`));
      assert.equal(answers.length, 1, start);
      assertNotHttp(answers[0], 400, 'The request has no Host header');
    }
  });

  test('with two Hosts gets 400 with the envelope, and is closed, also when they agree', async () => {
    for (const version of ['1.1', '1.0']) {
      for (const second of ['x', 'y']) {
        const bytes = `GET ${SPACES} HTTP/${version}\r\nHost: x\r\nhOST: ${second}\r\n${auth}\r\n`;
        const answers = readAnswers(await sendRaw(world.url, bytes));
        assert.equal(answers.length, 1);
        assertNotHttp(answers[0], 400, 'The request has more than one Host header');
      }
    }
  });

  test('of HTTP/1.0 needs no Host', async () => {
    const [answer] = readAnswers(await sendRaw(world.url, `GET ${SPACES} HTTP/1.0\r\n${auth}\r\n`));
    assert.equal(answer!.status, 200);
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
    const answers = readAnswers(await closed());
    assert.equal(answers.length, 1);
    assertNotHttp(answers[0], 400, 'The request is not valid HTTP');
  });

  test('with broken bytes after a request gets the answer to the request, and is closed', async () => {
    const answers = readAnswers(await sendRaw(world.url, `${create(12)}NONSENSE\r\n\r\n`));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200],
    );
    assert.equal(answers[0]!.headers['connection'], 'close');
  });

  test('that waits for 100 Continue gets it before its body is read, and then the response', async () => {
    const [head, body] = create(13).split('\r\n\r\n');
    const { socket, received, closed } = await rawConnection(world.url);
    socket.write(`${head}\r\nExpect: 100-continue\r\n\r\n`);
    await until(() => received() !== '');
    assert.equal(received(), 'HTTP/1.1 100 Continue\r\n\r\n');
    socket.end(body!);
    const [, answer] = readAnswers(await closed());
    assert.equal(answer!.status, 200);
    assert.equal(JSON.parse(answer!.body).data.booking.start_hour, 13);
  });

  test('that waits for 100 Continue gets its refusal instead, and is closed', async () => {
    const { key: readsOnly } = await world.addKey(desk.hostId, { scopes: ['spaces:read'] });
    const bearer = (key: string) => `Authorization: Bearer ${key}\r\n`;
    const cases: [path: string, header: string, status: number][] = [
      [CREATE, '', 401],
      [CREATE, bearer(`${desk.key.slice(0, -1)}!`), 401],
      [CREATE, bearer(readsOnly), 403],
      ['/mcp', '', 401],
      ['/mcp', `Origin: https://elsewhere.example\r\n${auth}`, 403],
      ['/nowhere', auth, 404],
      [SPACES, auth, 405],
    ];
    for (const [path, header, status] of cases) {
      const expectation = 'Expect: 100-continue\r\nContent-Length: 5\r\nContent-Type: application/json\r\n';
      const bytes = `POST ${path} HTTP/1.1\r\nHost: x\r\n${header}${expectation}\r\n`;
      const { socket, received } = await rawConnection(world.url);
      socket.write(bytes);
      await until(() => received().includes('request_id'));
      socket.destroy();
      assert.deepEqual(
        readAnswers(received()).map((answer) => [answer.status, answer.headers['connection']]),
        [[status, 'close']],
        path,
      );
    }
  });

  test('may carry an expectation that nobody knows', async () => {
    const { port } = new URL(world.url);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: `Bearer ${desk.key}`, expect: 'the unexpected' };
      httpRequest({ host: '127.0.0.1', port, path: SPACES, headers }, (response) => {
        assert.match(String(response.headers['x-request-id']), /^[0-9a-f-]{36}$/);
        resolve(response.resume().statusCode);
      })
        .on('error', reject)
        .end();
    });
    assert.equal(status, 200);
  });
});

describe('a request that never ends', () => {
  test('gets 408 with the envelope, and its connection is closed', async () => {
    // Node looks for late requests twice a minute; here it looks often.
    const server = createServer({ requestTimeout: 50, headersTimeout: 50, connectionsCheckingInterval: 10 });
    server.on('clientError', answerBrokenHttp).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const beginning of ['GET / HT', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n12']) {
      const [answer] = readAnswers(await sendRaw(url, beginning));
      assertNotHttp(answer, 408, 'The request took too long to arrive');
    }
    server.close();
  });
});
