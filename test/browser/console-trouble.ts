import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { Route } from 'playwright-core';
import * as apiKeys from '../../src/api-keys/api-keys.ts';
import { TestClock } from '../support/clock.ts';
import { engines } from '../support/engines.ts';
import { insertManyBookings } from '../support/many-bookings.ts';
import { makeFolder, startProcess } from '../support/process.ts';
import { startWorld } from '../support/world.ts';
import { browser } from './browser.ts';
import { violations } from './chromium.ts';
import {
  assertFits,
  cell,
  daysFromNow,
  goTo,
  keepPicture,
  PHONE,
  signIn,
  startHosted,
  visit,
} from './console-support.ts';

// npm run test:browser: rivals, refusals, outages, and hosts that are very small or very large.

const { world, hostId, key, asHost, ...house } = await startHosted(['Riverside Studio']);
const date = daysFromNow(50);
const calendar = (view = 'week'): string => house.calendar({ view, date });

test('two people want one hour: one gets it, the other is told and sees it taken', async () => {
  const [{ page: first }, { page: second }] = [await asHost(calendar()), await asHost(calendar())];
  for (const page of [first, second]) {
    await cell(page, date, 10, 'available').focus();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Guest name' }).fill('Ada Miller');
    await page.getByRole('textbox', { name: 'Guest email' }).fill('ada@example.com');
  }
  await first.getByRole('combobox', { name: 'Starts' }).selectOption('11:00');
  await first.getByRole('button', { name: 'Book hours' }).click();
  await cell(first, date, 11, 'booked').waitFor();
  await second.getByRole('button', { name: 'Book hours' }).click();
  const alert = second.getByRole('alert').filter({ hasText: 'No longer available: 11 AM' });
  await alert.waitFor();
  const hours = second.getByRole('list', { name: 'Chosen hours' });
  await hours.getByText('11 AM taken').waitFor();
  await hours.getByText('10 AM free').waitFor();
  assert.equal(await second.getByRole('textbox', { name: 'Guest name' }).inputValue(), 'Ada Miller');
  await keepPicture(second, 'taken');
  assert.deepEqual(await violations(second), []);
  // What is left of it can be booked in the same dialog.
  await second.getByRole('combobox', { name: 'Ends' }).selectOption('11:00');
  await second.getByRole('button', { name: 'Book hours' }).click();
  await cell(second, date, 10, 'booked').waitFor();
  await cell(second, date, 11, 'booked').waitFor();
  const bookings = await world.call('GET', `/api-bookings/api/v1/bookings?from=${date}&to=${date}`, {
    key,
  });
  assert.equal(bookings.body.data.bookings.length, 2);
});

test('what others have booked shows when the page is looked at again', async () => {
  const page = await visit(world.url, calendar());
  await signIn(page, key);
  await cell(page, date, 16, 'available').waitFor();
  await house.book(date, 16, 'Ben', { end_hour: 17 });
  await page.waitForTimeout(1100);
  await page.evaluate("window.dispatchEvent(new Event('focus'))");
  await cell(page, date, 16, 'booked').filter({ hasText: 'Ben' }).waitFor();
});

test('a key that is revoked while signed in leads back to sign-in, and a new one to where it was', async () => {
  const old = await world.addKey(hostId);
  const page = await visit(world.url, calendar('day'));
  await signIn(page, old.key, true);
  await cell(page, date, 9, 'available').waitFor();
  await world.ctx.db.transaction((tx) => apiKeys.revoke(tx, world.clock.now(), old.id));
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'This API key has been revoked' });
  await alert.waitFor();
  assert.match((await alert.textContent()) ?? '', /Request id [\w-]{8,}/);
  await signIn(page, key);
  await page.getByRole('grid', { name: 'Calendar' }).waitFor();
});

