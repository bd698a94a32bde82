import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { browser } from './browser.ts';
import { violations, watch } from './chromium.ts';
import { startDemo } from './console-support.ts';

// npm run test:browser: the guides and the reference as a person meets them. SHOTS=<folder> keeps pictures.

const WIDE = { viewport: { width: 1440, height: 1000 } };
const PHONE = { viewport: { width: 390, height: 844 } };
const LOOKS: [name: string, options: BrowserContextOptions][] = [
  ['light', { ...WIDE, colorScheme: 'light' }],
  ['dark', { ...WIDE, colorScheme: 'dark' }],
  ['phone', { ...PHONE, colorScheme: 'light' }],
  ['phone-dark', { ...PHONE, colorScheme: 'dark' }],
];

// Under a base path.
const { service } = await startDemo({ BASE_PATH: '/hourkeep' });
const { origin } = new URL(service.url);

async function visit<T>(
  options: BrowserContextOptions,
  use: (page: Page, open: (path: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const found = watch(page, origin);
  const result = await use(page, async (path) => {
    await page.goto(`${service.url}/docs${path}`);
  });
  assert.deepEqual(found, []);
  await context.close();
  return result;
}

test('every guide, endpoint and event opens from the navigation, without a complaint', async () => {
  await visit(WIDE, async (page, open) => {
    await open('');
    const links = page.getByRole('navigation', { name: 'Documentation' }).getByRole('link');
    const addresses = await links.evaluateAll((all) => all.map((link) => String(link.getAttribute('href'))));
    assert.ok(addresses.length >= 12 + 18 + 6);
    for (const address of addresses) {
      await page.goto(origin + address);
      assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, address);
      // Only what differs: the tests below look at whole pages.
      assert.deepEqual(await violations(page, 'main'), [], address);
    }
  });
});

for (const [name, options] of LOOKS) {
  test(`is accessible and fits the screen: ${name}`, async () => {
    await visit(options, async (page, open) => {
      for (const path of [
        '',
        '/guides/webhooks',
        '/guides/money',
        '/guides/clients',
        '/reference/createBooking',
      ]) {
        await open(path);
        assert.deepEqual(await violations(page), [], path);
        const width = await page.evaluate('document.documentElement.scrollWidth');
        assert.equal(width, options.viewport?.width, `${path} scrolls sideways`);
        await keepPicture(page, `${name}${path.replaceAll('/', '-')}`);
      }
    });
  });
}

test('the search finds an error code, and Enter opens what to do about it', async () => {
  await visit(WIDE, async (page, open) => {
    await open('');
    await page.keyboard.press('/');
    await page.keyboard.type('BOOKING_CONFLICT');
    const results = page.getByRole('list', { name: 'Search results' });
    await results.getByRole('link', { name: 'Errors: BOOKING_CONFLICT' }).waitFor();
    assert.deepEqual(await violations(page), []);
    await keepPicture(page, 'search');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/guides\/errors#booking_conflict$/);
    assert.ok(await page.getByRole('heading', { name: 'BOOKING_CONFLICT', exact: true }).isVisible());
  });
});

test('the search finds guides, endpoints and fields, and says when there is nothing', async () => {
  await visit(WIDE, async (page, open) => {
    await open('/guides/quickstart');
    const first = page.getByRole('list', { name: 'Search results' }).getByRole('listitem').first();
    for (const [words, expected] of [
      ['daylight', /daylight/i],
      ['dst', /When the clocks change/],
      ['reschedule', /Bookings: make, move, cancel: Move/],
      ['csv', /Accounting/],
      ['cancel booking', /^Cancel booking/],
      ['start_hour', /start_hour/],
      ['idempotncy', /Idempotency/],
      ['wehbook', /webhook/i],
      ['retyr', /Retries/],
      ['overnigth', /Past midnight/],
      ['postamn', /^Clients/],
      ['nestsj', /NestJS/],
      ['metadta', /Bookings|What it does not do/],
      ['zebra', /^Nothing found$/],
    ] as const) {
      await page.getByRole('searchbox').fill(words);
      await first.filter({ hasText: expected }).waitFor();
    }
  });
});

test('one click for the demo key, one for the request: a booking is made and answered 200', async () => {
  await visit(WIDE, async (page, open) => {
    await open('/reference/createBooking');
    await page.getByRole('button', { name: 'Use the demo key' }).click();
    await send(page, /^200 OK/);
    const shown = JSON.parse((await page.locator('.answer > pre').textContent()) ?? '') as {
      data: { booking: { id: string; status: string } };
    };
    assert.equal(shown.data.booking.status, 'confirmed');
    assert.deepEqual(await violations(page), []);
    await keepPicture(page, 'answer');
  });
});

test('with the demo key every endpoint answers its first request with success', async () => {
  await visit(WIDE, async (page, open) => {
    await open('/reference/createBooking');
    await page.getByRole('button', { name: 'Use the demo key' }).click();
    const links = page.locator('#navigation a[href*="/reference/"]');
    const addresses = await links.evaluateAll((all) => all.map((link) => String(link.getAttribute('href'))));
    assert.equal(addresses.length, 18);
    for (const address of addresses) {
      await page.goto(origin + address);
      // The button is there once the page knows of the demo.
      if ((await page.locator('.demo-key').count()) > 0) await page.locator('.demo-key').waitFor();
      await send(page, /^20[01] OK/);
    }
  });
});

test('a page that is not there says so, and leads to the overview', async () => {
  // Not by `visit`: the browser complains about every 404.
  const page = await browser.newPage();
  const response = await page.goto(`${service.url}/docs/guides/nothing`);
  assert.equal(response?.status(), 404);
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  assert.deepEqual(await violations(page), []);
  await page.getByRole('link', { name: 'overview' }).click();
  await page.waitForURL(/\/docs$/);
  await page.close();
});

test('on a wide screen the outline leads to the sections of the page', async () => {
  await visit(WIDE, async (page, open) => {
    await open('/guides/webhooks');
    const links = page.getByRole('navigation', { name: 'On this page' }).getByRole('link');
    await links.last().click();
    const id = new URL(page.url()).hash.slice(1);
    assert.ok(await page.locator(`h2[id="${id}"]`).isVisible());
  });
});

for (const width of [320, 390, 1440])
  test(`no button covers code, and code scrolls by itself: ${width} px`, async () => {
    await visit({ viewport: { width, height: 800 } }, async (page, open) => {
      for (const path of ['', '/guides/quickstart', '/reference/createBooking']) {
        await open(path);
        await page.locator('.copy').first().waitFor();
        const covered = await page.locator('.code').evaluateAll(
          (blocks) =>
            blocks.filter((block) => {
              const [code, button] = ['pre', '.copy'].map((part) =>
                block.querySelector(part)!.getBoundingClientRect(),
              );
              return code!.width > 0 && code!.right > button!.left;
            }).length,
        );
        assert.equal(covered, 0, path);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, path);
      }
    });
  });

