import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { after, afterEach, describe, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import * as invitations from '../../src/api-keys/invitations.ts';
import { SCOPES } from '../../src/ids/scopes.ts';
import { operator } from '../support/operator.ts';
import { makeFolder } from '../support/process.ts';
import { until } from '../support/until.ts';
import { openProfile } from './chromium.ts';
import {
  alertOf,
  button,
  cell,
  closed,
  dialogOf,
  goTo,
  hasFocus,
  inNewYork,
  maySeeClipboard,
  newHost,
  opener,
  PHONE,
  press,
  revoke,
  row,
  sees,
  signIn,
  textbox,
  toastOf,
  visit,
  world,
} from './console-support.ts';

// npm run test:browser: sessions, keys, secrets that are shown once, and the console as an app without a connection.

const LAPTOP: BrowserContextOptions = { viewport: { width: 1360, height: 850 }, serviceWorkers: 'allow' };
const POCKET: BrowserContextOptions = { ...PHONE, serviceWorkers: 'allow' };
const DAY_MS = 86_400_000;

const { hostId, key, book, calendar } = await newHost('Riverside Studio');
const way = await openWay(world.url);
const open = opener(way.url, key);
afterEach(() => way.cut(false));
after(() => way.close());

/** On a day of the space's clock, counted from today. */
const dayOfSpace = (days: number): string => inNewYork(world.clock.now() + days * DAY_MS).date;
// Walks in, so that she is there today whatever the time is.
const { date: today, hour } = inNewYork(world.clock.now());
await book(today, hour, 'Ada Miller', { walk_in: true, end_hour: hour + 1 });
await book(dayOfSpace(1), 9, 'Ben Okafor');
await book(dayOfSpace(8), 10, 'Cleo Brandt');

const statusOf = async (method: string, path: string, call: Parameters<typeof world.call>[2]) =>
  (await world.call(method, path, call)).status;

describe('signing in', () => {
  for (const [environment, words] of [
    ['production', 'Live'],
    ['sandbox', 'Test'],
  ] as const)
    test(`shows ${words} and Today first, with the focus at the heading`, async () => {
      const page = await visit(way.url);
      const stay = page.getByRole('checkbox', { name: 'Stay signed in on this device' });
      assert.equal(await stay.isChecked(), false);
      await textbox(page, 'API key').fill((await world.addKey(hostId, { environment })).key);
      await page.keyboard.press('Enter');
      await hasFocus(page.getByRole('heading', { level: 1, name: 'Today' }));
      assert.equal(await page.getByRole('status', { name: 'Environment' }).textContent(), words);
    });

  test('is refused with the API’s words and request id, and keeps what was typed', async () => {
    const old = await world.addKey(hostId);
    await revoke(old.id);
    const page = await visit(way.url);
    for (const [wrong, message] of [
      ['nonsense', /Unauthorized/],
      [old.key, /revoked/],
      ['ключ', /Unauthorized/],
    ] as const) {
      await textbox(page, 'API key').fill(wrong);
      await press(page, 'Sign in');
      const alert = await alertOf(page, message);
      assert.match((await alert.textContent()) ?? '', /Request id [\w-]{8,}/);
      assert.equal(await textbox(page, 'API key').inputValue(), wrong);
    }
  });
});

describe('a session', () => {
  test('sends the key once and keeps it nowhere; a reload stays signed in', async () => {
    const page = await visit(way.url, '/money?month=2026-01', LAPTOP);
    const sent: { url: string; headers: Record<string, string>; body: string | null }[] = [];
    page.on('request', (request) =>
      sent.push({ url: request.url(), headers: request.headers(), body: request.postData() }),
    );
    await signIn(page, key, true);
    await goTo(page, 'today');
    await sees(page, /left today/);
    await page.reload();
    await sees(page, /left today/);
    await page.goto(`${way.url}/console/money?month=2026-01`);
    assert.equal(await textbox(page, 'Month').inputValue(), '2026-01');
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
    assert.ok(await keeps(page, 'Ada Miller'), 'it looks where things are kept');
    assert.ok(!(await keeps(page, key)));
    assert.ok(!(await page.content()).includes(key));
    const [cookie] = await page.context().cookies(`${way.url}/console`);
    assert.equal(cookie?.httpOnly, true);
    assert.ok(!cookie.value.includes(key));
  });

  test('that is not remembered keeps nothing at all, and says without a connection that there is none', async () => {
    const page = await visit(way.url, '/bookings', POCKET);
    await signIn(page, key);
    await sees(page, 'Ben Okafor');
    await controlled(page, 'Ben Okafor');
    assert.equal(
      await page.evaluate('sessionStorage.length + localStorage.length + document.cookie.length'),
      0,
    );
    assert.ok(!(await keeps(page, 'Okafor')));
    const [cookie] = await page.context().cookies(`${way.url}/console`);
    assert.equal(cookie?.expires, -1);
    way.cut(true);
    await page.reload();
    await alertOf(page, 'Check your connection');
    assert.equal(await page.getByText('Ben Okafor').count(), 0);
    way.cut(false);
    await press(page, 'Try again');
    await sees(page, 'Ben Okafor');
  });

  test('that was signed out is over, also where there was no connection to say so', async () => {
    const page = await visit(way.url, '/spaces', LAPTOP);
    await signIn(page, key, true);
    await controlled(page);
    await page
      .getByRole('textbox', { name: /^Title/ })
      .first()
      .waitFor();
    const cookies = await page.context().cookies(`${way.url}/console`);
    way.cut(true);
    await press(page, 'Sign out');
    await textbox(page, 'API key').waitFor();
    assert.ok(!(await keeps(page, 'Riverside Studio')));
    // Nobody comes back to it, neither without a connection nor with the next one.
    await page.reload();
    await textbox(page, 'API key').waitFor();
    way.cut(false);
    const told = page.waitForResponse((answer) => answer.request().method() === 'DELETE');
    await page.reload();
    assert.equal((await told).status(), 200);
    await textbox(page, 'API key').waitFor();
    const headers = {
      cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
      'x-hourkeep-console': '1',
    };
    assert.equal(await statusOf('GET', '/console/session', { headers }), 401);
    assert.equal(await page.evaluate('localStorage.length'), 0);
  });

  test('of a key that is revoked ends with the next request, says why and leads back to where it was', async () => {
    const old = await world.addKey(hostId);
    const page = await visit(way.url, calendar({ date: dayOfSpace(30) }), LAPTOP);
    await signIn(page, old.key, true);
    await controlled(page);
    await cell(page, dayOfSpace(30), 9, 'available').waitFor();
    await revoke(old.id);
    await press(page, 'Next');
    await alertOf(page, 'is revoked or expired');
    assert.ok(!(await keeps(page, 'Riverside Studio')));
    await page.reload();
    await alertOf(page, 'is revoked or expired');
    await signIn(page, key);
    await page.getByRole('grid', { name: 'Calendar' }).waitFor();
    assert.match(page.url(), /view=day/);
  });

  test('that ends by itself says so, and not that the key is wrong', async () => {
    const page = await open('/spaces', LAPTOP);
    await textbox(page, 'Title, Riverside Studio').waitFor();
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Money' }).click();
    await alertOf(page, 'Your session has ended');
    await signIn(page, key);
    await page.getByRole('heading', { level: 1, name: 'Money' }).waitFor();
  });

  test('is one for all tabs: whoever signs in with another key changes them all', async () => {
    const sandbox = await world.addKey(hostId, { environment: 'sandbox' });
    const page = await visit(way.url, '', LAPTOP);
    await signIn(page, key);
    const other = await page.context().newPage();
    await other.goto(`${way.url}/console`);
    await press(other, 'Sign out');
    await textbox(page, 'API key').waitFor();
    await signIn(other, sandbox.key);
    await page.getByRole('status', { name: 'Environment' }).filter({ hasText: 'Test' }).waitFor();
  });
});

describe('keys', () => {
  test('are made for somebody else, shown once, and revoked after a question', async () => {
    const page = await open('/keys', LAPTOP);
    await maySeeClipboard(page);
    const table = page.getByRole('table', { name: 'Keys' });
    // Its own cannot be revoked.
    assert.equal(await row(table, 'This console').getByRole('button').count(), 0);
    await press(page, 'Make a key');
    const dialog = dialogOf(page, 'Make a key');
    const access = dialog.getByRole('radiogroup', { name: 'Access' });
    for (const name of ['Everything', 'Read only', 'Money only', 'Custom'])
      await access.getByRole('radio', { name, exact: true }).waitFor();
    await textbox(dialog, 'Name').fill('Accountant');
    await access.getByRole('radio', { name: 'Money only' }).check();
    await press(dialog, 'Make key');
    const once = dialogOf(page, 'New key');
    const text = await textbox(once, 'New key').inputValue();
    assert.match(text, /^hk_live_\w{36}$/);
    await asksBeforeReload(page);
    await press(once, 'Copy');
    await sees(once, 'Copied.');
    await press(once, 'I have saved it');
    const line = row(table, 'Accountant');
    for (const words of ['Money only', 'Never']) await sees(line, words);
    const earnings = (): Promise<number> => statusOf('GET', '/api-earnings/api/v1/earnings', { key: text });
    assert.equal(await earnings(), 200);
    assert.equal(await statusOf('GET', '/api-webhooks/api/v1/webhooks', { key: text }), 403);
    await press(line, 'Revoke');
    const question = dialogOf(page, 'Revoke key');
    await sees(question, 'Accountant');
    await press(question, 'Revoke key');
    await closed(line);
    assert.equal(await earnings(), 401);
    // Its button is gone: the focus stands at the heading.
    await hasFocus(page.getByRole('heading', { level: 1, name: 'Keys' }));
  });

  test('have the scopes that were chosen one by one', async () => {
    const page = await open('/keys', LAPTOP);
    await press(page, 'Make a key');
    const dialog = dialogOf(page, 'Make a key');
    await textbox(dialog, 'Name').fill('Door');
    await dialog.getByRole('radio', { name: 'Custom' }).check();
    assert.equal(await dialog.getByRole('checkbox').count(), SCOPES.length);
    await dialog.getByRole('checkbox', { name: 'bookings:read', exact: true }).check();
    await press(dialog, 'Make key');
    await press(page, 'I have saved it');
    await sees(row(page, 'Door'), 'bookings:read');
  });

  test('are not offered to a key without keys:write, and its address says what is missing', async () => {
    const plain = await world.addKey(hostId);
    const page = await open('/keys', LAPTOP, plain.key);
    await sees(page, 'lacks the scope keys:write');
    assert.ok(await button(page, 'Make a key').isDisabled());
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    const names = ['Today', 'Calendar', 'Bookings', 'Money', 'Spaces', 'Webhooks'];
    assert.deepEqual(await links.allTextContents(), names);
  });
});

describe('an invitation', () => {
  test('becomes a key that is shown once, copied, and signs in at once and for 30 days', async () => {
    const page = await visit(way.url, (await invite()).path, LAPTOP);
    await maySeeClipboard(page);
    const stay = page.getByRole('checkbox', { name: 'Stay signed in on this device' });
    assert.equal(await stay.isChecked(), true);
    assert.match(page.url(), /\/console\/welcome$/);
    await button(page, 'Make my key').press('Enter');
    const region = page.getByRole('region', { name: 'Your key' });
    await hasFocus(region);
    await toastOf(page, 'Your key is ready');
    const text = await textbox(page, 'Your key').inputValue();
    assert.match(text, /^hk_live_\w{36}$/);
    assert.match(page.url(), /\/console\/today$/);
    await press(page, 'Copy');
    await sees(page, 'Copied.');
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), text);
    // On every screen, until the person has it, and nobody asks who has copied it.
    await goTo(page, 'spaces');
    assert.equal(await textbox(page, 'Your key').inputValue(), text);
    await press(page, 'I have saved it');
    await closed(region);
    await hasFocus(page.getByRole('heading', { level: 1, name: 'Spaces' }));
    const [cookie] = await page.context().cookies(`${way.url}/console`);
    assert.ok(cookie!.expires * 1000 - Date.now() > 29 * DAY_MS);
    assert.ok(!(await keeps(page, text)));
    await press(page, 'Sign out');
    await signIn(page, text);
  });

  test('asks before its key is lost: Sign out, another screen, Back, reload', async () => {
    const page = await visit(way.url, (await invite()).path, LAPTOP);
    await press(page, 'Make my key');
    const shown = textbox(page, 'Your key');
    const text = await shown.inputValue();
    const question = dialogOf(page, 'Leave without saving the key?');
    for (const leave of [
      () => press(page, 'Sign out'),
      () => page.getByRole('link', { name: 'Calendar' }).click(),
      () => page.evaluate('history.back()'),
    ]) {
      await leave();
      await press(question, 'Cancel');
      await closed(question);
      await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    }
    await asksBeforeReload(page);
    assert.equal(await shown.inputValue(), text);
    // Whoever leaves all the same does.
    await page.getByRole('link', { name: 'Calendar' }).click();
    await press(question, 'Leave without it');
    await page.getByRole('heading', { level: 1, name: 'Calendar' }).waitFor();
    assert.equal(await shown.count(), 0);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Calendar' }).waitFor();
  });

  test('that was used, is too old, was withdrawn or is not known says so in plain words', async () => {
    const used = await invite();
    await world.call('POST', '/console/claim', { body: { token: used.path.split('#')[1] } });
    const old = await invite(1);
    const withdrawn = await invite();
    await world.ctx.db.transaction((tx) =>
      invitations.revokeOrWithdraw(tx, world.clock.now(), operator, withdrawn.id),
    );
    world.clock.advance({ seconds: 1 });
    for (const [path, words] of [
      [used.path, 'This link has been used'],
      [old.path, 'This link has expired.'],
      [withdrawn.path, 'Your operator has withdrawn this link.'],
      ['/welcome#nonsense', 'Unknown link.'],
    ] as const) {
      const page = await visit(way.url, path);
      await press(page, 'Make my key');
      const alert = await alertOf(page, words);
      assert.match((await alert.textContent()) ?? '', /Request id [\w-]{8,}/);
    }
    const page = await visit(way.url, '/welcome');
    await alertOf(page, 'The end of the link is missing.');
  });
});

