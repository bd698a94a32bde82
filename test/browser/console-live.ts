import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import english from '../../console/src/languages/en.ts';
import { TestClock } from '../support/clock.ts';
import { engines } from '../support/engines.ts';
import { startWorld } from '../support/world.ts';
import {
  alertOf,
  button,
  cell,
  choose,
  closed,
  daysFromNow,
  goTo,
  hasFocus,
  newHost,
  newPage,
  press,
  sees,
  textbox,
  toastOf,
  WIDE,
  world,
} from './console-support.ts';

// npm run test:browser: what others change shows by itself, rivals, refusals and outages, and where the focus stands.

const { hostId, key, book: bookTwo, bookings, cancel, ...house } = await newHost('Riverside Studio', 'Loft');
const date = daysFromNow(20);
const calendar = (view = 'week'): string => house.calendar({ view, date });
/** An hour of that day. */
const book = (start_hour: number, guest: string, more = {}): Promise<string> =>
  bookTwo(date, start_hour, guest, { end_hour: start_hour + 1, ...more });
const open = house.open;

async function fillIn(page: Page, guest: string): Promise<void> {
  await textbox(page, 'Guest name').fill(guest);
  await textbox(page, 'Guest email').fill('guest@example.com');
}

async function block(page: Page, hour: number): Promise<void> {
  await cell(page, date, hour, 'available').click();
  await page.getByRole('tab', { name: 'Block' }).click();
  await press(page, 'Block hours');
  await button(page, 'Undo').waitFor();
}

