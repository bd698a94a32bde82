import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import fastify from 'fastify';
import { engines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';
import { consolePage } from './console.ts';
import type { App } from './server.ts';

const PAGE =
  '<base href="/console/" /><meta property="csp-nonce" nonce="" /><script src="./assets/a.js"></script>';

describe('the console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hourkeep-console-'));
  const app = fastify() as unknown as App;
  consolePage(app, '/hourkeep', folder);
  const get = async (path: string, headers: Record<string, string> = {}) =>
    app.inject({ url: path, headers });
  after(() => rmSync(folder, { recursive: true }));

  test('that is not built answers with a page that says so', async () => {
    const answer = await get('/hourkeep/console/calendar');
    assert.equal(answer.statusCode, 503);
    assert.match(answer.body, /The console is not built/);
    assert.match(answer.body, /npm ci/);
  });

  test('is served as soon as it is built, without a restart', async () => {
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'assets/a.js'), 'plain');
    writeFileSync(join(folder, 'assets/a.js.br'), 'brotli');
    writeFileSync(join(folder, 'assets/a.js.gz'), 'gzip');
    writeFileSync(join(folder, 'index.html'), PAGE);
    assert.equal((await get('/hourkeep/console')).statusCode, 200);
  });

  for (const path of ['', '/', '/today', '/calendar?view=day&date=2027-03-18', '/no/such/page']) {
    test(`answers ${path === '' ? 'its root' : path} with the page, which is never kept`, async () => {
      const answer = await get(`/hourkeep/console${path}`);
      assert.equal(answer.statusCode, 200);
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.match(answer.body, /<base href="\/hourkeep\/console\/"/);
    });
  }

  test('has a nonce of its own for every answer', async () => {
    const nonce = async (): Promise<string | undefined> =>
      /nonce="([^"]+)"/.exec((await get('/hourkeep/console')).body)?.[1];
    const [first, second] = [await nonce(), await nonce()];
    assert.ok(first);
    assert.notEqual(first, second);
  });

  for (const [accepted, encoding, body] of [
    ['gzip, deflate, br', 'br', 'brotli'],
    ['gzip;q=0.5', 'gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip', 'gzip'],
    ['br;q=0.0', undefined, 'plain'],
    ['', undefined, 'plain'],
  ] as const) {
    test(`sends a file to "${accepted}" as ${body}, to be kept for ever`, async () => {
      const answer = await get('/hourkeep/console/assets/a.js', { 'accept-encoding': accepted });
      assert.equal(answer.statusCode, 200);
      assert.equal(answer.body, body);
      assert.equal(answer.headers['content-encoding'], encoding);
      assert.equal(answer.headers['content-type'], 'text/javascript; charset=utf-8');
      assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(answer.headers['vary'], 'accept-encoding');
    });
  }

  for (const name of ['b.js', 'a.js.br', '..%2findex.html', 'constructor']) {
    test(`has no file ${name}`, async () => {
      const answer = await get(`/hourkeep/console/assets/${name}`);
      assert.match(answer.body, /no such file/);
    });
  }
});

describe('the console of a service', () => {
  const world = useWorld(engines[0]!, { BASE_PATH: '/hourkeep' });

  test('is what was built, and every file it names is there', async () => {
    const page = await fetch(`${world.url}/console/money`);
    assert.equal(page.status, 200);
    const names = [...(await page.text()).matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(
      ([, name]) => name!,
    );
    assert.ok(names.length >= 3);
    for (const name of names) {
      const plain = Buffer.from(await (await fetch(`${world.url}/console/${name}`)).arrayBuffer());
      assert.ok(plain.length > 100, name);
    }
  });
});

describe('the console as an app', () => {
  const world = useWorld(engines[0]!, { BASE_PATH: '/hourkeep' });

  test('has a manifest whose addresses lie under the base path, and icons of the sizes that it names', async () => {
    const answer = await fetch(`${world.url}/console/manifest.webmanifest`);
    assert.equal(answer.headers.get('content-type'), 'application/manifest+json');
    const manifest = (await answer.json()) as {
      display: string;
      start_url: string;
      scope: string;
      icons: { src: string; sizes: string; purpose?: string }[];
    };
    assert.equal(manifest.display, 'standalone');
    const scope = new URL(manifest.scope, answer.url);
    assert.equal(scope.pathname, '/hourkeep/console');
    assert.equal(new URL(manifest.start_url, answer.url).pathname, '/hourkeep/console/today');
    assert.deepEqual(
      manifest.icons.map(({ sizes, purpose }) => [sizes, purpose]),
      [
        ['192x192', undefined],
        ['512x512', undefined],
        ['512x512', 'maskable'],
      ],
    );
    for (const { src, sizes } of manifest.icons) {
      const icon = await fetch(new URL(src, answer.url));
      assert.equal(icon.headers.get('content-type'), 'image/png');
      const bytes = Buffer.from(await icon.arrayBuffer());
      // Where a PNG says its width and height.
      assert.equal(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes);
    }
    const page = await (await fetch(`${world.url}/console`)).text();
    assert.match(page, /<link rel="manifest" href="\.\/manifest\.webmanifest"/);
    assert.match(page, /<meta name="theme-color" content="#[0-9a-f]{6}"/);
    const touch = /<link rel="apple-touch-icon" href="\.\/([^"]+)"/.exec(page)?.[1];
    assert.equal((await fetch(`${world.url}/console/${touch}`)).headers.get('content-type'), 'image/png');
  });

  test('has a service worker that is asked for anew, may control /console itself and names every file', async () => {
    const answer = await fetch(`${world.url}/console/sw.js`);
    assert.equal(answer.headers.get('content-type'), 'text/javascript; charset=utf-8');
    assert.equal(answer.headers.get('cache-control'), 'no-cache');
    assert.equal(answer.headers.get('service-worker-allowed'), '/hourkeep/console');
    const files = JSON.parse(/FILES=(\[[^\]]+\])/.exec(await answer.text())![1]!) as string[];
    assert.ok(files.length > 5);
    for (const name of files) assert.equal((await fetch(`${world.url}/console/${name}`)).status, 200, name);
  });
});

describe('CONSOLE=off', () => {
  const world = useWorld(engines[0]!, { CONSOLE: 'off' });

  test('takes the console away', async () => {
    for (const path of ['/console', '/console/today', '/console/sw.js', '/console/manifest.webmanifest']) {
      const { status, body } = await world.call('GET', path);
      assert.equal(status, 404);
      assert.equal(body.error.code, 'NOT_FOUND');
    }
  });
});
