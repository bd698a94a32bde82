import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { after, afterEach, describe, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import english, { type Words } from '../../console/src/languages/en.ts';
import * as apiKeys from '../../src/api-keys/api-keys.ts';
import { SCOPES } from '../../src/ids/scopes.ts';
import { makeFolder } from '../support/process.ts';
import { openProfile, violations } from './chromium.ts';
import {
  asHostOf,
  assertAccessible,
  cell,
  goTo,
  invite,
  keepPicture,
  LANGUAGES,
  NO_LIMITS,
  signIn,
  startHosted,
  visit,
} from './console-support.ts';

// npm run test:browser: sessions, keys, secrets that are shown once, and the console as an app without a connection.

const LAPTOP: BrowserContextOptions = { viewport: { width: 1360, height: 850 }, serviceWorkers: 'allow' };
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  serviceWorkers: 'allow',
};
const DAY_MS = 86_400_000;

const settings = { BASE_PATH: '/hourkeep', ...NO_LIMITS };
const { world, hostId, spaces, key, ...house } = await startHosted(['Riverside Studio'], settings);
const way = await openWay(world.url);
const [spaceId] = spaces;
/** On a day of the space's clock, counted from today. */
const dayOfSpace = (days: number): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' }).format(
    world.clock.now() + days * DAY_MS,
  );
// Walks in, so that she is there today whatever the time is.
const running = Number(
  new Intl.DateTimeFormat('en-US', {
    timeZone: 'America/New_York',
    hour: 'numeric',
    hourCycle: 'h23',
  }).format(world.clock.now()),
);
await house.book(dayOfSpace(0), running, 'Ada Miller', { walk_in: true, end_hour: running + 1 });
await house.book(dayOfSpace(1), 9, 'Ben Okafor');
await house.book(dayOfSpace(8), 10, 'Cleo Brandt');
afterEach(() => way.cut(false));
after(() => way.close());

const revoke = (id: string): Promise<unknown> =>
  world.ctx.db.transaction((tx) => apiKeys.revoke(tx, world.clock.now(), id));

