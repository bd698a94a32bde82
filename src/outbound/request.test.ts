import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { useNameServer } from '../../test/support/name-server.ts';
import { useServers } from '../../test/support/servers.ts';
import { TEST_CERTIFICATE, TEST_CERTIFICATE_KEY } from '../../test/support/tls.ts';
import { checkUrl, createGuard } from './guard.ts';
import { outboundRequest, type Outcome, type OutboundRequest } from './request.ts';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const REQUEST: Omit<OutboundRequest, 'url'> = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"hello":"world"}',
  connectTimeoutMs: 5000,
  totalTimeoutMs: 15_000,
  maxBodyBytes: 1000,
};

const { http, raw, listen, allClosed, close } = useServers();

function post(port: number, overrides: Partial<OutboundRequest> = {}): Promise<Outcome> {
  return outboundRequest(createGuard(LOOPBACK), {
    ...REQUEST,
    url: `http://127.0.0.1:${port}/`,
    ...overrides,
  });
}

function errorOf(outcome: Outcome): string | undefined {
  return outcome.ok ? undefined : outcome.error;
}

describe('an outbound request', () => {
  test('sends method, path, headers and body, and gets status, headers and body', async () => {
    const port = await http((request, response) => {
      const seen = { method: request.method, url: request.url, type: request.headers['content-type'] };
      void text(request).then((body) =>
        response.writeHead(202, { 'X-Seen': 'yes' }).end(JSON.stringify({ ...seen, body })),
      );
    });
    const outcome = await post(port, { url: `http://127.0.0.1:${port}/hook?a=1#part` });
    assert.ok(outcome.ok);
    assert.equal(outcome.status, 202);
    assert.equal(outcome.headers['x-seen'], 'yes');
    assert.equal(outcome.truncated, false);
    assert.deepEqual(JSON.parse(outcome.body.toString()), {
      method: 'POST',
      url: '/hook?a=1',
      type: 'application/json',
      body: '{"hello":"world"}',
    });
  });

  test('reaches a receiver by the name localhost', async () => {
    const port = await http((_request, response) => response.end('hi'));
    const outcome = await post(port, { url: `http://localhost:${port}/` });
    assert.equal(outcome.ok && outcome.body.toString(), 'hi');
  });

  test('uses a connection again', async () => {
    let connections = 0;
    const server = createHttpServer((_request, response) => response.end());
    server.on('connection', () => connections++);
    const port = await listen(server);
    const guard = createGuard(LOOPBACK);
    const once = () => outboundRequest(guard, { ...REQUEST, url: `http://127.0.0.1:${port}/` });
    assert.ok((await once()).ok);
    // One turn of the event loop, in which the client takes the connection back.
    await new Promise(setImmediate);
    assert.ok((await once()).ok);
    assert.equal(connections, 1);
  });

  test('ignores proxies in the environment', async () => {
    const proxied: string[] = [];
    const proxyPort = await http((request, response) => {
      proxied.push(request.url ?? '');
      response.end('proxy');
    });
    const port = await http((_request, response) => response.end('direct'));
    const proxy = `http://127.0.0.1:${proxyPort}`;
    const script = `
      import { createGuard } from ${JSON.stringify(import.meta.resolve('./guard.ts'))};
      import { outboundRequest } from ${JSON.stringify(import.meta.resolve('./request.ts'))};
      const outcome = await outboundRequest(createGuard(['127.0.0.0/8']), {
        method: 'GET', headers: {}, connectTimeoutMs: 2000, totalTimeoutMs: 4000, maxBodyBytes: 100,
        url: 'http://127.0.0.1:${port}/',
      });
      process.stdout.write(outcome.ok ? outcome.body : outcome.error);`;
    const env: NodeJS.ProcessEnv = { ...process.env, NODE_USE_ENV_PROXY: '1', NO_PROXY: '', no_proxy: '' };
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy'])
      env[name] = proxy;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { env });
    assert.equal(stdout, 'direct');
    assert.deepEqual(proxied, []);
  });
});

describe('a name that changes its mind', () => {
  const names = useNameServer({
    // Public when it is first asked, loopback ever after.
    'rebinding.test': (asked) => (asked === 0 ? ['93.184.215.14'] : ['127.0.0.1']),
    'steady.test': ['127.0.0.1'],
    'silent.test': null,
  });
  const request = (url: string, ranges: readonly string[] = [], connectTimeoutMs = 5000) =>
    outboundRequest(createGuard(ranges, names.resolver()), { ...REQUEST, url, connectTimeoutMs });

  test('is asked again when the connection is made, and refused there', async () => {
    const guard = createGuard([], names.resolver());
    assert.equal(await checkUrl(guard, 'https://rebinding.test/'), null);
    const outcome = await outboundRequest(guard, { ...REQUEST, url: 'https://rebinding.test/' });
    assert.equal(errorOf(outcome), 'blocked_address');
  });

  test('is asked once per connection: the address that was vetted is the one connected to', async () => {
    const port = await http((_request, response) => response.end());
    assert.ok((await request(`http://steady.test:${port}/`, LOOPBACK)).ok);
    assert.equal(names.asked('steady.test'), 1);
  });

  test('or never answers is a failure in time', async () => {
    assert.equal(errorOf(await request('https://silent.test/', [], 200)), 'connect_timeout');
  });

  test('or does not exist is a failure with a name', async () => {
    assert.equal(errorOf(await request('https://unknown.test/')), 'dns_failure');
  });
});

describe('TLS', () => {
  const names = useNameServer({ 'receiver.test': ['127.0.0.1'], 'other.test': ['127.0.0.1'] });
  const request = (url: string) =>
    outboundRequest(createGuard(LOOPBACK, names.resolver()), { ...REQUEST, url });
  const https = () =>
    listen(
      createHttpsServer({ cert: TEST_CERTIFICATE, key: TEST_CERTIFICATE_KEY }, (_request, response) =>
        response.end('safe'),
      ),
    );

  test('with a certificate nobody vouches for is refused', async () => {
    assert.equal(errorOf(await request(`https://receiver.test:${await https()}/`)), 'tls_error');
  });

  test('with a certificate for the name is accepted, and for another name refused', async (t) => {
    const trusted = getCACertificates();
    setDefaultCACertificates([...trusted, TEST_CERTIFICATE]);
    t.after(() => setDefaultCACertificates(trusted));
    const port = await https();
    const right = await request(`https://receiver.test:${port}/`);
    assert.equal(right.ok && right.body.toString(), 'safe');
    assert.equal(errorOf(await request(`https://other.test:${port}/`)), 'tls_error');
  });

  test('that is not TLS at all is an error with a name', async () => {
    const port = await raw((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    assert.equal(errorOf(await post(port, { url: `https://127.0.0.1:${port}/` })), 'tls_error');
  });

  test('whose handshake never ends counts as a connection that never came', async () => {
    const port = await raw(() => undefined);
    const outcome = await post(port, { url: `https://127.0.0.1:${port}/`, connectTimeoutMs: 200 });
    assert.equal(errorOf(outcome), 'connect_timeout');
    await allClosed();
  });
});

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
