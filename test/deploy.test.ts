import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { knownSettings, readConfig } from '../src/config.ts';
import { ApiError, notFound, notHttp, payloadTooLarge, serviceUnavailable } from '../src/errors.ts';
import { failure } from '../src/http/envelope.ts';
import { useServing } from './support/command-line.ts';
import { engines } from './support/engines.ts';
import { findProgram, startNginx, type Answer, type Nginx } from './support/nginx.ts';
import { hourkeep, makeFolder } from './support/process.ts';
import { notTested } from './support/own-server.ts';
import { until } from './support/until.ts';

// What is under deploy/ is copied to machines and never run here as a whole: these keep it true to the service. Where
// nginx and systemd are installed they judge their files themselves; where not, a line says so.

const ROOT = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const all = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found]) => found!);

const UNITS = readdirSync(join(ROOT, 'deploy/systemd')).map((name) => ({
  name,
  text: read(`deploy/systemd/${name}`),
}));
const ENV_FILE = read('deploy/hourkeep.env.example');
const CONTAINER = read('deploy/Containerfile');
const NGINX = read('deploy/nginx/hourkeep.conf');
const UPSTREAM = read('deploy/nginx/upstream.conf');
const WRAPPER = read('deploy/hourkeep');
const COMPOSE = parse(read('deploy/compose.yaml'), { merge: true }) as {
  services: Record<
    string,
    { image: string; command?: string[]; environment?: Record<string, string>; volumes?: string[] }
  >;
};

const assignments = (text: string): [name: string, value: string][] =>
  [...text.matchAll(/([A-Z][A-Z_]+)=(\S*)/g)].map(([, name, value]) => [name!, value!]);