describe('a session', () => {
  test('sends the key once and keeps it nowhere; a reload stays signed in', async () => {
    const page = await visit(way.url, '/money?month=2026-01', LAPTOP);
    const sent: { url: string; headers: Record<string, string>; body: string | null }[] = [];
    page.on('request', (request) =>
      sent.push({ url: request.url(), headers: request.headers(), body: request.postData() }),
    );
    await signIn(page, key, true);
    await goTo(page, 'Today');
    await page.getByText(/left today/).waitFor();
    await page.reload();
    await page.getByText(/left today/).waitFor();
    await page.goto(`${way.url}/console/money?month=2026-01`);
    assert.equal(await page.getByRole('textbox', { name: 'Month' }).inputValue(), '2026-01');
    const withKey = sent.filter((request) => JSON.stringify(request).includes(key));
    assert.deepEqual(
      withKey.map(({ url }) => new URL(url).pathname),
      ['/hourkeep/console/session'],
    );
    const api = sent.filter(({ url }) => url.includes('/api-'));
    assert.ok(api.length > 3);
    for (const { url, headers } of api) {
      assert.match(new URL(url).pathname, /^\/hourkeep\/console\/api\/api-/);
      assert.equal(headers['x-hourkeep-console'], '1');
      assert.equal(headers['authorization'], undefined);
    }
    const kept = await page.evaluate<string>(EVERYTHING_KEPT);
    assert.ok(kept.includes('Ada Miller'), 'it looks where things are kept');
    assert.ok(!kept.includes(key));
    assert.ok(!(await page.content()).includes(key));
    const [cookie] = await page.context().cookies(`${way.url}/console`);
    assert.equal(cookie?.httpOnly, true);
    assert.ok(!cookie.value.includes(key));
  });

  test('that is not remembered keeps nothing at all in the browser', async () => {
    const page = await visit(way.url, '/bookings', LAPTOP);
    await signIn(page, key);
    await page.getByText('Ben Okafor').waitFor();
    await page.reload();
    await page.getByText('Ben Okafor').waitFor();
    assert.equal(
      await page.evaluate('sessionStorage.length + localStorage.length + document.cookie.length'),
      0,
    );
    assert.ok(!(await page.evaluate<string>(EVERYTHING_KEPT)).includes('Okafor'));
    const [cookie] = await page.context().cookies(`${way.url}/console`);
    assert.equal(cookie?.expires, -1);
  });

  test('that was signed out is over, also where there was no connection to say so', async () => {
    const page = await visit(way.url, '/spaces', LAPTOP);
    await signIn(page, key, true);
    await controlled(page);
    const cookies = await page.context().cookies(`${way.url}/console`);
    way.cut(true);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('textbox', { name: 'API key' }).waitFor();
    assert.ok(!(await page.evaluate<string>(EVERYTHING_KEPT)).includes('Riverside Studio'));
    // Nobody comes back to it, neither without a connection nor with the next one.
    await page.reload();
    await page.getByRole('textbox', { name: 'API key' }).waitFor();
    way.cut(false);
    const told = page.waitForResponse((answer) => answer.request().method() === 'DELETE');
    await page.reload();
    assert.equal((await told).status(), 200);
    await page.getByRole('textbox', { name: 'API key' }).waitFor();
    const headers = {
      cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
      'x-hourkeep-console': '1',
    };
    assert.equal((await world.call('GET', '/console/session', { headers })).status, 401);
    assert.equal(await page.evaluate('localStorage.length'), 0);
  });

  test('of a key that is revoked ends with the next request, says why and leads back to where it was', async () => {
    const old = await world.addKey(hostId);
    const date = dayOfSpace(30);
    const path = `/calendar?space=${spaceId}&view=day&date=${date}`;
    const page = await visit(way.url, path, LAPTOP);
    await signIn(page, old.key, true);
    await controlled(page);
    await cell(page, date, 9, 'available').waitFor();
    await revoke(old.id);
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'is revoked or expired' });
    await alert.waitFor();
    assert.ok(!(await page.evaluate<string>(EVERYTHING_KEPT)).includes('Riverside Studio'));
    await page.reload();
    await alert.waitFor();
    await signIn(page, key);
    await page.getByRole('grid', { name: 'Calendar' }).waitFor();
    assert.match(page.url(), /view=day/);
  });

  test('that ends by itself says so, and not that the key is wrong', async () => {
    const page = await visit(way.url, '/spaces', LAPTOP);
    await signIn(page, key);
    await page.getByRole('textbox', { name: 'Title, Riverside Studio' }).waitFor();
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Money' }).click();
    await page.getByRole('alert').filter({ hasText: 'Your session has ended' }).waitFor();
    assert.deepEqual(await violations(page), []);
    await signIn(page, key);
    await page.getByRole('heading', { level: 1, name: 'Money' }).waitFor();
  });

  test('is one for all tabs: whoever signs in with another key changes them all', async () => {
    const sandbox = await world.addKey(hostId, { environment: 'sandbox' });
    const page = await visit(way.url, '', LAPTOP);
    await signIn(page, key);
    const other = await page.context().newPage();
    await other.goto(`${way.url}/console`);
    await other.getByRole('status', { name: 'Environment' }).waitFor();
    await other.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('textbox', { name: 'API key' }).waitFor();
    await signIn(other, sandbox.key);
    await page.getByRole('status', { name: 'Environment' }).filter({ hasText: 'Test' }).waitFor();
  });

  test('is begun in three languages, and the checkbox says what is kept', async () => {
    for (const [locale, words] of LANGUAGES) {
      for (const [name, options] of [
        ['390', PHONE],
        ['1360', LAPTOP],
      ] as const) {
        const page = await visit(way.url, '', { ...options, locale });
        const stay = page.getByRole('checkbox', { name: words.signIn.stay });
        assert.equal(await stay.isChecked(), false);
        await page.getByText(words.signIn.stayHint).waitFor();
        await assertAccessible(page, `sign-in-${locale}-${name}`);
        await page.context().close();
      }
    }
  });

  test('leaves the focus where the person can go on', async () => {
    const page = await visit(way.url, '/spaces', LAPTOP);
    await page.getByRole('textbox', { name: 'API key' }).fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Spaces' }).and(page.locator(':focus')).waitFor();
  });
});

