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
    app.inject({ url: `/hourkeep/console${path}`, headers });
  after(() => rmSync(folder, { recursive: true }));

  test('that is not built answers with a page that says so', async () => {
    const answer = await get('/calendar');
    assert.equal(answer.statusCode, 503);
    assert.match(answer.body, /The console is not built.*npm ci/s);
  });

  test('is served as soon as it is built, without a restart', async () => {
    mkdirSync(join(folder, 'assets'));
    for (const [name, text] of [
      ['assets/a.js', 'plain'],
      ['assets/a.js.br', 'brotli'],
      ['assets/a.js.gz', 'gzip'],
      ['index.html', PAGE],
    ] as const)
      writeFileSync(join(folder, name), text);
    assert.equal((await get('')).statusCode, 200);
  });

  test('answers every address with the page, which is never kept and has a nonce of its own', async () => {
    const nonces = new Set<string | undefined>();
    const paths = ['', '/', '/today', '/calendar?view=day&date=2027-03-18', '/no/such/page'];
    for (const path of paths) {
      const { statusCode, headers, body } = await get(path);
      assert.deepEqual([statusCode, headers['cache-control']], [200, 'no-store'], path);
      assert.match(body, /<base href="\/hourkeep\/console\/"/);
      nonces.add(/nonce="([^"]+)"/.exec(body)![1]);
    }
    assert.equal(nonces.size, paths.length);
  });

  for (const [accepted, encoding, body] of [
    ['gzip, deflate, br', 'br', 'brotli'],
    ['br;q=0, gzip;q=0.5', 'gzip', 'gzip'],
    ['br;q=0.0', undefined, 'plain'],
  ] as const)
    test(`sends a file to "${accepted}" as ${body}, to be kept for ever`, async () => {
      const answer = await get('/assets/a.js', { 'accept-encoding': accepted });
      assert.deepEqual([answer.statusCode, answer.body], [200, body]);
      assert.equal(answer.headers['content-encoding'], encoding);
      assert.equal(answer.headers['content-type'], 'text/javascript; charset=utf-8');
      assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(answer.headers['vary'], 'accept-encoding');
    });

  for (const name of ['b.js', 'a.js.br', '..%2findex.html', 'constructor'])
    test(`has no file ${name}`, async () => {
      assert.match((await get(`/assets/${name}`)).body, /no such file/);
    });
});

// That it can be installed, and its service worker is in charge of it, is in test/browser/console-app.ts.
describe('the console as an app', () => {
  const world = useWorld(engines[0]!, { BASE_PATH: '/hourkeep' });
  const get = (path: string) => world.call('GET', `/console${path}`);

  test('has every file that its page and its service worker name', async () => {
    const [page, worker] = [await get('/money'), await get('/sw.js')];
    const names = [...page.text.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, name]) => name!);
    const cached = JSON.parse(/FILES=(\[[^\]]+\])/.exec(worker.text)![1]!) as string[];
    assert.ok(names.length >= 3 && cached.length > 5);
    for (const name of [...names, ...cached]) {
      const { status, headers, bytes } = await get(`/${name}`);
      assert.ok(status === 200 && bytes.length > 100, name);
      assert.doesNotMatch(headers.get('content-type')!, /html/, name);
    }
  });
});