test('the README says of every file in deploy/ what was run of it', () => {
  const files = readdirSync(join(ROOT, 'deploy'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'README.md')
    .map((entry) => relative(join(ROOT, 'deploy'), join(entry.parentPath, entry.name)));
  assert.deepEqual(all(read('deploy/README.md'), /^\| `([^`]+)`/gm).sort(), files.sort());
});

describe('the settings in deploy/', () => {
  const known = new Set(knownSettings());
  const environments = [
    ...UNITS.map(({ name, text }) => ({ name, lines: all(text, /^Environment=(.*)$/gm).join(' ') })),
    { name: 'hourkeep.env.example', lines: ENV_FILE.replaceAll(/^#.*$/gm, '') },
    ...Object.entries(COMPOSE.services)
      .filter(([, { image }]) => image === 'hourkeep')
      .map(([name, { environment = {} }]) => ({
        name: `compose.yaml’s ${name}`,
        lines: Object.entries(environment)
          .map(([setting, value]) => `${setting}=${value.replaceAll(/\$\{.*?\}/g, 'x')}`)
          .join(' '),
      })),
    { name: 'the wrapper', lines: all(WRAPPER, /^export ([A-Z].*)$/gm).join(' ') },
    { name: 'Containerfile', lines: all(CONTAINER, /^ENV (.*)$/gm).join(' ') },
  ];

  for (const { name, lines } of environments) {
    test(`of ${name} are ones that the service knows, with values it takes`, () => {
      const settings = assignments(lines.replaceAll('%i', '3001').replaceAll('%S', '/var/lib'));
      assert.deepEqual(
        settings.map(([setting]) => setting).filter((setting) => !known.has(setting)),
        [],
      );
      assert.doesNotThrow(() => readConfig(Object.fromEntries(settings)));
    });
  }

  test('are named rightly wherever a comment or a command speaks of them', () => {
    const texts = [...UNITS.map(({ text }) => text), ENV_FILE, CONTAINER, NGINX, UPSTREAM].join('\n');
    const named = all(texts, /(?:process\.env\.|\b)((?:[A-Z]+_)+(?:URL|PORT|PATH|DIR|KEY)|PORT)\b/g);
    assert.ok(named.length > 10);
    assert.deepEqual(
      named.filter((name) => !known.has(name)),
      [],
    );
  });
});

describe('the commands in deploy/', () => {
  const commands = [
    ...UNITS.flatMap(({ text }) => all(text, /^ExecStart=\/opt\/hourkeep\/bin\/hourkeep (.+)$/gm)),
    ...all(CONTAINER, /^CMD \["(\w+)"\]$/gm),
    ...Object.values(COMPOSE.services).flatMap(({ command = [] }) => command),
  ];

  test('are three of systemd, one of the container and three of compose', () =>
    assert.equal(commands.length, 7));

  for (const command of new Set(commands)) {
    test(`hourkeep ${command} is there`, async () => {
      const { code, stdout } = await hourkeep([command, '--help'], {});
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`^Usage: hourkeep ${command}`));
    });
  }
});

describe('the ports in deploy/', () => {
  const { port } = readConfig({});

  test('of the container is the service’s own', () => {
    assert.deepEqual(all(CONTAINER, /^EXPOSE (\d+)$/gm), [String(port)]);
    assert.deepEqual(all(CONTAINER, /^ENV .*\bPORT=(\d+)/gm), [String(port)]);
  });

  test('behind nginx are those that the unit’s example starts', () => {
    const template = UNITS.find(({ name }) => name === 'hourkeep-api@.service')!.text;
    const upstreams = all(UPSTREAM, /^ {4}server 127\.0\.0\.1:(\d+) max_fails=0;$/gm);
    assert.deepEqual(upstreams, all(template, /hourkeep-api@(\d+)/g));
    assert.ok(UPSTREAM.includes(`"server 127.0.0.1:${port};"`), 'and the one of a single process');
  });

  test('behind the proxy of compose are those of its APIs', () => {
    const apis = Object.entries(COMPOSE.services).filter(([, { command = [] }]) => command.includes('api'));
    const expected = apis.map(([name]) => `${name}:${port}`);
    assert.deepEqual(
      all(read('deploy/nginx/upstream.compose.conf'), /^ {4}server (\S+) max_fails=0;$/gm),
      expected,
    );
  });
});

describe('the units of systemd', () => {
  test('are all hardened in the same way', () => {
    const services = UNITS.filter(({ name }) => name.endsWith('.service'));
    const hardening = services.map(({ text }) => /^NoNewPrivileges=[^[]*/m.exec(text)?.[0].trim());
    assert.equal(new Set(hardening).size, 1);
    assert.ok(hardening[0] !== undefined);
  });

  const analyze = findProgram('systemd-analyze');
  if (analyze === undefined) notTested('the units: systemd-analyze is not installed');
  else {
    test('pass systemd-analyze verify', async () => {
      const folder = makeFolder();
      const files = UNITS.map(({ name, text }) => {
        const file = join(folder.path, name);
        writeFileSync(file, text.replaceAll('/opt/hourkeep', ROOT));
        return file;
      });
      // It warns and ends with 0 about what systemd would ignore.
      const { stderr } = await promisify(execFile)(analyze, ['verify', '--man=no', ...files]);
      folder.remove();
      const ours = stderr.split('\n').filter((line) => line.includes('hourkeep'));
      assert.deepEqual(ours, []);
    });
  }
});

describe('the container', () => {
  test('names files that an archive has: it is laid out as the project is', () => {
    const named = all(CONTAINER, /"\/opt\/hourkeep\/([^"]+)"/g);
    assert.deepEqual(named, ['node_modules/.bin/node', 'bin/hourkeep']);
    for (const file of named) assert.ok(existsSync(join(ROOT, file)), file);
  });

  test('runs as nobody in particular', () => {
    assert.match(CONTAINER, /^USER 10001:10001$/m);
  });
});

describe('compose.yaml', () => {
  test('mounts files that are there, but for the certificates, which are the operator’s', () => {
    const mounted = Object.values(COMPOSE.services)
      .flatMap(({ volumes = [] }) => volumes)
      .flatMap((volume) => /^\.\/([^:]+):/.exec(volume)?.[1] ?? []);
    const missing = mounted.filter((file) => !existsSync(join(ROOT, 'deploy', file)));
    assert.deepEqual(missing, ['certificates']);
  });

  const compose = findProgram('docker-compose');
  if (compose === undefined) notTested('compose.yaml: docker-compose is not installed');
  else {
    test('passes docker-compose config', async () => {
      const folder = makeFolder();
      for (const [to, from] of [
        ['compose.yaml', 'deploy/compose.yaml'],
        ['hourkeep.env', 'deploy/hourkeep.env.example'],
      ] as const) {
        writeFileSync(join(folder.path, to), read(from));
      }
      const env = { ...process.env, POSTGRES_PASSWORD: 'abc' };
      const args = ['-f', join(folder.path, 'compose.yaml'), 'config'];
      const { stdout } = await promisify(execFile)(compose, args, { env });
      folder.remove();
      const { services } = parse(stdout) as typeof COMPOSE;
      assert.deepEqual(Object.keys(services).sort(), ['api1', 'api2', 'database', 'proxy', 'worker']);
      // The example leaves it empty; what compose.yaml says wins.
      const url = 'postgres://hourkeep:abc@database:5432/hourkeep';
      assert.equal(services['api1']!.environment!['DATABASE_URL'], url);
      assert.equal(services['worker']!.environment!['NODE_ENV'], 'production');
    });
  }
});

describe('nginx', () => {
  const nginx = findProgram('nginx');
  if (nginx === undefined) notTested('the example of nginx: nginx is not installed');
  else inFrontOfTheService(nginx);
});

function inFrontOfTheService(program: string): void {
  const serving = useServing(engines[0]!, { RATE_LIMIT_PRODUCTION: '100' });
  const { folder } = serving;
  const log = join(folder.path, 'hourkeep.access.log');
  let nginx: Nginx;
  before(async () => {
    nginx = await startNginx(program, folder.path, [new URL(serving.service.url).host]);
  });
  after(() => nginx.end());
  const allLogs = (): string =>
    readdirSync(folder.path)
      .filter((file) => file.endsWith('.log'))
      .map((name) => readFileSync(join(folder.path, name), 'utf8'))
      .join('');

  test('takes the file', async () => {
    const said = await nginx.judge();
    assert.match(said, /test is successful/);
    assert.doesNotMatch(said, /\[(?:warn|emerg)\]/);
  });

  test('passes on what the service answers, with its headers', async () => {
    const headers = {
      authorization: `Bearer ${serving.demo.keys.production}`,
      'x-request-id': 'from-the-caller',
    };
    const answer = await nginx.ask('/api-listings/api/v1/spaces', { headers });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['x-request-id'], 'from-the-caller');
    assert.equal(answer.headers['x-ratelimit-limit'], '100');
  });

  test('passes a session of the console on, and tells the service who guesses', async () => {
    const { production } = serving.demo.keys;
    const signIn = (key: string) => nginx.ask('/console/session', { method: 'POST', body: { key } });
    const { status, headers } = await signIn(production);
    const [cookie] = String(headers['set-cookie']).split(';');
    assert.deepEqual([status, headers['cache-control']], [200, 'no-store']);
    const signedIn = { cookie: cookie!, 'x-hourkeep-console': '1' };
    const spaces = '/console/api/api-listings/api/v1/spaces';
    assert.equal((await nginx.ask(spaces, { headers: signedIn })).status, 200);
    for (let n = 0; n < 10; n++) assert.equal((await signIn('made up')).status, 401);
    assert.equal((await signIn(production)).status, 429);
    // Not this address, which is the proxy's.
    const direct = { headers: { 'x-forwarded-for': '192.0.2.1' }, body: { key: production } };
    assert.equal((await serving.call('POST', '/console/session', direct)).status, 200);
    assert.ok(!allLogs().includes(cookie!.split('=')[1]!));
  });

  test('writes down no token', async () => {
    const { id, ical_token: token } = serving.demo.spaces[0]!;
    const answer = await nginx.ask(`/api-ical-feed?space_id=${id}&token=${token}`);
    assert.equal(answer.status, 200);
    // nginx writes the line after it has sent the response.
    await until(() => readFileSync(log, 'utf8').includes('"GET /api-ical-feed" 200'));
    assert.ok(!readFileSync(log, 'utf8').includes(token));
  });

  const askMany = (times: number, path: string, headers = {}): Promise<Answer[]> =>
    Promise.all(Array.from({ length: times }, () => nginx.ask(path, { headers })));
  const statuses = (answers: Answer[]) => new Set(answers.map(({ status }) => status));
  const firstRefused = async (path: string, headers = {}): Promise<Answer> => {
    let refused: Answer | undefined;
    await until(async () => {
      // The service has limits of its own.
      const answers = await askMany(100, path, headers);
      refused = answers.find(({ status, body }) => status === 429 && body.includes('from this address'));
      return refused !== undefined;
    });
    return refused!;
  };

  const request = (target: string, headers = '', version = '1.1'): string =>
    `${target} HTTP/${version}\r\nHost: api.example.com\r\n${headers}\r\n`;
  const long = 'x'.repeat(40_000);
  const notValid = notHttp(400, 'The request is not valid HTTP');
  const tooLarge = notHttp(431, 'The request headers are too large');
  const tooLong = new ApiError('VALIDATION_ERROR', 'The URL is too long', { httpStatus: 414 });
  const plain = new ApiError('VALIDATION_ERROR', 'Send the request over HTTPS', { httpStatus: 403 });
  const method = new ApiError('METHOD_NOT_ALLOWED', 'This method is not allowed here');
  for (const [what, to, bytes, error] of [
    ['what is not HTTP', 'tls', 'NONSENSE\r\n\r\n', notValid],
    ['a request without a Host', 'tls', 'GET / HTTP/1.1\r\n\r\n', notValid],
    ['a path above the root', 'tls', request('GET /../x'), notValid],
    ['an unknown version', 'tls', request('GET /', '', '3.1'), notValid],
    ['an unknown encoding', 'tls', request('POST /', 'Transfer-Encoding: gzip\r\n'), notValid],
    ['headers that are too large', 'tls', request('GET /', `X-Long: ${long}\r\n`), tooLarge],
    ['a URL that is too long', 'tls', request(`GET /${long}`), tooLong],
    ['TRACE', 'tls', request('TRACE /'), method],
    ['a large body', 'tls', request('POST /', 'Content-Length: 262145\r\n'), payloadTooLarge(256 * 1024)],
    ['a path of its own', 'tls', request('GET /hourkeep-error'), notFound('no such endpoint')],
    ['plain HTTP', 'plain', request('GET /'), plain],
    ['plain HTTP on the port of TLS', 'plain on the port of TLS', request('GET /'), plain],
    ['what is not HTTP, without TLS', 'plain', 'NONSENSE\r\n\r\n', notValid],
    ['a long URL, without TLS', 'plain', request(`GET /${long}`), tooLong],
  ] as const)
    test(`rejects ${what} in the service’s envelope, and does not name its version`, async () => {
      const { status, headers, body } = await nginx.send(bytes, to);
      assert.equal(status, error.httpStatus);
      assert.equal(headers['server'], 'nginx');
      assert.deepEqual(JSON.parse(body), failure(error, headers['x-request-id']!));
      assert.equal(headers['content-type'], 'application/json; charset=utf-8');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['cache-control'], 'no-store');
    });

  test('writes down the path of what it rejects, without its query', async () => {
    await nginx.send(request('TRACE /some%20path?secret'), 'tls');
    await until(() => readFileSync(log, 'utf8').includes('"TRACE /some%20path" 405'));
    assert.ok(!readFileSync(log, 'utf8').includes('secret'));
  });

  test('lets a burst through that has no key, and refuses a flood in the API’s words', async () => {
    assert.deepEqual(statuses(await askMany(100, '/healthz')), new Set([200]));
    const { headers, body } = await firstRefused('/healthz');
    assert.equal(headers['retry-after'], '1');
    assert.equal(headers['content-type'], 'application/json; charset=utf-8');
    assert.deepEqual(JSON.parse(body), {
      success: false,
      error: {
        code: 'RATE_LIMIT_EXCEEDED',
        message: 'Too many requests without a key from this address; retry shortly',
        http_status: 429,
        request_id: headers['x-request-id'],
      },
    });
  });

  const cookie = `hk_console=${randomBytes(32).toString('base64url')}`;

  test('counts who sends something else than a key or a session of the console', async () => {
    const key = serving.demo.keys.production;
    for (const authorization of [
      'x',
      'Bearer x',
      `Basic ${key}`,
      `Bearer ${key}0`,
      `Bearer ${key.slice(0, -1)}`,
      key,
    ])
      await firstRefused('/docs', { authorization });
    await firstRefused('/docs', { cookie });
    for (const value of ['', 'x', `${'x'.repeat(42)}!`])
      await firstRefused('/console/today', { cookie: `hk_console=${value}` });
  });

  test('leaves requests with a key or a session to the key’s own limit, meanwhile too', async () => {
    const key = serving.demo.keys.production;
    for (const authorization of [`Bearer ${key}`, `bearer  ${key}`])
      assert.deepEqual(statuses(await askMany(300, '/healthz', { authorization })), new Set([200]));
    assert.deepEqual(statuses(await askMany(300, '/console/today', { cookie })), new Set([200]));
    assert.deepEqual(
      statuses(await askMany(300, '/console/today', { cookie: `a=b; ${cookie}; c=d` })),
      new Set([200]),
    );
  });

  test('limits the feed by address, whatever else is sent along, and writes down no token of what it refuses', async () => {
    const { id, ical_token: token } = serving.demo.spaces[0]!;
    const headers = { authorization: 'Bearer made-up' };
    await firstRefused(`/api-ical-feed?space_id=${id}&token=${token}`, headers);
    assert.ok(!allLogs().includes(token));
  });

  test('answers for a service that is gone, and writes down neither token nor guest then either', async () => {
    await serving.service.end();
    const { id, ical_token: token } = serving.demo.spaces[1]!;
    let answer: Answer;
    // The test before has used up what its address may ask.
    await until(async () => {
      answer = await nginx.ask(`/api-ical-feed?space_id=${id}&token=${token}`);
      return answer.status !== 429;
    });
    answer = answer!;
    assert.equal(answer.status, 503);
    assert.equal(answer.headers['retry-after'], '1');
    const requestId = String(answer.headers['x-request-id']);
    assert.deepEqual(JSON.parse(answer.body), failure(serviceUnavailable('unknown'), requestId));
    const headers = { authorization: `Bearer ${serving.demo.keys.production}` };
    const list = await nginx.ask('/api-bookings/api/v1/bookings?guest=Lovelace', { headers });
    assert.equal(list.status, 503);
    const inConsole = await nginx.ask('/console/api/api-bookings/api/v1/bookings?guest=Lovelace', {
      headers,
    });
    assert.equal(inConsole.status, 503);
    assert.ok(!allLogs().includes(token));
    assert.ok(!allLogs().includes('Lovelace'));
  });
}