describe('changes by others', () => {
  test('show within 30 s without a reload, with a toast, and a count in the title until the focus is back', async () => {
    const { page, wait, looks } = await watching(calendar());
    await cell(page, date, 9, 'available').waitFor();
    await setFocus(page, false);
    const id = await book(9, 'Ada Miller');
    await wait(21);
    await cell(page, date, 9, 'booked').waitFor();
    await toastOf(page, /New booking: Ada Miller, .*9 AM . 10 AM/);
    assert.match(await page.title(), /^\(1\) Calendar/);
    world.clock.advance({ seconds: 20 });
    await cancel(id);
    await wait(21);
    await cell(page, date, 9, 'available').waitFor();
    await toastOf(page, 'Cancelled: Ada Miller');
    assert.match(await page.title(), /^\(2\) Calendar/);
    await setFocus(page, true);
    assert.match(await page.title(), /^Calendar/);
    const before = looks();
    await wait(61);
    assert.ok(looks() - before <= 3, `${looks() - before} requests in a minute`);
  });

  test('tell of a move once, in its new place', async () => {
    const id = await book(13, 'Ben Okafor');
    const { page, wait } = await watching(calendar());
    await cell(page, date, 13, 'booked').waitFor();
    world.clock.advance({ seconds: 20 });
    await book(15, 'Ben Okafor', { replaces: id });
    await wait(21);
    await cell(page, date, 15, 'booked').waitFor();
    await cell(page, date, 13, 'available').waitFor();
    await toastOf(page, /^Ben Okafor was moved to .*3 PM . 4 PM/);
    assert.match(await page.title(), /^Calendar/, 'the window has the focus');
  });

  test('are not asked for while the page is hidden, and are told when it is looked at again', async () => {
    const { page, wait, looks } = await watching(calendar());
    await cell(page, date, 17, 'available').waitFor();
    await setVisible(page, false);
    const before = looks();
    await wait(120);
    assert.equal(looks(), before);
    world.clock.advance({ seconds: 20 });
    await book(17, 'Cleo Brandt');
    await book(18, 'Dan Fox');
    await setVisible(page, true);
    await toastOf(page, /^2 changes\. The last one: New booking: /);
    assert.equal(looks(), before + 1);
  });

  test('are not the own ones, and leave an Undo where it is', async () => {
    const { page, wait } = await watching(calendar());
    await block(page, 20);
    world.clock.advance({ seconds: 20 });
    await book(6, 'Eve Stone');
    await wait(21);
    await sees(page, /^New booking: Eve Stone/);
    await button(page, 'Undo').waitFor();
    await cell(page, date, 7, 'available').click();
    await fillIn(page, 'Finn Own');
    await press(page, 'Book hours');
    await cell(page, date, 7, 'booked').waitFor();
    const look = page.waitForResponse((answer) => answer.url().includes('updated_since'));
    await wait(21);
    assert.match(await (await look).text(), /Finn Own/);
    await closed(page.getByText(/^New booking: Eve Stone/));
    assert.equal(await page.getByText(/^New booking/).count(), 0);
  });

  test('that cannot be asked for stay quiet, and come when they can', async () => {
    const { page, wait } = await watching(calendar());
    await cell(page, date, 11, 'available').waitFor();
    let status = 429;
    await page.route('**/*updated_since*', (route) =>
      status === 0
        ? route.abort()
        : route.fulfill({ status, headers: { 'retry-after': '1' }, json: { success: false } }),
    );
    for (status of [429, 503, 0]) {
      const ended = status === 0 ? page.waitForEvent('requestfailed') : page.waitForEvent('requestfinished');
      await wait(21);
      await ended;
      assert.equal(await page.getByRole('alert').count(), 0);
    }
    await page.unroute('**/*updated_since*');
    world.clock.advance({ seconds: 20 });
    await book(11, 'Gil Hart');
    await wait(21);
    await cell(page, date, 11, 'booked').waitFor();
  });

  test('are notifications while the window has not the focus, after Notify me has asked for the permission', async () => {
    const { page, wait } = await watching('/today');
    // Without a screen Chromium shows none: what would be shown is remembered.
    await page.evaluate(`
        window.shown = [];
        window.Notification = class extends EventTarget {
          static permission = 'default';
          static async requestPermission() { return (Notification.permission = 'granted'); }
          constructor(title, { body }) { super(); window.shown.push(body); }
        }`);
    await press(page, 'Notify me');
    await sees(page, /a notification tells of each change/);
    assert.equal(await button(page, 'Notify me').getAttribute('aria-pressed'), 'true');
    world.clock.advance({ seconds: 20 });
    await book(22, 'Hal Young');
    await setFocus(page, false);
    await wait(21);
    await sees(page, /^New booking: Hal Young/);
    assert.match(String(await page.evaluate('window.shown.join()')), /^New booking: Hal Young, /);
    await goTo(page, 'bookings');
    assert.match(await page.title(), /^\(1\) Bookings/);
  });

  /** A page with a clock that the test moves on. */
  async function watching(path: string) {
    const page = await newPage(world.url, WIDE, key);
    await page.clock.install();
    let looks = 0;
    page.on('request', (request) => (looks += Number(request.url().includes('updated_since'))));
    const first = page.waitForResponse((answer) => answer.url().includes('updated_since'));
    await page.goto(`${world.url}/console${path}`);
    await first;
    return { page, looks: () => looks, wait: (seconds: number) => page.clock.runFor(seconds * 1000) };
  }

  /** Playwright's pages always believe that they have the focus. */
  const setFocus = (page: Page, has: boolean): Promise<unknown> =>
    page.evaluate(
      `document.hasFocus = () => ${has}; window.dispatchEvent(new Event('${has ? 'focus' : 'blur'}'))`,
    );
  const setVisible = (page: Page, is: boolean): Promise<unknown> =>
    page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${is ? 'visible' : 'hidden'}' });
      document.dispatchEvent(new Event('visibilitychange'))`);
});

describe('what goes wrong', () => {
  test('two people want one hour: one gets it, the other is told, sees it taken and books the rest', async () => {
    const at = house.calendar({ date: daysFromNow(50) });
    const [first, second] = [await open(at), await open(at)];
    for (const page of [first, second]) {
      await cell(page, daysFromNow(50), 10, 'available').focus();
      for (const keys of ['Shift+ArrowDown', 'Enter']) await page.keyboard.press(keys);
      await fillIn(page, 'Ada Miller');
    }
    await choose(first, 'Starts', '11:00');
    await press(first, 'Book hours');
    await cell(first, daysFromNow(50), 11, 'booked').waitFor();
    await press(second, 'Book hours');
    await alertOf(second, 'No longer available: 11 AM');
    const hours = second.getByRole('list', { name: 'Chosen hours' });
    for (const words of ['11 AM taken', '10 AM free']) await sees(hours, words);
    assert.equal(await textbox(second, 'Guest name').inputValue(), 'Ada Miller');
    await choose(second, 'Ends', '11:00');
    await press(second, 'Book hours');
    for (const hour of [10, 11]) await cell(second, daysFromNow(50), hour, 'booked').waitFor();
    assert.equal((await bookings({ from: daysFromNow(50), to: daysFromNow(50) })).length, 2);
  });

  test('a scope that the key does not have disables what needs it, and is named; Today says what the key may do', async () => {
    const scopes = ['spaces:read', 'availability:read', 'bookings:read', 'webhooks:read'] as const;
    const reader = await world.addKey(hostId, { scopes });
    const page = await open(house.calendar({ date: daysFromNow(51) }), WIDE, reader.key);
    const lacks = async (scope: string, control: Locator): Promise<void> => {
      await sees(page, `lacks the scope ${scope}`);
      assert.ok(await control.isDisabled());
    };
    await cell(page, daysFromNow(51), 20, 'available').click();
    await lacks('bookings:write', button(page, 'Book hours'));
    await page.getByRole('tab', { name: 'Block' }).click();
    await lacks('blocks:write', button(page, 'Block hours'));
    await page.keyboard.press('Escape');
    await goTo(page, 'spaces');
    await lacks('spaces:write', page.getByRole('checkbox').first());
    await goTo(page, 'webhooks');
    await lacks('webhooks:write', button(page, 'Add webhook'));
    await goTo(page, 'money');
    await alertOf(page, 'earnings:read');
    await goTo(page, 'today');
    await sees(page, /^This key may: view spaces, view free hours, .* It may not: .*book, move and cancel/);
  });

  const chooseMoney = (page: Page) => page.getByRole('link', { name: 'Money' }).click();
  const chooseMonth = (page: Page) => page.getByRole('radio', { name: 'Month' }).check();
  const chooseSpanish = (page: Page) => page.getByRole('combobox', { name: 'Language' }).selectOption('es');
  for (const [what, file, act, there] of [
    ['a screen', /\/assets\/money-.*\.js$/, chooseMoney, /^Monthly statement/],
    ['a month', /\/assets\/month-view-.*\.js$/, chooseMonth, /^\d+ free$/],
    ['a language', /\/assets\/es-.*\.js$/, chooseSpanish, /^Calendario$/],
    ['the page', /\/assets\/index-.*\.js$/, (page) => page.reload(), /^Calendar$/],
  ] as [string, RegExp, (page: Page) => Promise<unknown>, RegExp][])
    test(`${what} that cannot be loaded says so, and comes when it is tried again`, async () => {
      const page = await open(calendar());
      await cell(page, date, 4, 'available').waitFor();
      await page.route(file, (route) => route.abort());
      await act(page);
      await alertOf(page, 'could not be loaded');
      await page.unroute(file);
      await press(page, 'Try again');
      await sees(page, there);
      await page.getByRole('alert').waitFor({ state: 'detached' });
    });

  test('a screen that an update has taken away is found by loading the page anew', async () => {
    const page = await open();
    const gone = /\/assets\/spaces-.*\.js$/;
    await page.route(gone, (route) => route.fulfill({ status: 404, body: '' }));
    await page.getByRole('link', { name: 'Spaces' }).click();
    await alertOf(page, 'could not be loaded');
    const anew = page.waitForRequest((request) => request.isNavigationRequest());
    await press(page, 'Try again');
    await anew;
    await page.unroute(gone);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Spaces' }).waitFor();
  });

  test('429 counts down and goes on by itself', async () => {
    // Four a minute: a week needs three, the next week two more.
    const clock = new TestClock(new Date().toISOString());
    const limited = await startWorld(engines[0]!, { RATE_LIMIT_PRODUCTION: '4' }, clock);
    const owner = await limited.addHost();
    const space = await limited.addSpace(owner);
    const page = await newPage(limited.url, WIDE, (await limited.addKey(owner)).key);
    await page.clock.install();
    await page.goto(`${limited.url}/console/calendar?space=${space}&view=week&date=${date}`);
    await cell(page, date, 10, 'available').waitFor();
    await press(page, 'Next');
    const alert = await alertOf(page, /Retrying in \d+ s/);
    assert.match((await alert.textContent()) ?? '', /Rate limit exceeded/);
    clock.advance({ seconds: 61 });
    await page.clock.fastForward('01:00');
    await alert.waitFor({ state: 'detached' });
    await cell(page, daysFromNow(27), 10, 'available').waitFor();
    await limited.close();
  });

  test('a service that is away is waited for with one alert, and what was typed is still there', async () => {
    const page = await open(calendar());
    await cell(page, date, 23, 'available').click();
    await fillIn(page, 'Lea Moor');
    await page.route('**/console/api/**', (route) => route.abort());
    const read = page.waitForEvent('requestfailed', (request) => request.url().includes('/availability'));
    await press(page, 'Book hours');
    await read;
    await alertOf(page, 'connection');
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    assert.equal(await page.getByRole('alert').count(), 1);
    assert.equal(await page.getByText(/Retrying in/).count(), 0);
    await page.unroute('**/console/api/**');
    await press(page, 'Book hours');
    await closed(page.getByRole('dialog'));
    await cell(page, date, 23, 'booked').waitFor();
    await page.route('**/console/api/**', (route) => route.abort());
    await press(page, 'Next');
    await alertOf(page, 'is not responding');
    await page.unroute('**/console/api/**');
    await cell(page, daysFromNow(27), 10, 'available').waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });
});

describe('the focus', () => {
  test('is where it was after Undo, and after the toast is dismissed', async () => {
    const page = await open(calendar());
    await block(page, 21);
    await press(page, 'Undo');
    await cell(page, date, 21, 'available').waitFor();
    await hasFocus(cell(page, date, 21, 'available'));
    await press(page, 'Dismiss');
    await hasFocus(cell(page, date, 21, 'available'));
  });

  test('comes to Skip to content first, and from there to the screen; another screen opens at its top', async () => {
    const page = await open('/today');
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to content' });
    await hasFocus(skip);
    const box = (await skip.boundingBox())!;
    assert.ok(box.width > 60 && box.x >= 0 && box.y >= 0, JSON.stringify(box));
    for (const keys of ['Enter', 'Tab']) await page.keyboard.press(keys);
    await page.locator('main :focus').waitFor();
    assert.match(page.url(), /\/console\/today(#content)?$/);
    await page.evaluate("document.body.style.minHeight = '4000px'; scrollTo(0, 1500)");
    assert.equal(await page.evaluate('scrollY'), 1500);
    await goTo(page, 'money');
    assert.equal(await page.evaluate('scrollY'), 0);
  });

  // 200 % of a small laptop, and phones.
  for (const viewport of [
    { width: 640, height: 400 },
    { width: 390, height: 844 },
    { width: 320, height: 568 },
  ])
    test(`lies under no bar, and the grid covers none: ${viewport.width} px`, async () => {
      const page = await open(calendar('day'), { viewport });
      for (const screen of ['bookings', 'today', 'calendar'] as const) {
        await goTo(page, screen);
        await page.getByRole('heading', { level: 1 }).focus();
        for (let step = 0; step < 25; step++) {
          await page.keyboard.press('Tab');
          assert.equal(await page.evaluate(COVERED), '', screen);
        }
      }
      await page.evaluate('scrollTo(0, 9999)');
      await page.getByRole('gridcell').last().scrollIntoViewIfNeeded();
      const links = page.getByRole('navigation', { name: 'Main' }).locator('a:visible, button:visible');
      for (const link of await links.all()) await link.click({ trial: true });
    });
});

describe('what is said', () => {
  test('is about the range that was chosen, also for a booking of several hours', async () => {
    await book(1, 'Kim Lane', { end_hour: 4 });
    const page = await open(calendar());
    await cell(page, date, 2, 'booked').focus();
    // Said while the dialog opens.
    await page.evaluate(`
        window.said = [];
        new MutationObserver(() => window.said.push(...[...document.querySelectorAll('[aria-live]')].map((each) => each.textContent)))
          .observe(document.body, { subtree: true, childList: true, characterData: true })`);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Booking' }).waitFor();
    const said = (await page.evaluate('window.said')) as string[];
    assert.ok(said.includes(english.calendar.selected({ start_hour: 1, end_hour: 4 })), said.join('; '));
    assert.ok(!said.includes(english.calendar.selected({ start_hour: 1, end_hour: 2 })));
  });

  test('is said again when the same words come twice', async () => {
    const page = await open('/spaces');
    await page.getByRole('heading', { level: 1, name: 'Spaces' }).waitFor();
    await page.evaluate(`
        window.said = [];
        new MutationObserver((changes) => window.said.push(...changes.flatMap(({ addedNodes }) => [...addedNodes]).map((each) => each.textContent)))
          .observe(document.querySelector('.toasts'), { subtree: true, childList: true })`);
    for (const text of ['Bright', 'Brighter']) {
      await press(page, 'Details, Loft');
      await textbox(page, 'Description').fill(text);
      await button(page, 'Save').last().click();
      await closed(page.getByRole('dialog'));
    }
    const said = (await page.evaluate('window.said')) as string[];
    assert.equal(said.filter((text) => text.startsWith('Saved')).length, 2, said.join('; '));
  });
});

test('forced colours tell a booked hour from a free one by more than its fill', async () => {
  await book(5, 'Mia North');
  const page = await open(calendar(), { ...WIDE, forcedColors: 'active' });
  await cell(page, date, 5, 'booked').waitFor();
  const rail = (state: string): Promise<string> =>
    page.evaluate(
      `getComputedStyle(document.querySelector('td[data-state="${state}"]')).borderInlineStartWidth`,
    );
  assert.notEqual(await rail('booked'), await rail('available'));
});

/** What of the focused element is covered by a bar that stays; empty where nothing is. */
const COVERED = `(() => {
    const { activeElement: focused } = document;
    if (focused === document.body || focused.closest('.side, .toasts, .skip')) return '';
    const box = focused.getBoundingClientRect();
    const bars = [...document.querySelectorAll('.side nav, .side')].filter((bar) => getComputedStyle(bar).position !== 'static');
    const hidden = bars.some((bar) => {
      const { top, bottom, left, right } = bar.getBoundingClientRect();
      const over = Math.min(bottom, box.bottom) - Math.max(top, box.top);
      return over >= box.height - 1 && Math.min(right, box.right) - Math.max(left, box.left) > 1;
    });
    return hidden ? focused.outerHTML.slice(0, 120) : '';
  })()`;
