import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { useServers } from '../../test/support/servers.ts';
import { createGuard } from './guard.ts';
import { outboundRequest, type OutboundRequest, type Outcome } from './request.ts';

const { http, raw, allClosed, close } = useServers();

function post(port: number, overrides: Partial<OutboundRequest> = {}): Promise<Outcome> {
  return outboundRequest(createGuard(['127.0.0.0/8']), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"hello":"world"}',
    connectTimeoutMs: 5000,
    totalTimeoutMs: 15_000,
    maxBodyBytes: 1000,
    url: `http://127.0.0.1:${port}/`,
    ...overrides,
  });
}

function errorOf(outcome: Outcome): string | undefined {
  return outcome.ok ? undefined : outcome.error;
}

describe('a hostile receiver', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\n';
  const garbage: readonly (readonly [what: string, bytes: string, error: string])[] = [
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'invalid_response'],
    ['a status that is no number', 'HTTP/1.1 abc OK\r\n\r\n', 'invalid_response'],
    ['a status of four digits', 'HTTP/1.1 20000 OK\r\n\r\n', 'invalid_response'],
    [
      'an unasked upgrade',
      'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      'invalid_response',
    ],
    ['a chunk size that is no number', `${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 'invalid_response'],
    ['two lengths', `${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 'invalid_response'],
    ['a negative length', `${HEAD}Content-Length: -1\r\n\r\n`, 'invalid_response'],
    ['a header without an end', `${HEAD}X-Long: ${'x'.repeat(100_000)}`, 'too_large'],
    ['thousands of headers', `${HEAD}${'X-Many: 1\r\n'.repeat(10_000)}\r\n`, 'too_large'],
    ['nothing', '', 'connection_reset'],
    ['less than it announced', `${HEAD}Content-Length: 100\r\n\r\nabc`, 'connection_reset'],
  ];
  for (const [what, bytes, error] of garbage) {
    test(`that answers with ${what} is ${error}`, async () => {
      const port = await raw((socket) => socket.end(bytes));
      assert.equal(errorOf(await post(port)), error);
      await allClosed();
    });
  }

  test('that resets the connection is connection_reset', async () => {
    const port = await raw((socket) => socket.resetAndDestroy());
    assert.equal(errorOf(await post(port)), 'connection_reset');
  });

  test('that is not there is connection_refused', async () => {
    const port = await http(() => undefined);
    await close();
    assert.equal(errorOf(await post(port)), 'connection_refused');
  });

  const slow: readonly (readonly [what: string, answer: (socket: Socket) => void])[] = [
    ['never answers', () => undefined],
    ['drips a header byte by byte', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX-Slow: ')],
    ['drips a body byte by byte', (socket) => drip(socket, `${HEAD}Content-Length: 100000\r\n\r\n`)],
    ['says "continue" for ever', (socket) => drip(socket, '', 'HTTP/1.1 102 Processing\r\n\r\n')],
  ];
  for (const [what, answer] of slow) {
    test(`that ${what} is a timeout`, async () => {
      const port = await raw(answer);
      assert.equal(errorOf(await post(port, { totalTimeoutMs: 300, maxBodyBytes: 100_000 })), 'timeout');
      await allClosed();
    });
  }

  test('that sends a body without end is cut at the limit', async () => {
    const port = await raw((socket) => flood(socket, `${HEAD}\r\n`, Buffer.alloc(65_536, 'x')));
    const outcome = await post(port);
    assert.ok(outcome.ok);
    assert.equal(outcome.truncated, true);
    assert.equal(outcome.body.length, 1000);
    await allClosed();
  });
});

describe('decompression', () => {
  const gzipped = (body: Buffer, encoding: string) =>
    http((_request, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body));

  test('unpacks gzip and asks for it', async () => {
    let asked: string | undefined;
    const port = await http((request, response) => {
      asked = request.headers['accept-encoding'];
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('BEGIN:VCALENDAR'));
    });
    const outcome = await post(port, { decompress: true });
    assert.equal(outcome.ok && outcome.body.toString(), 'BEGIN:VCALENDAR');
    assert.equal(asked, 'gzip');
  });

  test('leaves what is not packed as it is', async () => {
    const port = await http((_request, response) => response.end('plain'));
    const outcome = await post(port, { decompress: true });
    assert.equal(outcome.ok && outcome.body.toString(), 'plain');
  });

  test('stops a bomb at the limit', async () => {
    const port = await gzipped(gzipSync(Buffer.alloc(50_000_000)), 'gzip');
    const outcome = await post(port, { decompress: true });
    assert.ok(outcome.ok);
    assert.equal(outcome.truncated, true);
    assert.equal(outcome.body.length, 1000);
  });

  const broken: readonly (readonly [what: string, body: Buffer, encoding: string])[] = [
    ['something else', Buffer.from('not gzip'), 'gzip'],
    ['half an archive', gzipSync('x'.repeat(900)).subarray(0, 20), 'gzip'],
    ['an encoding that was not asked for', Buffer.from('?'), 'br'],
  ];
  for (const [what, body, encoding] of broken) {
    test(`of ${what} is invalid_response`, async () => {
      const port = await gzipped(body, encoding);
      assert.equal(errorOf(await post(port, { decompress: true })), 'invalid_response');
    });
  }

  test('of a drip is a timeout', async () => {
    const packed = gzipSync(Buffer.alloc(900, 'x'));
    const head = 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n';
    const port = await raw((socket) =>
      socket.write(Buffer.concat([Buffer.from(head), packed.subarray(0, 12)])),
    );
    assert.equal(errorOf(await post(port, { decompress: true, totalTimeoutMs: 300 })), 'timeout');
    await allClosed();
  });
});

function drip(socket: Socket, first: string, again = 'x'): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(again), 20);
  socket.once('close', () => clearInterval(timer));
}

function flood(socket: Socket, first: string, chunk: Buffer): void {
  socket.write(first);
  const more = (): void => {
    while (socket.writable && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}
