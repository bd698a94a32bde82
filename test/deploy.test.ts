import assert from 'node:assert/strict';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { readConfig } from '../src/config.ts';
import type { DemoFile } from '../src/demo/demo.ts';
import { payloadTooLarge, serviceUnavailable } from '../src/errors.ts';
import { failure } from '../src/http/envelope.ts';
import { freePort } from './support/cluster.ts';
import { hourkeep, makeFolder, startProcess, type Running } from './support/process.ts';
import { until } from './support/until.ts';
import { TEST_CERTIFICATE, TEST_CERTIFICATE_KEY } from './support/tls.ts';

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

/** Every setting there is, by being asked for all of them. */
function knownSettings(): Set<string> {
  const asked = new Set<string>();
  const nothing = new Proxy<Record<string, string>>(
    {},
    {
      get: (_, name) => {
        asked.add(String(name));
        return undefined;
      },
    },
  );
  readConfig(nothing);
  return asked;
}

const assignments = (text: string): [name: string, value: string][] =>
  [...text.matchAll(/([A-Z][A-Z_]+)=(\S*)/g)].map(([, name, value]) => [name!, value!]);

test('the README says of every file in deploy/ what was run of it', () => {
  const files = readdirSync(join(ROOT, 'deploy'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'README.md')
    .map((entry) => relative(join(ROOT, 'deploy'), join(entry.parentPath, entry.name)));
  assert.deepEqual(all(read('deploy/README.md'), /^\| `([^`]+)`/gm).sort(), files.sort());
});

describe('the settings in deploy/', () => {
  const known = knownSettings();
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
    const upstreams = all(UPSTREAM, /^ {4}server 127\.0\.0\.1:(\d+);$/gm);
    assert.deepEqual(upstreams, all(template, /hourkeep-api@(\d+)/g));
    assert.ok(UPSTREAM.includes(`"server 127.0.0.1:${port};"`), 'and the one of a single process');
  });

  test('behind the proxy of compose are those of its APIs', () => {
    const apis = Object.entries(COMPOSE.services).filter(([, { command = [] }]) => command.includes('api'));
    const expected = apis.map(([name]) => `${name}:${port}`);
    assert.deepEqual(all(read('deploy/nginx/upstream.compose.conf'), /^ {4}server (\S+);$/gm), expected);
  });
});

describe('the units of systemd', () => {
  test('are all hardened in the same way', () => {
    const hardening = UNITS.map(({ text }) => /^NoNewPrivileges=[^[]*/m.exec(text)?.[0]);
    assert.equal(new Set(hardening).size, 1);
    assert.ok(hardening[0] !== undefined);
  });

  const analyze = find('systemd-analyze');
  if (analyze === undefined) notChecked('systemd-analyze', 'the units');
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
  const sources = all(CONTAINER, /^COPY (?!--from)(.+) \S+$/gm).flatMap((line) => line.split(' '));

  test('is made of files that are there and not ignored', () => {
    const kept = all(read('.dockerignore'), /^!(.+)$/gm);
    assert.ok(sources.length > 5);
    for (const source of sources) {
      assert.ok(existsSync(join(ROOT, source)), source);
      assert.ok(kept.includes(source), `${source} is ignored`);
    }
  });

  test('runs as nobody in particular, on the Node that the service pins', () => {
    assert.match(CONTAINER, /^USER 10001:10001$/m);
    assert.ok(read('bin/hourkeep').includes('node_modules/node/bin/node'));
    assert.ok(CONTAINER.includes('/app/node_modules/node/bin/node'));
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

  const compose = find('docker-compose');
  if (compose === undefined) notChecked('docker-compose', 'compose.yaml');
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
  test('refuses in the service’s own words', () => {
    const [size] = all(NGINX, /^ {4}client_max_body_size (\d+)k;$/gm);
    const bodies = all(NGINX, /^ {8}return \d+ '(.+)';$/gm);
    const expected = [payloadTooLarge(Number(size) * 1024), serviceUnavailable()].map((error) =>
      JSON.stringify(failure(error, '$hourkeep_request_id')),
    );
    assert.deepEqual(bodies, expected);
  });

  const nginx = find('nginx');
  if (nginx === undefined) notChecked('nginx', 'its example');
  else inFrontOfTheService(nginx);
});

function inFrontOfTheService(nginx: string): void {
  const folder = makeFolder();
  const log = join(folder.path, 'hourkeep.access.log');
  let service: Running;
  let proxy: ChildProcess;
  let demo: DemoFile;
  let port: number;
  let config: string;
  before(async () => {
    const data = join(folder.path, 'data');
    service = await startProcess('serve', { DATA_DIR: data });
    demo = JSON.parse(readFileSync(join(data, 'demo.json'), 'utf8')) as DemoFile;
    port = await freePort();
    const plainPort = await freePort();
    config = configure(folder.path, { port, plainPort, upstream: new URL(service.url).host });
    proxy = spawn(nginx, ['-c', config, '-e', join(folder.path, 'nginx.log'), '-g', 'daemon off;'], {
      stdio: 'ignore',
    });
    await until(() => {
      if (proxy.exitCode !== null) throw new Error(readFileSync(join(folder.path, 'nginx.log'), 'utf8'));
      return ask(port, '/healthz').then(
        () => true,
        () => false,
      );
    });
  });
  after(async () => {
    proxy.kill('SIGTERM');
    await once(proxy, 'exit');
    await service.end();
    folder.remove();
  });

  test('takes the file', async () => {
    const { stderr } = await promisify(execFile)(nginx, [
      '-t',
      '-c',
      config,
      '-e',
      join(folder.path, 'test.log'),
    ]);
    assert.match(stderr, /test is successful/);
    assert.doesNotMatch(stderr, /\[(?:warn|emerg)\]/);
  });

  test('passes on what the service answers, with its headers', async () => {
    const answer = await ask(port, '/api-listings/api/v1/spaces', {
      authorization: `Bearer ${demo.keys.production}`,
      'x-request-id': 'from-the-caller',
    });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['x-request-id'], 'from-the-caller');
    assert.equal(answer.headers['x-ratelimit-limit'], '100');
  });

  test('writes down no token', async () => {
    const { id, ical_token: token } = demo.spaces[0]!;
    const answer = await ask(port, `/api-ical-feed?space_id=${id}&token=${token}`);
    assert.equal(answer.status, 200);
    const lines = readFileSync(log, 'utf8');
    assert.ok(lines.includes('"GET /api-ical-feed" 200'));
    assert.ok(!lines.includes(token));
  });

  test('answers for a service that is gone, and writes down no token then either', async () => {
    await service.end();
    const { id, ical_token: token } = demo.spaces[0]!;
    const answer = await ask(port, `/api-ical-feed?space_id=${id}&token=${token}`);
    assert.equal(answer.status, 503);
    assert.equal(answer.headers['retry-after'], '1');
    const requestId = String(answer.headers['x-request-id']);
    assert.deepEqual(JSON.parse(answer.body), failure(serviceUnavailable(), requestId));
    for (const name of readdirSync(folder.path).filter((file) => file.endsWith('.log'))) {
      assert.ok(!readFileSync(join(folder.path, name), 'utf8').includes(token), name);
    }
  });
}

/** The example with this machine's ports and folders, inside the least that nginx needs around it. */
function configure(
  folder: string,
  { port, plainPort, upstream }: { port: number; plainPort: number; upstream: string },
): string {
  writeFileSync(join(folder, 'fullchain.pem'), TEST_CERTIFICATE);
  writeFileSync(join(folder, 'privkey.pem'), TEST_CERTIFICATE_KEY);
  mkdirSync(join(folder, 'temp'));
  const site = (NGINX + UPSTREAM)
    .replaceAll('/etc/ssl/hourkeep', folder)
    .replaceAll('/var/log/nginx', folder)
    .replaceAll(/^ +listen \[::\].*\n/gm, '')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('listen 80', `listen 127.0.0.1:${plainPort}`)
    .replaceAll(/^ {4}server 127\.0\.0\.1:\d+;\n/gm, '')
    .replace('least_conn;', `least_conn;\n    server ${upstream};`);
  writeFileSync(join(folder, 'site.conf'), site);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/temp/${name};`)
    .join(' ');
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, `pid ${folder}/pid;\nevents {}\nhttp { ${temporary} include ${folder}/site.conf; }\n`);
  return file;
}

interface Answer {
  status: number | undefined;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

function ask(port: number, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        headers: { host: 'api.example.com', ...headers },
        ca: TEST_CERTIFICATE,
        servername: 'receiver.test',
      },
      (response) => {
        let body = '';
        response.on('data', (chunk) => (body += String(chunk)));
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

/** Servers' programs are often outside the PATH of those who do not run them. */
function find(program: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, program)).find((file) => existsSync(file));
}

function notChecked(program: string, what: string): void {
  process.stderr.write(`deploy: ${program} is not installed; it has NOT CHECKED ${what} in this run\n`);
}
