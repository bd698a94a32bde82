import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openWindow } from './browser.ts';
import { keepPicture, violations } from './chromium.ts';
import { service } from './demo.ts';

// npm run test:browser: the guides and the reference as a person meets them. SHOTS=<folder> keeps pictures.

const WIDE = { viewport: { width: 1440, height: 1000 } };
const PHONE = { viewport: { width: 390, height: 844 } };
const LOOKS: [name: string, options: BrowserContextOptions][] = [
  ['light', { ...WIDE, colorScheme: 'light' }],
  ['dark', { ...WIDE, colorScheme: 'dark' }],
  ['phone', { ...PHONE, colorScheme: 'light' }],
  ['phone-dark', { viewport: { width: 320, height: 700 }, colorScheme: 'dark' }],
];

const { origin } = new URL(service.url);

const docs = `${service.url}/docs`;

async function open(path: string, options: BrowserContextOptions = WIDE, expected?: RegExp): Promise<Page> {
  const page = await openWindow(origin, options, expected);
  await page.goto(docs + path);
  return page;
}

test('every guide, endpoint and event opens from the navigation, without a complaint', async () => {
  const page = await open('');
  const links = page.getByRole('navigation', { name: 'Documentation' }).getByRole('link');
  const addresses = await links.evaluateAll((all) => all.map((link) => String(link.getAttribute('href'))));
  assert.ok(addresses.length >= 12 + 18 + 6);
  for (const address of addresses) {
    await page.goto(origin + address);
    assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, address);
    // Only what differs: the tests below look at whole pages, and at one of those that are generated.
    if (address.includes('/guides/')) assert.deepEqual(await violations(page, 'main'), [], address);
  }
});

for (const [name, options] of LOOKS)
  test(`is accessible, fits the screen, and no button covers code: ${name}`, async () => {
    const page = await open('', options);
    for (const path of [
      '',
      '/guides/quickstart',
      '/guides/webhooks',
      '/guides/money',
      '/reference/createBooking',
    ]) {
      await page.goto(docs + path);
      await page.locator('.copy').first().waitFor();
      assert.deepEqual(await violations(page), [], path);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      assert.equal(width, options.viewport?.width, `${path} scrolls sideways`);
      assert.equal(await page.evaluate(COVERED), 0, path);
      await keepPicture(page, `${name}${path.replaceAll('/', '-')}`);
    }
  });

test('the search finds an error code, and Enter opens what to do about it', async () => {
  const page = await open('');
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

test('the search finds guides, endpoints and fields, and says when there is nothing', async () => {
  const page = await open('/guides/quickstart');
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

test('with one click for the demo key, every endpoint answers its first request with success', async () => {
  const page = await open('/reference/createBooking');
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

test('a page that is not there says so, and leads to the overview', async () => {
  const page = await open('/guides/nothing', WIDE, /404/);
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  assert.deepEqual(await violations(page), []);
  await page.getByRole('link', { name: 'overview' }).click();
  await page.waitForURL(/\/docs$/);
});

test('on a wide screen the outline leads to the sections of the page', async () => {
  const page = await open('/guides/webhooks');
  const links = page.getByRole('navigation', { name: 'On this page' }).getByRole('link');
  await links.last().click();
  const id = new URL(page.url()).hash.slice(1);
  assert.ok(await page.locator(`h2[id="${id}"]`).isVisible());
});

test('the chosen language holds on other pages, in guides, and for the next visit', async () => {
  const page = await open('');
  const chosen = page.getByRole('tab', { selected: true });
  await page.goto(docs + '/reference/createBooking');
  assert.equal(await chosen.textContent(), 'curl');
  await page.getByRole('tab', { name: 'PHP' }).click();
  await page.goto(docs + '/reference/getEarnings');
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

test('an event has no form, and says why', async () => {
  const page = await open('/events/booking.created');
  assert.equal(await page.locator('form').count(), 0);
  await page.getByText('there is no request to try').waitFor();
  assert.deepEqual(await violations(page), []);
});

test('on a phone the navigation is behind a button', async () => {
  const page = await open('/guides/errors', PHONE);
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

async function send(page: Page, expected: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Send request' }).click();
  const status = page.locator('.answer > p');
  const note = page.locator('.note:not(:empty)');
  await status.or(note).first().waitFor();
  const said = `${page.url()}: ${(await page.locator('.note, .answer').allInnerTexts()).join(' ')}`;
  assert.match((await status.textContent({ timeout: 1000 }).catch(() => '')) ?? '', expected, said);
}

/** How much code lies under the button that copies it. */
const COVERED = `[...document.querySelectorAll('.code')].filter((block) => {
  const [code, button] = ['pre', '.copy'].map((part) => block.querySelector(part).getBoundingClientRect());
  return code.width > 0 && code.right > button.left;
}).length`;
