import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import { describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { ERROR_STATUS } from '../../errors.ts';
import { engines } from '../../../test/support/engines.ts';
import { useWorld, type World } from '../../../test/support/world.ts';

// One engine: nothing here asks the database. test/browser/ opens the same pages in a real browser.

describe('the guides and the reference', () => {
  const world = useWorld(engines[0]!, { PUBLIC_URL: 'https://api.example.com' });

  test('every page of the navigation opens, with a language, a title and one heading', async () => {
    const addresses = await navigationOf(world, '/docs');
    assert.ok(addresses.length >= 12 + 18 + 6);
    for (const address of addresses) {
      const { status, text: body, headers } = await world.call('GET', address);
      assert.equal(status, 200, address);
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
      assert.match(body, /<html lang="en">/);
      assert.match(body, /<title>[^<]+ · Hourkeep API<\/title>/);
      assert.equal(body.match(/<h1[ >]/g)?.length, 1, address);
    }
  });

  test('every link inside the site leads somewhere, to the heading it names', async () => {
    const pages = new Map<string, string>();
    for (const address of ['/docs', ...(await navigationOf(world, '/docs'))]) {
      pages.set(address, (await world.call('GET', address)).text);
    }
    for (const [address, page] of pages) {
      for (const [, link = ''] of page.matchAll(/<a [^>]*href="([^"]+)"/g)) {
        if (link.startsWith('https:')) continue;
        const { pathname, hash } = new URL(link, `http://x${address}`);
        const target = pages.get(pathname);
        assert.ok(target, `${address} links to ${link}`);
        if (hash !== '') assert.ok(target.includes(`id="${hash.slice(1)}"`), `${address} links to ${link}`);
      }
    }
  });

  test('no script or style stands in a page, and the policy allows none', async () => {
    const { text: body, headers } = await world.call('GET', '/docs/reference/createBooking');
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'self';/);
    assert.doesNotMatch(headers.get('content-security-policy') ?? '', /unsafe|nonce/);
    assert.doesNotMatch(body, /<script(?![^>]* src=)|<style| style=| on\w+="/);
  });

  test('fields stand in the document’s order, with their values and without formats for generators', async () => {
    const { text: body } = await world.call('GET', '/docs/reference/getBooking');
    const { components } = JSON.parse((await world.call('GET', '/api-openapi')).text);
    const names = [...body.matchAll(/<li><code>(\w+)<\/code> <em>/g)].map(([, name]) => name);
    const fields = Object.keys(components.schemas.Booking.properties);
    assert.deepEqual(names.slice(names.indexOf('status') - 2, names.indexOf('updated_at') + 1), fields);
    for (const value of ['confirmed', 'cancelled', 'completed', 'host_settled'])
      assert.match(body, new RegExp(`<code>${value}</code>`));
    assert.doesNotMatch(body, /int32|int64|32-bit/);
  });

  for (const [what, operation, line] of [
    [
      'that may be null has its values too',
      'getAvailability',
      /`block_reason` .+One of `booked`, `external_block`, `host_block`/,
    ],
    [
      'has the values that it knows, where a wrong one has a code of its own',
      'createBooking',
      /`settlement_mode` .+One of `host_settled`, `platform_settled`\./,
    ],
    ['that a request needs says so', 'createBooking', /^- `space_id` \*string, uuid\*, \*\*required\*\*\./m],
    ['that a response may lack says so', 'updateWebhook', /`secret` .+, may be absent\./],
  ] as const)
    test(`a field ${what}`, async () => {
      assert.match((await world.call('GET', `/docs/reference/${operation}.md`)).text, line);
    });

  test('every endpoint has samples in four languages, and its example response right after them', async () => {
    const addresses = (await navigationOf(world, '/docs')).filter((each) => each.includes('/reference/'));
    assert.equal(addresses.length, 18);
    for (const address of addresses) {
      const { text } = await world.call('GET', `${address}.md`);
      const fences = [...text.matchAll(/^(?:(Response 200|Response 201):\n\n)?```(.+)$/gm)];
      assert.deepEqual(
        fences.map(([, response, language]) => response ?? language).slice(0, 5),
        ['sh curl', 'ts', 'python', 'php', fences[4]?.[1]],
        address,
      );
      assert.match(fences[4]?.[1] ?? '', /^Response 20[01]$/, address);
      assert.match(
        (await world.call('GET', address)).text,
        /data-tab="curl".+data-tab="PHP".+Response 20[01]/s,
      );
    }
  });

  test('the form begins with what a request must have; the rest is folded away', async () => {
    const { text: list } = await world.call('GET', '/docs/reference/listBookings');
    const form = /<form.+<\/form>/s.exec(list)?.[0] ?? '';
    assert.ok(form.indexOf('<summary>Optional parameters') < form.indexOf('name="status"'));
    const { text: create } = await world.call('GET', '/docs/reference/createBooking');
    const body = /<textarea[^>]+>([^<]+)</.exec(create)?.[1] ?? '';
    assert.deepEqual(Object.keys(JSON.parse(body.replaceAll('&#34;', '"'))), [
      'space_id',
      'date',
      'start_hour',
      'end_hour',
      'guest_name',
      'guest_email',
    ]);
  });

  test('guides stand in groups', async () => {
    const { text } = await world.call('GET', '/docs');
    const groups = [...text.matchAll(/<h2>([^<]+)<\/h2>/g)].map(([, title]) => title);
    assert.deepEqual(groups.slice(0, 6), ['Start', 'Core', 'Stay in sync', 'Money', 'Tools', 'Spaces API']);
  });

  test('a page with three sections or more has an outline of them', async () => {
    const { text } = await world.call('GET', '/docs/guides/webhooks');
    const [outline = ''] = /<nav class="outline".+?<\/nav>/s.exec(text) ?? [];
    assert.match(outline, /On this page/);
    const [article = ''] = /<article>.+<\/article>/s.exec(text) ?? [];
    const headings = [...article.matchAll(/<h2 id="([^"]+)"/g)].map(([, id]) => `#${id}`);
    assert.deepEqual(
      [...outline.matchAll(/href="([^"]+)"/g)].map(([, link]) => link),
      headings,
    );
  });

  test('every page leads on to the next and back', async () => {
    const addresses = await navigationOf(world, '/docs');
    const [second = ''] = addresses.slice(1);
    const { text } = await world.call('GET', second);
    assert.equal(/rel="prev" href="([^"]+)"/.exec(text)?.[1], addresses[0]);
    assert.equal(/rel="next" href="([^"]+)"/.exec(text)?.[1], addresses[2]);
  });

  test('the overview has the base URL, one request, and three ways on', async () => {
    const { text } = await world.call('GET', '/docs');
    assert.match(text, /The base URL is <code>https:\/\/api\.example\.com<\/code>/);
    assert.match(text, /api\.example\.com\/api-listings\/api\/v1\/spaces/);
    for (const guide of ['quickstart', 'mirror', 'webhooks'])
      assert.match(text, new RegExp(`<article>.+href="/docs/guides/${guide}"`, 's'));
  });

  test('samples that name the local service name this one', async () => {
    for (const address of ['/docs/guides/quickstart', '/docs/guides/quickstart.md', '/llms-full.txt']) {
      const { text } = await world.call('GET', address);
      assert.match(text, /https:\/\/api\.example\.com/, address);
      assert.doesNotMatch(text, /127\.0\.0\.1:3000/, address);
    }
  });

  test('the response that the overview shows is a part of the one that the document has', async () => {
    const [, shown = ''] = /^```json\n(.+?)^```$/ms.exec(readFileSync('docs/guides/README.md', 'utf8')) ?? [];
    const { paths } = JSON.parse((await world.call('GET', '/api-openapi')).text);
    const { content } = paths['/api-listings/api/v1/spaces'].get.responses['200'];
    const [space] = JSON.parse(shown).data.spaces;
    const [{ ...documented }] = content['application/json'].example.data.spaces;
    assert.deepEqual({ ...documented, ...space }, documented);
  });

  test('the blocks of a program that a guide has in several languages are named, for tabs', async () => {
    const { text: body } = await world.call('GET', '/docs/guides/clients');
    const names = [...body.matchAll(/data-tab="(\w+)"/g)].map(([, name]) => name);
    assert.deepEqual(names, ['TypeScript', 'Python', 'PHP']);
  });

  test('the logo of the reference, the console and the home page is one', async () => {
    const iconOf = (page: string) => /<link rel="icon"[^>]*href="([^"]+)"/.exec(page)?.[1] ?? '';
    const docs = await world.call('GET', iconOf((await world.call('GET', '/docs')).text));
    const console = iconOf((await world.call('GET', '/console')).text);
    const home = iconOf((await world.call('GET', '/')).text);
    assert.match(docs.text, /^<svg /);
    assert.equal((await world.call('GET', new URL(console, 'http://x/console/').pathname)).text, docs.text);
    assert.equal(await (await fetch(home)).text(), docs.text.trim());
  });

  test('an event explains instead of offering a request', async () => {
    const { text: body } = await world.call('GET', '/docs/events/booking.created');
    assert.match(body, /there is no request to try/);
    assert.doesNotMatch(body, /<form/);
  });

  test('the search index has a section for every error code and a page for every operation', async () => {
    const { text: body } = await world.call('GET', '/docs/search.json');
    const sections = JSON.parse(body) as { id: string; heading: string; text: string }[];
    for (const code of Object.keys(ERROR_STATUS)) {
      const found = sections.find(({ heading }) => heading === code);
      assert.equal(found?.id, `/docs/guides/errors#${code.toLowerCase()}`);
    }
    assert.ok(sections.some(({ id }) => id === '/docs/reference/createBooking'));
    assert.ok(sections.some(({ id }) => id === '/docs/events/payment.confirmed'));
  });

  for (const [word, address] of [
    ['dst', '/docs/guides/time#when-the-clocks-change'],
    ['reschedule', '/docs/guides/bookings#move'],
    ['csv', '/docs/guides/accounting'],
  ] as const)
    test(`the search index has ${word}`, async () => {
      const sections = JSON.parse((await world.call('GET', '/docs/search.json')).text) as {
        id: string;
        text: string;
      }[];
      const found = sections.filter(({ text }) => text.toLowerCase().includes(word));
      assert.ok(found.some((section) => section.id === address));
    });

  test('every page is there as Markdown, whose links lead to Markdown', async () => {
    for (const address of await navigationOf(world, '/docs')) {
      const { status, text, headers } = await world.call('GET', `${address}.md`);
      assert.deepEqual([status, headers.get('content-type')], [200, 'text/markdown; charset=utf-8'], address);
      assert.match(text, /^# /);
      const page = (await world.call('GET', address)).text;
      assert.ok(page.includes(`<link rel="alternate" type="text/markdown" href="${address}.md" />`), address);
      for (const [, link = ''] of text.matchAll(/\]\(https:\/\/api\.example\.com([^)\s]+\.md)[#)]/g))
        assert.equal((await world.call('GET', link)).status, 200, `${address}: ${link}`);
      assert.doesNotMatch(text, /\]\((?!https?:|#)/, address);
    }
  });

  test('llms.txt lists every page as Markdown, at the address clients use; llms-full.txt has them all', async () => {
    const { status, text, headers } = await world.call('GET', '/llms.txt');
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
    assert.match(text, /^# Hourkeep Host Integration API\n\n> Connect your own systems/);
    const listed = [...text.matchAll(/^- \[[^\]]+\]\(https:\/\/api\.example\.com([^)]+)\)/gm)].map(
      ([, path]) => path,
    );
    const pages = (await navigationOf(world, '/docs')).map((each) => `${each}.md`);
    assert.deepEqual(listed, ['/llms-full.txt', '/api-openapi', ...pages]);
    assert.match(text, /^- \[Create booking\]\(.+\): POST \/api-create-booking\/api\/v1\/bookings$/m);
    const full = (await world.call('GET', '/llms-full.txt')).text;
    for (const page of pages) assert.ok(full.includes((await world.call('GET', page)).text), page);
  });

  test('a page that is not there is 404', async () => {
    for (const address of [
      '/docs/guides/nothing',
      '/docs/guides/nothing.md',
      '/docs/nothing',
      '/docs/assets/x/main.js',
    ])
      assert.equal((await world.call('GET', address)).body.error.code, 'NOT_FOUND', address);
  });

  test('a browser gets a page that says so, with the navigation', async () => {
    const response = await fetch(`${world.url}/docs/guides/nothing`, {
      headers: { accept: 'text/html,*/*' },
    });
    assert.deepEqual(
      [response.status, response.headers.get('content-type')],
      [404, 'text/html; charset=utf-8'],
    );
    assert.match(await response.text(), /<nav .+<h1[^>]*>.*Page not found/s);
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

  test('pages, files and the document come in brotli and gzip, each with a tag of its own', async () => {
    const [file = ''] = await assetsOf(world);
    for (const address of ['/docs/guides/errors', '/docs/search.json', file, '/api-openapi']) {
      const plain = await get(address, { 'accept-encoding': 'identity' });
      const br = await get(address, { 'accept-encoding': 'gzip, br' });
      const gzip = await get(address, { 'accept-encoding': 'br;q=0, gzip' });
      assert.equal(plain.headers.get('content-encoding'), null);
      assert.equal(br.headers.get('content-encoding'), 'br');
      assert.equal(gzip.headers.get('content-encoding'), 'gzip');
      assert.deepEqual(brotliDecompressSync(br.bytes), plain.bytes, address);
      assert.deepEqual(gunzipSync(gzip.bytes), plain.bytes, address);
      const tags = [plain, br, gzip].map(({ headers }) => headers.get('etag'));
      assert.equal(new Set(tags).size, 3);
      for (const { headers } of [plain, br, gzip]) assert.equal(headers.get('vary'), 'accept-encoding');
    }
  });

  test('an unchanged page is 304', async () => {
    const first = await get('/docs', { 'accept-encoding': 'br' });
    assert.equal(first.headers.get('cache-control'), 'no-cache');
    const tag = first.headers.get('etag') ?? '';
    const again = await get('/docs', { 'accept-encoding': 'br', 'if-none-match': tag });
    assert.deepEqual([again.status, again.bytes.length], [304, 0]);
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

  test('without a demo there is nothing to fill in', async () => {
    assert.deepEqual((await world.call('GET', '/docs/demo.json')).body, {});
  });
});

describe('the reference of a service in production under a base path', () => {
  const world = useWorld(engines[0]!, { NODE_ENV: 'production', BASE_PATH: '/hourkeep' });

  test('has its pages, links and files under that path', async () => {
    const origin = world.url.replace(/\/hourkeep$/, '');
    assert.equal((await fetch(`${origin}/docs`)).status, 404);
    const page = await (await fetch(`${origin}/hourkeep/docs`)).text();
    const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
    assert.ok(addresses.length > 40);
    for (const address of addresses.filter((address) => !address.startsWith('#'))) {
      assert.match(address, /^\/hourkeep\/docs/);
      assert.equal((await fetch(origin + address)).status, 200, address);
    }
  });

  test('has llms.txt there too, with addresses under that path', async () => {
    const origin = world.url.replace(/\/hourkeep$/, '');
    assert.equal((await fetch(`${origin}/llms.txt`)).status, 404);
    const { status, text } = await world.call('GET', '/llms.txt');
    assert.equal(status, 200);
    assert.ok(text.includes(`(${world.url}/docs/guides/quickstart.md)`));
  });

  test('offers no demo', async () => {
    assert.equal((await world.call('GET', '/docs/demo.json')).status, 404);
    assert.match((await world.call('GET', '/docs')).text, /data-demo="no"/);
  });
});

async function navigationOf(world: World, address: string): Promise<string[]> {
  const page = (await world.call('GET', address)).text;
  const navigation = /<nav id="navigation"[^>]*>([^]*?)<\/nav>/.exec(page)?.[1] ?? '';
  return [...navigation.matchAll(/href="([^"]+)"/g)].map(([, link]) => link!);
}

async function assetsOf(world: World): Promise<string[]> {
  const page = (await world.call('GET', '/docs')).text;
  return [...new Set([...page.matchAll(/"(\/docs\/assets\/[^"]+\.\w+)"/g)].map(([, address]) => address!))];
}

/** Without decompressing, as `fetch` would. */
async function fetchRaw(url: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: Headers; bytes: Buffer }>((resolve, reject) => {
    httpGet(url, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(response.headers as Record<string, string>),
          bytes: Buffer.concat(chunks),
        }),
      );
    }).on('error', reject);
  });
}