test('the chosen language holds on other pages, in guides, and for the next visit', async () => {
  await visit(WIDE, async (page, open) => {
    const chosen = page.getByRole('tab', { selected: true });
    await open('/reference/createBooking');
    assert.equal(await chosen.textContent(), 'curl');
    await page.getByRole('tab', { name: 'PHP' }).click();
    await open('/reference/getEarnings');
    assert.equal(await chosen.textContent(), 'PHP');
    assert.match((await page.getByRole('tabpanel').textContent()) ?? '', /\$hk->earnings->get\(\)/);
    // Another visit: a new tab, after this one was closed.
    const next = await page.context().newPage();
    await page.close();
    await next.goto(`${service.url}/docs/guides/test-your-integration`);
    const selected = next.getByRole('tab', { selected: true });
    assert.deepEqual(await selected.allTextContents(), ['PHP', 'PHP', 'TypeScript']);
    await next.getByRole('tab', { name: 'Python' }).first().click();
    assert.deepEqual(await selected.allTextContents(), ['Python', 'Python', 'Python']);
    assert.deepEqual(await violations(next), []);
  });
});

test('an event has no form, and says why', async () => {
  await visit(WIDE, async (page, open) => {
    await open('/events/booking.created');
    assert.equal(await page.locator('form').count(), 0);
    await page.getByText('there is no request to try').waitFor();
  });
});

test('on a phone the navigation is behind a button', async () => {
  await visit(PHONE, async (page, open) => {
    await open('/guides/errors');
    const link = page
      .getByRole('navigation', { name: 'Documentation' })
      .getByRole('link', { name: 'Pagination' });
    assert.equal(await link.isVisible(), false);
    await page.getByRole('button', { name: 'Menu' }).click();
    assert.deepEqual(await violations(page), []);
    await keepPicture(page, 'phone-menu');
    await link.click();
    await page.waitForURL(/\/guides\/pagination$/);
  });
});

async function send(page: Page, expected: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Send request' }).click();
  const status = page.locator('.answer > p');
  const note = page.locator('.note:not(:empty)');
  await status.or(note).first().waitFor();
  const said = `${page.url()}: ${(await page.locator('.note, .answer').allInnerTexts()).join(' ')}`;
  assert.match((await status.textContent({ timeout: 1000 }).catch(() => '')) ?? '', expected, said);
}

async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env['SHOTS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