describe('a secret that is shown once', () => {
  for (const [what, path, make] of [
    [
      'Feed address',
      '/spaces',
      async (page) => {
        await press(page, 'Calendar feed, Riverside Studio');
        await press(page, 'Make a new address');
      },
    ],
    [
      'Signing secret',
      '/webhooks',
      async (page) => {
        await press(page, 'Add webhook');
        await textbox(page, 'URL').fill('http://127.0.0.1:9/hook');
        await press(dialogOf(page, 'Add webhook'), 'Add webhook');
      },
    ],
  ] as [string, string, (page: Page) => Promise<void>][])
    test(`is asked for before a reload, and stays when the session ends: ${what}`, async () => {
      const own = await world.addKey(hostId);
      const page = await open(path, LAPTOP, own.key);
      await make(page);
      const secret = await textbox(page, what).inputValue();
      await asksBeforeReload(page);
      const other = await page.context().newPage();
      await other.goto(`${way.url}/console`);
      await press(other, 'Sign out');
      await button(page, 'Sign in').waitFor();
      assert.equal(await page.locator('.new-key input').inputValue(), secret);
      await press(page, 'I have saved it');
      await closed(page.locator('.new-key'));
    });
});

describe('the app', () => {
  /** On a device that stays signed in, with the service worker in charge and Today kept. */
  async function installed(options = POCKET, ownKey = key): Promise<Page> {
    const page = await visit(way.url, '', options);
    await signIn(page, ownKey, true);
    await sees(page, 'Ada Miller');
    await controlled(page, 'Ada Miller');
    return page;
  }
  const offline = (page: Page) => page.getByRole('status', { name: 'Offline' });

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

  for (const [name, options] of [
    ['390', POCKET],
    ['1360', LAPTOP],
  ] as const)
    test(`reads Today, weeks and bookings without a connection, and changes nothing: ${name}`, async () => {
      const week = calendar({ view: 'week', date: dayOfSpace(8) });
      const page = await visit(way.url, week, options);
      await signIn(page, key, true);
      await sees(page, 'Cleo Brandt');
      await goTo(page, 'bookings');
      await sees(page, 'Cleo Brandt');
      await goTo(page, 'today');
      await sees(page, /left today/);
      await controlled(page, /left today/);
      way.cut(true);
      await page.goto(`${way.url}/console`);
      await offline(page).waitFor();
      assert.match((await offline(page).textContent()) ?? '', /Offline.*data from \d{1,2}:\d\d/);
      await sees(page, 'Ada Miller');
      await sees(page, /left today/);
      // What was opened before comes from this device, as does the rest of the program.
      await page.goto(`${way.url}/console${week}`);
      await sees(page, 'Cleo Brandt');
      await cell(page, dayOfSpace(8), 14, 'available').click();
      assert.ok(await button(page, 'Book hours').isDisabled());
      await sees(dialogOf(page, 'Hours'), 'nothing can be changed');
      await page.keyboard.press('Escape');
      await goTo(page, 'bookings');
      await press(page, 'Cleo Brandt');
      assert.ok(await button(page, 'Cancel booking').isDisabled());
      await page.keyboard.press('Escape');
      await page.getByRole('searchbox', { name: 'Find a guest' }).fill('okaf');
      await closed(row(page, 'Cleo'));
      await row(page, 'Ben Okafor').waitFor();
      // What is not kept says so and is no empty page.
      await goTo(page, 'money');
      await alertOf(page, 'not available offline');
      await page.goto(`${way.url}/console${calendar({ view: 'week', date: dayOfSpace(100) })}`);
      await alertOf(page, 'not available offline');
      // With the connection everything goes on by itself.
      way.cut(false);
      await button(page, 'Try again').first().click();
      await offline(page).waitFor({ state: 'detached' });
      await cell(page, dayOfSpace(100), 14, 'available').waitFor();
      await page.getByRole('alert').waitFor({ state: 'detached' });
    });

  test('goes offline where it stands when the connection is lost, and on when it is back', async () => {
    const page = await installed(LAPTOP);
    await page.context().setOffline(true);
    await offline(page).waitFor();
    await goTo(page, 'calendar');
    await page
      .getByRole('gridcell', { name: /, booked$/ })
      .first()
      .waitFor();
    await page.context().setOffline(false);
    await offline(page).waitFor({ state: 'detached' });
  });

  test('shows after a day that day’s guests, after a week that it knows none, and nothing after 30 days', async () => {
    const page = await installed();
    way.cut(true);
    await page.clock.install({ time: world.clock.now() + DAY_MS });
    await page.reload();
    const guests = page.getByRole('list', { name: 'Guests today' });
    await sees(guests, 'Ben Okafor');
    assert.equal(await guests.getByText('Ada Miller').count(), 0);
    // The time has its day now.
    assert.match((await offline(page).textContent()) ?? '', /data from [A-Z][a-z]{2} \d/);
    await page.clock.setSystemTime(world.clock.now() + 9 * DAY_MS);
    await page.reload();
    await offline(page).waitFor();
    await alertOf(page, 'not available offline');
    assert.equal(await page.getByText('Nobody').count(), 0);
    await page.clock.setSystemTime(world.clock.now() + 31 * DAY_MS);
    await page.reload();
    await alertOf(page, 'Check your connection');
    assert.ok(!(await keeps(page, 'Ada Miller')));
    // The phone comes out of the drawer: with a connection it goes on.
    way.cut(false);
    await press(page, 'Try again');
    await page.getByRole('heading', { name: /^Guests today/ }).waitFor();
    assert.equal(await offline(page).count(), 0);
  });

  test('of a session that has ended meanwhile deletes what is kept with the first answer', async () => {
    const lost = await world.addKey(hostId);
    const page = await installed(POCKET, lost.key);
    way.cut(true);
    await page.reload();
    await sees(page, 'Ada Miller');
    await revoke(lost.id);
    way.cut(false);
    await button(page, 'Try again').first().click();
    await textbox(page, 'API key').waitFor();
    assert.equal(await page.getByText('Ada Miller').count(), 0);
    assert.ok(!(await keeps(page, 'Ada Miller')));
  });

  test('runs the new version with the first load after an update, and never shows an empty page', async () => {
    const page = await installed(LAPTOP);
    const mainScript = (): Promise<unknown> =>
      page.evaluate("document.querySelector('script[type=module]').src.split('/').pop()");
    // An old page is still open when the update comes: its other screens are there all the same.
    way.deploy('second');
    await goTo(page, 'money');
    await textbox(page, 'Month').waitFor();
    await page.goto(`${way.url}/console/today`);
    assert.equal(await mainScript(), 'index-second.js');
    await sees(page, 'Ada Miller');
    // The connection is lost before the new version is all there, or after it: either opens.
    way.cut(true);
    await page.reload();
    await offline(page).waitFor();
    await sees(page, 'Ada Miller');
    way.cut(false);
    await page.reload();
    await until(async () => (await page.evaluate(opensWith('index-second.js'))) === true);
    way.cut(true);
    await page.reload();
    assert.equal(await mainScript(), 'index-second.js');
    await sees(page, 'Ada Miller');
    // Two updates while the phone lay in a drawer.
    way.cut(false);
    way.deploy('third');
    way.deploy('fourth');
    await page.clock.install({ time: Date.now() + 7 * DAY_MS });
    await page.reload();
    assert.equal(await mainScript(), 'index-fourth.js');
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    await until(async () => (await page.evaluate(opensWith('index-fourth.js'))) === true);
    const shells = 'caches.keys().then((all) => all.filter((name) => name.includes("shell")).length)';
    await until(async () => (await page.evaluate(shells)) === 2);
  });
});

/** A new invitation to the console. */
async function invite(linkMs = 3_600_000): Promise<{ id: string; path: string }> {
  const invitation = { hostId, environment: 'production', name: 'Console', scopes: SCOPES, linkMs } as const;
  const { ctx } = world;
  const { id, url } = await ctx.db.transaction((tx) =>
    invitations.invite(tx, ctx.clock.now(), operator, ctx.config, invitation),
  );
  return { id, path: `/welcome${new URL(url).hash}` };
}

/** Loads the page anew once the service worker has everything, so that it is in charge, and waits for these words. */
async function controlled(page: Page, words?: string | RegExp): Promise<void> {
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  await page.reload();
  assert.equal(await page.evaluate('navigator.serviceWorker.controller !== null'), true);
  if (words !== undefined) await sees(page, words);
}

/** Whether this is in anything that scripts can reach of what a browser keeps. */
async function keeps(page: Page, text: string): Promise<boolean> {
  const all = await page.evaluate<string>(EVERYTHING_KEPT);
  return all.includes(text);
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