describe('keys', () => {
  const asHost = asHostOf(way.url, key);

  test('are made for somebody else, shown once, and revoked after a question', async () => {
    const { page } = await asHost('/keys');
    const table = page.getByRole('table', { name: 'Keys' });
    await table.waitFor();
    // Its own cannot be revoked.
    const own = table.getByRole('row').filter({ hasText: 'This console' });
    assert.equal(await own.getByRole('button').count(), 0);
    await page.getByRole('button', { name: 'Make a key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Make a key' });
    const access = dialog.getByRole('radiogroup', { name: 'Access' });
    for (const name of ['Everything', 'Read only', 'Money only', 'Custom']) {
      await access.getByRole('radio', { name, exact: true }).waitFor();
    }
    await dialog.getByRole('button', { name: 'Make key' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'Name is missing.' }).waitFor();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Accountant');
    await access.getByRole('radio', { name: 'Money only' }).check();
    await dialog.getByRole('button', { name: 'Make key' }).click();
    const once = page.getByRole('dialog', { name: 'New key' });
    const text = await once.getByRole('textbox', { name: 'New key' }).inputValue();
    assert.match(text, /^hk_live_\w{36}$/);
    await asksBeforeReload(page);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await once.getByRole('button', { name: 'Copy' }).click();
    await once.getByText('Copied.').waitFor();
    await once.getByRole('button', { name: 'I have saved it' }).click();
    const row = table.getByRole('row').filter({ hasText: 'Accountant' });
    await row.getByText('Money only').waitFor();
    await row.getByText('Never').waitFor();
    const money = await world.call('GET', '/api-earnings/api/v1/earnings', { key: text });
    assert.equal(money.status, 200);
    const blocked = await world.call('GET', '/api-webhooks/api/v1/webhooks', { key: text });
    assert.equal(blocked.status, 403);
    await row.getByRole('button', { name: 'Revoke' }).click();
    const question = page.getByRole('dialog', { name: 'Revoke key' });
    await question.getByText('Accountant').waitFor();
    await question.getByRole('button', { name: 'Revoke key' }).click();
    await row.waitFor({ state: 'detached' });
    assert.equal((await world.call('GET', '/api-earnings/api/v1/earnings', { key: text })).status, 401);
    // Its button is gone: the focus stands at the heading.
    await page.getByRole('heading', { level: 1, name: 'Keys' }).and(page.locator(':focus')).waitFor();
  });

  test('have the scopes that were chosen one by one', async () => {
    const { page } = await asHost('/keys');
    await page.getByRole('button', { name: 'Make a key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Make a key' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Door');
    await dialog.getByRole('radio', { name: 'Custom' }).check();
    assert.deepEqual(await dialog.getByRole('checkbox').count(), SCOPES.length);
    await dialog.getByRole('checkbox', { name: 'bookings:read', exact: true }).check();
    await dialog.getByRole('button', { name: 'Make key' }).click();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('row').filter({ hasText: 'Door' }).getByText('bookings:read').waitFor();
  });

  test('are not offered to a key without keys:write, and its address says what is missing', async () => {
    const plain = await world.addKey(hostId);
    const { page } = await asHost('/keys', LAPTOP, plain.key);
    await page.getByText('lacks the scope keys:write').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Make a key' }).isDisabled());
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    assert.deepEqual(await links.allTextContents(), [
      'Today',
      'Calendar',
      'Bookings',
      'Money',
      'Spaces',
      'Webhooks',
    ]);
  });

  test('are accessible and fit in three languages', async () => {
    for (const [locale, words] of LANGUAGES) {
      for (const [name, options] of [
        ['320', { ...PHONE, viewport: { width: 320, height: 700 } }],
        ['390', PHONE],
        ['1360', LAPTOP],
      ] as const) {
        const page = await visit(way.url, '/keys', { ...options, locale });
        const look = (what: string) => assertAccessible(page, `${what}-${locale}-${name}`);
        await signIn(page, key, false, words);
        await page.getByRole('table', { name: words.screens.keys }).waitFor();
        await look('keys');
        await page.getByRole('button', { name: words.keys.make }).click();
        await page.getByRole('radio', { name: words.keys.access.custom }).check();
        await look('make-key');
        await page.context().close();
      }
    }
  });
});

describe('an invitation', () => {
  test('signs in and stays signed in at once; focus and announcement are at the key', async () => {
    const page = await visit(way.url, (await invite(world, hostId)).path, LAPTOP);
    const stay = page.getByRole('checkbox', { name: 'Stay signed in on this device' });
    assert.equal(await stay.isChecked(), true);
    await page.getByRole('button', { name: 'Make my key' }).focus();
    await page.keyboard.press('Enter');
    const region = page.getByRole('region', { name: 'Your key' });
    await region.and(page.locator(':focus')).waitFor();
    await page.getByRole('status').filter({ hasText: 'Your key is ready' }).waitFor();
    assert.deepEqual(await violations(page), []);
    await region.getByRole('button', { name: 'I have saved it' }).click();
    await region.waitFor({ state: 'detached' });
    const [cookie] = await page.context().cookies(`${way.url}/console`);
    assert.ok(cookie!.expires * 1000 - Date.now() > 29 * DAY_MS);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
  });

  test('asks before its key is lost: Sign out, another screen, Back, reload', async () => {
    const page = await visit(way.url, (await invite(world, hostId)).path, LAPTOP);
    await page.getByRole('button', { name: 'Make my key' }).click();
    const shown = page.getByRole('textbox', { name: 'Your key' });
    const text = await shown.inputValue();
    const question = page.getByRole('dialog', { name: 'Leave without saving the key?' });
    for (const leave of [
      () => page.getByRole('button', { name: 'Sign out' }).click(),
      () => page.getByRole('link', { name: 'Calendar' }).click(),
      async () => void (await page.evaluate('history.back()')),
    ]) {
      await leave();
      await question.waitFor();
      assert.deepEqual(await violations(page), []);
      await question.getByRole('button', { name: 'Cancel' }).click();
      await question.waitFor({ state: 'detached' });
      assert.equal(await shown.inputValue(), text);
      await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    }
    await asksBeforeReload(page);
    assert.equal(await shown.inputValue(), text);
    // Whoever leaves all the same does.
    await page.getByRole('link', { name: 'Calendar' }).click();
    await question.getByRole('button', { name: 'Leave without it' }).click();
    await page.getByRole('heading', { level: 1, name: 'Calendar' }).waitFor();
    assert.equal(await shown.count(), 0);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Calendar' }).waitFor();
  });

  test('does not ask whoever has copied the key', async () => {
    const page = await visit(way.url, (await invite(world, hostId)).path, LAPTOP);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Make my key' }).click();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('textbox', { name: 'API key' }).waitFor();
  });

  test('is accessible and fits in three languages', async () => {
    for (const [locale, words] of LANGUAGES) {
      for (const [name, options] of [
        ['390', PHONE],
        ['1360', LAPTOP],
      ] as const) {
        const page = await visit(way.url, (await invite(world, hostId)).path, { ...options, locale });
        const look = (what: string) => assertAccessible(page, `${what}-${locale}-${name}`);
        await page.getByRole('button', { name: words.welcome.makeKey }).waitFor();
        await look('welcome');
        await page.getByRole('button', { name: words.welcome.makeKey }).click();
        await page.getByRole('heading', { level: 1, name: words.screens.today }).waitFor();
        await look('new-key');
        await page.getByRole('button', { name: words.signOut }).click();
        await page.getByRole('dialog', { name: words.once.leaveTitle }).waitFor();
        await look('leave');
        await page.context().close();
      }
    }
  });
});

describe('a secret that is shown once', () => {
  test('asks before a reload: a calendar feed and a webhook', async () => {
    const page = await visit(way.url, '/spaces', LAPTOP);
    await signIn(page, key);
    await page.getByRole('button', { name: 'Calendar feed, Riverside Studio' }).click();
    await page.getByRole('button', { name: 'Make a new address' }).click();
    await page.getByRole('textbox', { name: 'Feed address' }).waitFor();
    await asksBeforeReload(page);
    await page.keyboard.press('Escape');
    await page.getByRole('alert').filter({ hasText: 'not copied it yet' }).waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await goTo(page, 'Webhooks');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    const add = page.getByRole('dialog', { name: 'Add webhook' });
    await add.getByRole('textbox', { name: 'URL' }).fill('http://127.0.0.1:9/hook');
    await add.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByRole('textbox', { name: 'Signing secret' }).waitFor();
    await asksBeforeReload(page);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  });
});

describe('the app', () => {
  test('can be installed, says Chromium, and /console itself is in its scope', async () => {
    const folder = makeFolder();
    const context = await openProfile(folder.path);
    const page = await context.newPage();
    await page.goto(`${way.url}/console`);
    await controlled(page);
    assert.match(page.url(), /\/hourkeep\/console$/);
    const chromium = await context.newCDPSession(page);
    const { installabilityErrors } = await chromium.send('Page.getInstallabilityErrors');
    assert.deepEqual(installabilityErrors, []);
    const manifest = await chromium.send('Page.getAppManifest');
    assert.deepEqual(manifest.errors, []);
    assert.match(manifest.url, /\/console\/manifest\.webmanifest$/);
    await context.close();
    folder.remove();
  });

  const offline = (page: Page, words: Words = english) =>
    page.getByRole('status', { name: words.offline.title });

  for (const [name, options] of [
    ['390', PHONE],
    ['1360', LAPTOP],
  ] as const) {
    test(`reads Today, weeks and bookings without a connection, and changes nothing: ${name}`, async () => {
      const week = `/calendar?space=${spaceId}&view=week&date=${dayOfSpace(8)}`;
      const page = await visit(way.url, week, options);
      await signIn(page, key, true);
      await page.getByText('Cleo Brandt').waitFor();
      await goTo(page, 'Bookings');
      await page.getByText('Cleo Brandt').waitFor();
      await goTo(page, 'Today');
      await page.getByText('Ada Miller').first().waitFor();
      await page.getByText(/left today/).waitFor();
      await controlled(page);
      await page.getByText(/left today/).waitFor();
      way.cut(true);
      await page.goto(`${way.url}/console`);
      await offline(page).waitFor();
      assert.match((await offline(page).textContent()) ?? '', /Offline.*data from \d{1,2}:\d\d/);
      await page.getByText('Ada Miller').first().waitFor();
      await page.getByText(/left today/).waitFor();
      await assertAccessible(page, `offline-today-${name}`);
      // What was opened before comes from this device, as does the rest of the program.
      await page.goto(`${way.url}/console${week}`);
      await page.getByText('Cleo Brandt').waitFor();
      await keepPicture(page, `offline-week-${name}`);
      await cell(page, dayOfSpace(8), 14, 'available').click();
      const dialog = page.getByRole('dialog', { name: 'Hours' });
      assert.ok(await dialog.getByRole('button', { name: 'Book hours' }).isDisabled());
      await dialog.getByText('nothing can be changed').first().waitFor();
      await page.keyboard.press('Escape');
      await goTo(page, 'Bookings');
      await page.getByRole('row').filter({ hasText: 'Ben Okafor' }).waitFor();
      await page.getByRole('button', { name: 'Cleo Brandt' }).click();
      assert.ok(
        await page
          .getByRole('dialog', { name: 'Booking' })
          .getByRole('button', { name: 'Cancel booking' })
          .isDisabled(),
      );
      await page.keyboard.press('Escape');
      await page.getByRole('searchbox', { name: 'Find a guest' }).fill('okaf');
      await page.getByRole('row').filter({ hasText: 'Cleo' }).waitFor({ state: 'detached' });
      await page.getByRole('row').filter({ hasText: 'Ben Okafor' }).waitFor();
      await keepPicture(page, `offline-bookings-${name}`);
      // What is not kept says so and is no empty page.
      await goTo(page, 'Money');
      await page.getByRole('alert').filter({ hasText: 'not available offline' }).first().waitFor();
      await page.goto(`${way.url}/console/calendar?space=${spaceId}&view=week&date=${dayOfSpace(100)}`);
      await page.getByRole('alert').filter({ hasText: 'not available offline' }).first().waitFor();
      // With the connection everything goes on by itself.
      way.cut(false);
      await page.getByRole('button', { name: 'Try again' }).first().click();
      await offline(page).waitFor({ state: 'detached' });
      await cell(page, dayOfSpace(100), 14, 'available').waitFor();
      await page.getByRole('alert').waitFor({ state: 'detached' });
    });
  }

  test('goes offline where it stands when the connection is lost, and on when it is back', async () => {
    const page = await visit(way.url, '', LAPTOP);
    await signIn(page, key, true);
    await page.getByText(/left today/).waitFor();
    await page.context().setOffline(true);
    await offline(page).waitFor();
    await goTo(page, 'Calendar');
    await page
      .getByRole('gridcell', { name: /, booked$/ })
      .first()
      .waitFor();
    await page.context().setOffline(false);
    await offline(page).waitFor({ state: 'detached' });
  });

  test('says offline in three languages', async () => {
    for (const [locale, words] of LANGUAGES) {
      const page = await visit(way.url, '', { ...PHONE, locale });
      await page.getByRole('checkbox', { name: words.signIn.stay }).check();
      await signIn(page, key, false, words);
      await page.getByText('Ada Miller').first().waitFor();
      await controlled(page);
      await page.getByText('Ada Miller').first().waitFor();
      way.cut(true);
      await page.reload();
      await offline(page, words).waitFor();
      await page.getByText('Ada Miller').first().waitFor();
      await assertAccessible(page, `offline-${locale}`);
      way.cut(false);
      await page.context().close();
    }
  });

  test('after a day without a connection shows that day’s guests, after a week says that it knows none', async () => {
    const page = await visit(way.url, '', PHONE);
    await signIn(page, key, true);
    await page.getByText('Ada Miller').first().waitFor();
    await controlled(page);
    await page.getByText('Ada Miller').first().waitFor();
    way.cut(true);
    await page.clock.install({ time: world.clock.now() + DAY_MS });
    await page.reload();
    const guests = page.getByRole('list', { name: 'Guests today' });
    await guests.getByText('Ben Okafor').waitFor();
    assert.equal(await guests.getByText('Ada Miller').count(), 0);
    // The time has its day now.
    assert.match((await offline(page).textContent()) ?? '', /data from [A-Z][a-z]{2} \d/);
    await page.clock.setSystemTime(world.clock.now() + 9 * DAY_MS);
    await page.reload();
    await offline(page).waitFor();
    await page.getByRole('alert').filter({ hasText: 'not available offline' }).first().waitFor();
    assert.equal(await page.getByText('Nobody').count(), 0);
    // The phone comes out of the drawer: with a connection it goes on.
    way.cut(false);
    await page.reload();
    await page.getByRole('heading', { name: /^Guests today/ }).waitFor();
    await offline(page).waitFor({ state: 'detached' });
  });

  test('deletes what is kept after 30 days', async () => {
    const page = await visit(way.url, '', PHONE);
    await signIn(page, key, true);
    await page.getByText('Ada Miller').first().waitFor();
    await controlled(page);
    await page.getByText('Ada Miller').first().waitFor();
    way.cut(true);
    await page.clock.install({ time: Date.now() + 31 * DAY_MS });
    await page.reload();
    await page.getByRole('alert').filter({ hasText: 'Check your connection' }).waitFor();
    assert.deepEqual(await violations(page), []);
    assert.ok(!(await page.evaluate<string>(EVERYTHING_KEPT)).includes('Ada Miller'));
    way.cut(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: /^Guests today/ }).waitFor();
  });

  test('of a session that has ended meanwhile deletes what is kept with the first answer', async () => {
    const lost = await world.addKey(hostId);
    const page = await visit(way.url, '', PHONE);
    await signIn(page, lost.key, true);
    await page.getByText('Ada Miller').first().waitFor();
    await controlled(page);
    await page.getByText('Ada Miller').first().waitFor();
    way.cut(true);
    await page.reload();
    await page.getByText('Ada Miller').first().waitFor();
    await revoke(lost.id);
    way.cut(false);
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByRole('textbox', { name: 'API key' }).waitFor();
    assert.equal(await page.getByText('Ada Miller').count(), 0);
    assert.ok(!(await page.evaluate<string>(EVERYTHING_KEPT)).includes('Ada Miller'));
  });

  test('that is not remembered says without a connection that there is none, and keeps no guest', async () => {
    const page = await visit(way.url, '', PHONE);
    await signIn(page, key);
    await page.getByText('Ada Miller').first().waitFor();
    await controlled(page);
    await page.getByText('Ada Miller').first().waitFor();
    way.cut(true);
    await page.reload();
    await page.getByRole('alert').filter({ hasText: 'Check your connection' }).waitFor();
    assert.equal(await page.getByText('Ada Miller').count(), 0);
    way.cut(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Ada Miller').first().waitFor();
  });

  test('runs the new version with the first load after an update, and never shows an empty page', async () => {
    const page = await visit(way.url, '/spaces', LAPTOP);
    const mainScript = (): Promise<string> =>
      page.evaluate("document.querySelector('script[type=module]').src.split('/').pop()") as Promise<string>;
    await signIn(page, key, true);
    await goTo(page, 'Today');
    await page.getByText('Ada Miller').first().waitFor();
    await controlled(page);
    await page.getByText('Ada Miller').first().waitFor();
    // An old page is still open when the update comes: its other screens are there all the same.
    way.deploy('second');
    await goTo(page, 'Money');
    await page.getByRole('textbox', { name: 'Month' }).waitFor();
    await page.goto(`${way.url}/console/today`);
    assert.equal(await mainScript(), 'index-second.js');
    await page.getByText('Ada Miller').first().waitFor();
    // The connection is lost before the new version is all there, or after it: either opens.
    way.cut(true);
    await page.reload();
    await offline(page).waitFor();
    await page.getByText('Ada Miller').first().waitFor();
    way.cut(false);
    await page.reload();
    await until(page, opensWith('index-second.js'));
    way.cut(true);
    await page.reload();
    assert.equal(await mainScript(), 'index-second.js');
    await page.getByText('Ada Miller').first().waitFor();
    // Two updates while the phone lay in a drawer.
    way.cut(false);
    way.deploy('third');
    way.deploy('fourth');
    await page.clock.install({ time: Date.now() + 7 * DAY_MS });
    await page.reload();
    assert.equal(await mainScript(), 'index-fourth.js');
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    await until(page, opensWith('index-fourth.js'));
    await until(
      page,
      'caches.keys().then((all) => all.filter((name) => name.includes("shell")).length === 2)',
    );
  });
});

/** Loads the page anew once the service worker has everything, so that it is in charge. */
async function controlled(page: Page): Promise<void> {
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  await page.reload();
  assert.equal(await page.evaluate('navigator.serviceWorker.controller !== null'), true);
}

/** The browser asks in its own words; the person stays. */
async function asksBeforeReload(page: Page): Promise<void> {
  const asked = page.waitForEvent('dialog');
  const reloading = page.evaluate('setTimeout(() => location.reload())');
  const dialog = await asked;
  assert.equal(dialog.type(), 'beforeunload');
  await dialog.dismiss();
  await reloading;
}

/** Asks the page until it says yes. */
async function until(page: Page, expression: string): Promise<void> {
  while ((await page.evaluate(expression)) !== true) await page.waitForTimeout(50);
}

/** Whether the service worker in charge would open the page with this file. */
const opensWith = (
  file: string,
): string => `navigator.serviceWorker.ready.then(async ({ active, waiting, installing }) => {
  if (waiting || installing || active.state !== 'activated') return false;
  const newest = (await caches.keys()).filter((name) => name.includes('shell')).at(-1);
  const page = await caches.match(document.baseURI, { cacheName: newest });
  return page !== undefined && (await page.text()).includes('${file}');
})`;

/** All that scripts can reach of what a browser keeps, as text. */
const EVERYTHING_KEPT = `(async () => {
  const texts = [JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie, location.href];
  texts.push(JSON.stringify(await indexedDB.databases()));
  for (const name of await caches.keys())
    for (const answer of await (await caches.open(name)).matchAll()) texts.push(name, await answer.text());
  return texts.join('\\n');
})()`;

/** What stands between the browser and the service: it can be cut, and it can bring another version of the console. */
interface Way {
  url: string;
  cut(is: boolean): void;
  /** From now on the console's main script has another name, and the old one is gone. */
  deploy(version: string): void;
  close(): Promise<void>;
}

async function openWay(to: string): Promise<Way> {
  let isCut = false;
  let version: string | undefined;
  const main = /assets\/(index-[\w-]+\.js)/.exec(await (await fetch(`${to}/console`)).text())![1]!;
  const { origin, pathname } = new URL(to);
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const renamed = version && `index-${version}.js`;
    const path = request.url!;
    if (renamed !== undefined && path.includes(main)) return void response.writeHead(404).end();
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk as Buffer);
    const {
      connection: _c,
      host: _h,
      'accept-encoding': _a,
      'content-length': _l,
      ...headers
    } = request.headers;
    const answer = await fetch(origin + (renamed ? path.replace(renamed, main) : path), {
      method: request.method!,
      headers: headers as Record<string, string>,
      redirect: 'manual',
      ...(body.length > 0 && { body: Buffer.concat(body) }),
    });
    const type = answer.headers.get('content-type') ?? '';
    let content = Buffer.from(await answer.arrayBuffer());
    if (renamed !== undefined && /html|javascript/.test(type)) {
      const text = content.toString().replaceAll(main, renamed);
      content = Buffer.from(text.replace(/VERSION="\w+"/, `VERSION="${version}"`));
    }
    const own = Object.fromEntries(answer.headers);
    delete own['content-length'];
    delete own['content-encoding'];
    delete own['transfer-encoding'];
    response.writeHead(answer.status, { ...own, 'set-cookie': answer.headers.getSetCookie() }).end(content);
  };
  const server = createServer((request, response) => {
    if (isCut) request.socket.destroy();
    else pass(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    cut: (is) => {
      isCut = is;
      if (is) server.closeAllConnections();
    },
    deploy: (next) => {
      version = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
