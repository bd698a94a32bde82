import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { ERROR_STATUS } from '../../errors.ts';
import { engines } from '../../../test/support/engines.ts';
import { useWorld, type World } from '../../../test/support/world.ts';

// One engine: nothing here asks the database. test/browser/ opens the same pages in a real browser.

const all = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found]) => found!);

describe('the guides and the reference', () => {
  const world = useWorld(engines[0]!, { PUBLIC_URL: 'https://api.example.com' });
  const text = async (address: string) => (await world.call('GET', address)).text;
  /** The pages of the navigation. */
  let addresses: string[];
  const pages = new Map<string, string>();
  before(async () => {
    pages.set('/docs', await text('/docs'));
    addresses = navigationOf(pages.get('/docs')!);
    for (const address of addresses) pages.set(address, await text(address));
  });

  test('are 36 pages or more with a language, a title, one heading, and no script or style inside', () => {
    assert.ok(addresses.length >= 12 + 18 + 6);
    for (const [address, page] of pages) {
      assert.match(page, /<html lang="en">/);
      assert.match(page, /<title>[^<]+ · Hourkeep API<\/title>/);
      assert.equal(page.match(/<h1[ >]/g)?.length, 1, address);
      assert.doesNotMatch(page, /<script(?![^>]* src=)|<style| style=| on\w+="/);
    }
  });

  test('every link inside the site leads somewhere, to the heading it names', () => {
    for (const [address, page] of pages)
      for (const link of all(page, /<a [^>]*href="([^"]+)"/g)) {
        if (link.startsWith('https:')) continue;
        const { pathname, hash } = new URL(link, `http://x${address}`);
        const target = pages.get(pathname);
        assert.ok(target, `${address} links to ${link}`);
        if (hash !== '') assert.ok(target.includes(`id="${hash.slice(1)}"`), `${address} links to ${link}`);
      }
  });

  test('fields stand in the document’s order, without formats for generators', async () => {
    const body = pages.get('/docs/reference/getBooking')!;
    const { components } = JSON.parse(await text('/api-openapi'));
    const names = all(body, /<li><code>(\w+)<\/code> <em>/g);
    const fields = Object.keys(components.schemas.Booking.properties);
    assert.deepEqual(names.slice(names.indexOf('status') - 2, names.indexOf('updated_at') + 1), fields);
    assert.doesNotMatch(body, /int32|int64|32-bit/);
  });

  for (const [what, operation, line] of [
    [
      'that may be null has its values',
      'getAvailability',
      /`block_reason` .+`booked`, `external_block`, `host_block`/,
    ],
    [
      'has its values, where a wrong one has a code',
      'createBooking',
      /`settlement_mode` .+One of `host_settled`/,
    ],
    ['that a request needs says so', 'createBooking', /^- `space_id` \*string, uuid\*, \*\*required\*\*\./m],
    ['that a response may lack says so', 'updateWebhook', /`secret` .+, may be absent\./],
  ] as const)
    test(`a field ${what}`, async () => {
      assert.match(await text(`/docs/reference/${operation}.md`), line);
    });

  test('every endpoint has samples in four languages, and its example response right after them', async () => {
    const endpoints = addresses.filter((each) => each.includes('/reference/'));
    assert.equal(endpoints.length, 18);
    for (const address of endpoints) {
      const blocks = all(await text(`${address}.md`), /^(Response 20[01]:$|```.+$)/gm);
      const languages = blocks.slice(0, 5).map((each) => each.replace(/20[01]/, '2xx'));
      assert.deepEqual(languages, ['```sh curl', '```ts', '```python', '```php', 'Response 2xx:'], address);
      assert.match(pages.get(address)!, /data-tab="curl".+data-tab="PHP".+Response 20[01]/s);
    }
  });

  test('the form begins with what a request must have; the rest is folded away', () => {
    const form = /<form.+<\/form>/s.exec(pages.get('/docs/reference/listBookings')!)?.[0] ?? '';
    assert.ok(form.indexOf('<summary>Optional parameters') < form.indexOf('name="status"'));
    const [body = ''] = all(pages.get('/docs/reference/createBooking')!, /<textarea[^>]+>([^<]+)</g);
    assert.equal(
      Object.keys(JSON.parse(body.replaceAll('&#34;', '"'))).join(),
      'space_id,date,start_hour,end_hour,guest_name,guest_email',
    );
  });

  test('guides stand in groups', () => {
    const groups = all(pages.get('/docs')!, /<h2>([^<]+)<\/h2>/g);
    assert.deepEqual(groups.slice(0, 6), ['Start', 'Core', 'Stay in sync', 'Money', 'Tools', 'Spaces API']);
  });

  test('a page with three sections or more has an outline of them', () => {
    const page = pages.get('/docs/guides/webhooks')!;
    const [outline = ''] = /<nav class="outline".+?<\/nav>/s.exec(page) ?? [];
    assert.match(outline, /On this page/);
    const [article = ''] = /<article>.+<\/article>/s.exec(page) ?? [];
    assert.deepEqual(all(outline, /href="#([^"]+)"/g), all(article, /<h2 id="([^"]+)"/g));
  });

  test('every page leads on to the next and back', () => {
    const page = pages.get(addresses[1]!)!;
    assert.deepEqual(all(page, /rel="(?:prev|next)" href="([^"]+)"/g), [addresses[0], addresses[2]]);
  });

  test('the overview has the base URL and one request', () => {
    const page = pages.get('/docs')!;
    assert.match(page, /The base URL is <code>https:\/\/api\.example\.com<\/code>/);
    assert.match(page, /api\.example\.com\/api-listings\/api\/v1\/spaces/);
  });

  test('the response that the overview shows is a part of the one that the document has', async () => {
    const [shown = ''] = all(readFileSync('docs/guides/README.md', 'utf8'), /^```json\n(.+?)^```$/gms);
    const { paths } = JSON.parse(await text('/api-openapi'));
    const { content } = paths['/api-listings/api/v1/spaces'].get.responses['200'];
    const [space] = JSON.parse(shown).data.spaces;
    const [{ ...documented }] = content['application/json'].example.data.spaces;
    assert.deepEqual({ ...documented, ...space }, documented);
  });

  test('the search index has a section for every error code and a page for every operation and event', async () => {
    const sections = JSON.parse(await text('/docs/search.json')) as { id: string; heading: string }[];
    const ids = new Map(sections.map(({ heading, id }) => [heading, id]));
    for (const code of Object.keys(ERROR_STATUS))
      assert.equal(ids.get(code), `/docs/guides/errors#${code.toLowerCase()}`);
    const found = new Set(sections.map(({ id }) => id));
    assert.deepEqual(
      addresses.filter((address) => !found.has(address)),
      [],
    );
  });

  test('every page is there as Markdown, whose links lead to Markdown, and all are in llms.txt', async () => {
    const full = await world.call('GET', '/llms-full.txt');
    assert.equal(full.headers.get('content-type'), 'text/plain; charset=utf-8');
    // Samples that name the local service name this one.
    assert.doesNotMatch(full.text, /127\.0\.0\.1:3000/);
    for (const address of addresses) {
      const { status, text: page, headers } = await world.call('GET', `${address}.md`);
      assert.deepEqual([status, headers.get('content-type')], [200, 'text/markdown; charset=utf-8'], address);
      assert.match(page, /^# /);
      const link = `<link rel="alternate" type="text/markdown" href="${address}.md" />`;
      assert.ok(pages.get(address)!.includes(link), address);
      for (const path of all(page, /\]\(https:\/\/api\.example\.com([^)\s]+)\.md[#)]/g))
        assert.ok(pages.has(path), `${address}: ${path}`);
      assert.doesNotMatch(page, /\]\((?!https?:|#)/, address);
      assert.ok(full.text.includes(page), address);
    }
    const list = await text('/llms.txt');
    assert.match(list, /^# Hourkeep Host Integration API\n\n> Connect your own systems/);
    assert.deepEqual(all(list, /^- \[[^\]]+\]\(https:\/\/api\.example\.com([^)]+)\)/gm), [
      '/llms-full.txt',
      '/api-openapi',
      ...addresses.map((each) => `${each}.md`),
    ]);
    assert.match(list, /^- \[Create booking\]\(.+\): POST \/api-create-booking\/api\/v1\/bookings$/m);
  });

  test('a page that is not there is 404, for a browser with the navigation', async () => {
    for (const path of ['guides/nothing', 'guides/nothing.md', 'nothing', 'assets/x/main.js'])
      assert.equal((await world.call('GET', `/docs/${path}`)).body.error.code, 'NOT_FOUND', path);
    const headers = { accept: 'text/html,*/*' };
    const page = await world.call('GET', '/docs/guides/nothing', { headers });
    assert.deepEqual([page.status, page.headers.get('content-type')], [404, 'text/html; charset=utf-8']);
    assert.match(page.text, /<nav .+<h1[^>]*>.*Page not found/s);
  });
});

describe('how the reference is sent', () => {
  const world = useWorld(engines[0]!);
  const get = (address: string, headers: Record<string, string>) => fetchRaw(world.url + address, headers);

  test('the files have a hash in their address and may be kept for ever', async () => {
    for (const address of await assetsOf(world)) {
      const { status, headers } = await get(address, {});
      assert.equal(status, 200);
      assert.match(address, /^\/docs\/assets\/[\w-]{16}\/[\w.]+$/);
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
    }
  });

  test('pages, files and the document come in brotli and gzip, each with a tag of its own, and are 304 for it', async () => {
    const [file = ''] = await assetsOf(world);
    for (const address of ['/docs/guides/errors', '/docs/search.json', file, '/api-openapi']) {
      const plain = await get(address, { 'accept-encoding': 'identity' });
      const br = await get(address, { 'accept-encoding': 'gzip, br' });
      const gzip = await get(address, { 'accept-encoding': 'br;q=0, gzip' });
      const sent = [plain, br, gzip].map(({ headers }) => headers);
      assert.deepEqual(
        sent.map((headers) => headers.get('content-encoding')),
        [null, 'br', 'gzip'],
      );
      assert.deepEqual(brotliDecompressSync(br.bytes), plain.bytes, address);
      assert.deepEqual(gunzipSync(gzip.bytes), plain.bytes, address);
      assert.equal(new Set(sent.map((headers) => headers.get('etag'))).size, 3);
      for (const headers of sent) assert.equal(headers.get('vary'), 'accept-encoding');
      const known = { 'accept-encoding': 'br', 'if-none-match': br.headers.get('etag') ?? '' };
      const again = await get(address, known);
      assert.deepEqual([again.status, again.bytes.length], [304, 0]);
      if (address !== file) assert.equal(again.headers.get('cache-control'), 'no-cache');
    }
  });

  test('a page with all that it loads, the search index of every guide too, is under 120 kB', async () => {
    const addresses = ['/docs/reference/createBooking', '/docs/search.json', ...(await assetsOf(world))];
    const scripts = ['tabs', 'search', 'try', 'minisearch'];
    const folder = addresses.at(-1)!.replace(/[^/]+$/, '');
    let bytes = 0;
    for (const address of [...addresses, ...scripts.map((name) => `${folder}${name}.js`)]) {
      const answer = await get(address, { 'accept-encoding': 'br' });
      assert.equal(answer.status, 200, address);
      bytes += answer.bytes.length;
    }
    assert.ok(bytes < 120_000, String(bytes));
  });
});

describe('the reference of a service in production under a base path', () => {
  const world = useWorld(engines[0]!, { NODE_ENV: 'production', BASE_PATH: '/hourkeep' });

  test('has its pages, links, files and llms.txt under that path, and nothing from elsewhere', async () => {
    const { origin } = new URL(world.url);
    for (const path of ['/docs', '/llms.txt']) assert.equal((await fetch(origin + path)).status, 404);
    const addresses = all((await world.call('GET', '/docs')).text, /(?:src|href)="([^#"][^"]*)"/g);
    assert.ok(addresses.length > 40);
    for (const address of addresses) {
      assert.match(address, /^\/hourkeep\/docs/);
      assert.equal((await fetch(origin + address)).status, 200, address);
    }
    const list = await world.call('GET', '/llms.txt');
    assert.ok(list.text.includes(`(${world.url}/docs/guides/quickstart.md)`));
  });

  test('offers no demo', async () => {
    assert.equal((await world.call('GET', '/docs/demo.json')).status, 404);
    assert.match((await world.call('GET', '/docs')).text, /data-demo="no"/);
  });
});

function navigationOf(page: string): string[] {
  return all(/<nav id="navigation"[^>]*>([^]*?)<\/nav>/.exec(page)?.[1] ?? '', /href="([^"]+)"/g);
}

async function assetsOf(world: World): Promise<string[]> {
  const page = (await world.call('GET', '/docs')).text;
  return [...new Set(all(page, /"(\/docs\/assets\/[^"]+\.\w+)"/g))];
}

/** Without decompressing, as `fetch` would. */
async function fetchRaw(url: string, headers: Record<string, string>) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpGet(url, { headers }, resolve).on('error', reject);
  });
  return {
    status: response.statusCode,
    headers: new Headers(response.headers as Record<string, string>),
    bytes: await buffer(response),
  };
}