test('a scope that the key does not have disables what needs it, and is named', async () => {
  const reader = await world.addKey(hostId, {
    scopes: ['spaces:read', 'availability:read', 'bookings:read', 'webhooks:read'],
  });
  const page = await visit(world.url, calendar('day'));
  await signIn(page, reader.key);
  await cell(page, date, 20, 'available').click();
  await page.getByText('lacks the scope bookings:write').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Book hours' }).isDisabled());
  await page.getByRole('tab', { name: 'Block' }).click();
  await page.getByText('lacks the scope blocks:write').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Block hours' }).isDisabled());
  await page.keyboard.press('Escape');
  await goTo(page, 'Spaces');
  await page.getByText('lacks the scope spaces:write').waitFor();
  assert.ok(await page.getByRole('checkbox').first().isDisabled());
  await goTo(page, 'Webhooks');
  await page.getByText('lacks the scope webhooks:write').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Add webhook' }).isDisabled());
  await goTo(page, 'Money');
  await page.getByRole('alert').filter({ hasText: 'earnings:read' }).waitFor();
});

test('guests’ texts are shown as they are and do nothing', async () => {
  const hostile =
    '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script> \u202Egnp.exe ' + '"'.repeat(20);
  const long = 'W'.repeat(200);
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' }).format(world.clock.now());
  for (const [hour, guest_name] of [
    [18, hostile],
    [19, long],
  ] as const) {
    const more = { end_hour: hour + 1, guest_phone: '=1+1' };
    await house.book(date, hour, guest_name, more);
    // In the evening these hours of today have begun.
    await house.book(today, hour, guest_name, more).catch(() => undefined);
  }
  const page = await visit(world.url, calendar('day'), PHONE);
  await signIn(page, key);
  await cell(page, date, 18, 'booked').filter({ hasText: '<img src=x' }).tap();
  await page.getByRole('dialog', { name: 'Booking' }).getByText('<img src=x').waitFor();
  await assertFits(page, 'a hostile booking');
  await keepPicture(page, 'hostile');
  await page.getByRole('button', { name: 'Close' }).tap();
  await cell(page, date, 19, 'booked').tap();
  await page.getByRole('dialog', { name: 'Booking' }).waitFor();
  await assertFits(page, 'a long name');
  await page.getByRole('button', { name: 'Close' }).tap();
  for (const screen of ['Today', 'Bookings']) {
    await goTo(page, screen);
    await page.waitForTimeout(500);
    await assertFits(page, screen);
  }
  await page.getByText('<img src=x').first().waitFor();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).tap(),
  ]);
  assert.match(readFileSync(await file.path(), 'utf8'), /,"'=1\+1",/);
  assert.equal(await page.evaluate('window.pwned'), undefined);
});

test('a screen that cannot be loaded says so, and comes when it is tried again', async () => {
  const page = await visit(world.url);
  await signIn(page, key);
  await page.route('**/assets/money-*.js', (route) => route.abort());
  await page.getByRole('link', { name: 'Money' }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'could not be loaded' });
  await alert.waitFor();
  assert.deepEqual(await violations(page), []);
  await keepPicture(page, 'not-loaded');
  await page.unroute('**/assets/money-*.js');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { level: 1, name: 'Money' }).waitFor();
  await alert.waitFor({ state: 'detached' });
});

test('a screen that an update has taken away is found by loading the page anew', async () => {
  const page = await visit(world.url);
  await signIn(page, key, true);
  const gone = (route: Route): Promise<void> => route.fulfill({ status: 404, body: '' });
  await page.route('**/assets/spaces-*.js', gone);
  await page.getByRole('link', { name: 'Spaces' }).click();
  await page.getByRole('alert').filter({ hasText: 'could not be loaded' }).waitFor();
  const anew = page.waitForRequest((request) => request.isNavigationRequest());
  await page.getByRole('button', { name: 'Try again' }).click();
  await anew;
  await page.unroute('**/assets/spaces-*.js', gone);
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Spaces' }).waitFor();
});

test('a page whose script does not come says so', async () => {
  const context = await browser.newContext({ locale: 'en-US' });
  const page = await context.newPage();
  await page.route('**/assets/*.js', (route) => route.abort());
  await page.goto(`${world.url}/console/money`);
  await page.getByRole('alert').filter({ hasText: 'could not be loaded' }).waitFor();
  await page.unroute('**/assets/*.js');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('textbox', { name: 'API key' }).waitFor();
  await context.close();
});

test('a host without a space is told what to do', async () => {
  const lonely = await world.addKey(await world.addHost());
  const page = await visit(world.url);
  await signIn(page, lonely.key);
  for (const screen of ['Today', 'Calendar', 'Spaces', 'Money', 'Bookings', 'Webhooks']) {
    await goTo(page, screen);
    await page.locator('.empty').first().waitFor();
    assert.deepEqual(await violations(page), [], screen);
  }
});

