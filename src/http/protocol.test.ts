import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { before, test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { onOneEngine } from '../../test/support/engines.ts';
import { useWorld, type Answer } from '../../test/support/world.ts';

const SPACES = '/api-listings/api/v1/spaces';
const CREATE = '/api-create-booking/api/v1/bookings';

onOneEngine('every response', (engine) => {
  const world = useWorld(engine);
  let key: string;
  let spaceId: string;
  before(async () => {
    const hostId = await world.addHost();
    key = (await world.addKey(hostId)).key;
    spaceId = await world.addSpace(hostId);
  });

  test('carries a request id: the caller’s when it is well formed, else a new one', async () => {
    const given = await world.call('GET', SPACES, { key, headers: { 'x-request-id': 'My_trace-42' } });
    assert.equal(given.headers.get('x-request-id'), 'My_trace-42');
    for (const bad of ['has space', 'a'.repeat(129), 'semi;colon']) {
      const answer = await world.call('GET', SPACES, { key, headers: { 'x-request-id': bad } });
      assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
    }
  });

  for (const path of ['/', '/docs', '/docs/guides/errors', '/console', '/console/today', '/llms.txt'])
    test(`${path} runs nothing but its own files, cannot be framed and sends no referrer`, async () => {
      const { status, headers, text } = await world.call('GET', path);
      assert.equal(status, 200);
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /^default-src 'self'; /);
      assert.match(policy, /; frame-ancestors 'none'$/);
      assert.doesNotMatch(policy, /unsafe/);
      for (const [, style = ''] of text.matchAll(/<style>(.*?)<\/style>/gs))
        assert.ok(policy.includes(`'sha256-${hash('sha256', style, 'base64')}'`));
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
    });

  test('an unknown path is 404, with and without a key', async () => {
    for (const path of [
      '/nope',
      '/api-listings/api/v2/spaces',
      '/%zz',
      '/%ff',
      `${SPACES}/%ff`,
      `/${'a'.repeat(5000)}`,
    ]) {
      for (const options of [{}, { key }]) {
        const answer = await world.call('GET', path, options);
        refused(answer, 404, 'NOT_FOUND');
        assert.equal(answer.headers.get('cache-control'), 'no-store');
      }
    }
  });

  test('a method that a path does not have is 405 with Allow, before key and body', async () => {
    const cases: [string, string, string][] = [
      ['POST', SPACES, 'GET, HEAD'],
      ['DELETE', SPACES, 'GET, HEAD'],
      ['GET', CREATE, 'POST'],
      ['PUT', CREATE, 'POST'],
      ['OPTIONS', '/api-openapi', 'GET, HEAD'],
      ['PROPFIND', '/api-openapi', 'GET, HEAD'],
      ['QUERY', CREATE, 'POST'],
    ];
    for (const [method, path, allow] of cases) {
      const answer = await world.call(method, path, method === 'GET' ? {} : { body: 'not json' });
      refused(answer, 405, 'METHOD_NOT_ALLOWED');
      assert.equal(answer.headers.get('allow'), allow);
    }
  });

  test('HEAD answers like GET without the body', async () => {
    const get = await world.call('GET', SPACES, { key });
    const head = await world.call('HEAD', SPACES, { key });
    assert.equal(head.status, 200);
    assert.equal(head.headers.get('content-length'), get.headers.get('content-length'));
    assert.equal(head.text, '');
  });

  test('304 has no body, and neither the type nor the length of one', async () => {
    const token = await world.newFeedToken(spaceId);
    for (const path of ['/api-openapi', `/api-ical-feed?space_id=${spaceId}&token=${token}`]) {
      const { headers } = await world.call('GET', path);
      for (const method of ['GET', 'HEAD']) {
        const answer = await world.call(method, path, {
          headers: { 'if-none-match': String(headers.get('etag')) },
        });
        assert.equal(answer.status, 304, path);
        assert.equal(answer.text, '');
        const { date: _, 'x-request-id': __, ...rest } = Object.fromEntries(answer.headers);
        const kept = [
          'etag',
          'vary',
          'cache-control',
          'access-control-allow-origin',
          'x-content-type-options',
          'connection',
          'keep-alive',
        ];
        assert.deepEqual(
          Object.keys(rest).filter((name) => !kept.includes(name)),
          [],
        );
        assert.equal(answer.headers.get('etag'), headers.get('etag'));
      }
    }
  });

  test('a trailing slash names the same thing', async () => {
    assert.equal((await world.call('GET', `${SPACES}/`, { key })).status, 200);
    assert.equal((await world.call('GET', `${SPACES}/${spaceId}/`, { key })).status, 200);
  });

  test('an id in a path may be written in capitals', async () => {
    const answer = await world.call('GET', `${SPACES}/${spaceId.toUpperCase()}`, { key });
    assert.equal(answer.body.data.space.id, spaceId);
  });

  test('a known query parameter given twice is 422', async () => {
    const path = `/api-availability/api/v1/spaces/${spaceId}/availability?date=2027-06-01&date=2027-06-02`;
    refused(await world.call('GET', path, { key }), 422, 'VALIDATION_ERROR');
  });
});

onOneEngine('a base path', (engine) => {
  const world = useWorld(engine, { BASE_PATH: '/hourkeep/v', PUBLIC_URL: 'https://api.example.com' });

  test('stands in front of everything, and in the document’s server address', async () => {
    assert.equal((await world.call('GET', '/healthz')).status, 200);
    assert.equal((await world.call('GET', SPACES)).status, 401);
    const document = JSON.parse((await world.call('GET', '/api-openapi')).text);
    assert.equal(document.servers[0].url, 'https://api.example.com/hourkeep/v');
    assert.ok(document.paths[SPACES]);
    assert.equal((await fetch(`${new URL(world.url).origin}/healthz`)).status, 404);
  });

  test('has the first page at its root, with links below it', async () => {
    for (const path of ['', '/']) assertLeadsOn(await world.call('GET', path), '/hourkeep/v');
    assert.equal((await fetch(new URL(world.url).origin)).status, 404);
  });
});

onOneEngine('the service’s own address', (engine) => {
  const world = useWorld(engine);

  test('answers with a page that leads to the reference, the console and the document, which do not know it', async () => {
    assertLeadsOn(await world.call('GET', '/'), '');
    for (const path of ['/docs/', '/api-openapi']) {
      assert.equal((await world.call('GET', path)).status, 200);
    }
    const { paths } = JSON.parse((await world.call('GET', '/api-openapi')).text);
    assert.equal(paths['/'], undefined);
  });

  test('has HEAD, and refuses other methods', async () => {
    const head = await world.call('HEAD', '/');
    assert.deepEqual([head.status, head.text], [200, '']);
    const post = await world.call('POST', '/', { body: {} });
    assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, HEAD']);
  });
});

function assertLeadsOn(answer: Answer, basePath: string): void {
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
  const links = [...answer.text.matchAll(/<a href="([^"]*)">/g)].map(([, href]) => href);
  assert.deepEqual(links, [`${basePath}/docs`, `${basePath}/console`, `${basePath}/api-openapi`]);
}