test('a host with 10 000 bookings pages through them, and sees this week at once', async () => {
  const busy = await world.addHost();
  for (let number = 0; number < 10; number++) await world.addSpace(busy, { title: `Room ${number}` });
  const { key: busyKey } = await world.addKey(busy);
  const days = Array.from({ length: 100 }, (_, day) => daysFromNow(day - 50));
  await insertManyBookings(world.ctx.db, {
    hostId: busy,
    environment: 'production',
    days,
    perDay: 10,
    today: daysFromNow(0),
  });
  const page = await visit(world.url, `/bookings?from=${days[0]}`);
  await signIn(page, busyKey);
  const table = page.getByRole('table', { name: 'Bookings' });
  await table.waitFor();
  await page.getByText(/10,000 in all/).waitFor();
  assert.equal(await table.getByRole('row').count(), 51);
  const first = await table.getByRole('row').nth(1).textContent();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByText(/^Page 2,/).waitFor();
  assert.notEqual(await table.getByRole('row').nth(1).textContent(), first);
  await page.getByRole('button', { name: 'Previous page' }).click();
  await page.getByText(/^Page 1,/).waitFor();
  await goTo(page, 'Calendar');
  await page
    .getByRole('gridcell', { name: /, (available|booked|closed)$/ })
    .first()
    .waitFor();
});

describe('the console and a service that says wait', () => {
  test('429 counts down and goes on by itself', async () => {
    // Four a minute: a week needs three, the next week two more.
    const clock = new TestClock(new Date().toISOString());
    const world = await startWorld(engines[0]!, { RATE_LIMIT_PRODUCTION: '4' }, clock);
    const hostId = await world.addHost();
    const space = await world.addSpace(hostId);
    const { key } = await world.addKey(hostId);
    const page = await visit(world.url, `/calendar?space=${space}&date=${daysFromNow(20)}`);
    await page.clock.install();
    await page.reload();
    await signIn(page, key);
    await page
      .getByRole('gridcell', { name: /, available$/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    const alert = page.getByRole('alert').filter({ hasText: /Retrying in \d+ s/ });
    await alert.waitFor();
    assert.match((await alert.textContent()) ?? '', /Rate limit exceeded/);
    await keepPicture(page, 'limit');
    clock.advance({ seconds: 61 });
    await page.clock.fastForward('01:00');
    await alert.waitFor({ state: 'detached' });
    await cell(page, daysFromNow(27), 10, 'available').waitFor();
    await world.close();
  });

  test('a service that is away is waited for, and what was typed is still there', async () => {
    const folder = makeFolder();
    const settings = { DATA_DIR: folder.path, RATE_LIMIT_PRODUCTION: '0' };
    let service = await startProcess('serve', settings);
    const { port } = new URL(service.url);
    const { keys, spaces } = JSON.parse(readFileSync(`${folder.path}/demo.json`, 'utf8')) as {
      keys: { production: string };
      spaces: { id: string }[];
    };
    const date = daysFromNow(50);
    const path = `/calendar?space=${spaces[0]!.id}&view=day&date=${date}`;
    const page = await visit(service.url, path);
    await signIn(page, keys.production);
    await cell(page, date, 10, 'available').click();
    await page.getByRole('textbox', { name: 'Guest name' }).fill('Ada Miller');
    await page.getByRole('textbox', { name: 'Guest email' }).fill('ada@example.com');
    await service.end();
    await page.getByRole('button', { name: 'Book hours' }).click();
    await page.getByRole('alert').filter({ hasText: 'connection' }).first().waitFor();
    await page.getByRole('dialog', { name: 'Hours' }).waitFor();
    service = await startProcess('serve', { ...settings, PORT: port });
    await page.getByRole('button', { name: 'Book hours' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await cell(page, date, 10, 'booked').waitFor();
    await service.end();
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'is not responding' }).waitFor();
    await keepPicture(page, 'away');
    service = await startProcess('serve', { ...settings, PORT: port });
    await page
      .getByRole('gridcell', { name: /, available$/ })
      .first()
      .waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await service.end();
    folder.remove();
  });
});
