import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import german from '../../console/src/languages/de.ts';
import english from '../../console/src/languages/en.ts';
import * as apiKeys from '../../src/api-keys/api-keys.ts';
import { violations } from './chromium.ts';
import {
  assertFits,
  cell,
  daysFromNow,
  goTo,
  invite,
  keepPicture,
  NO_LIMITS,
  PHONE,
  signIn,
  startHosted,
  visit,
  WIDE,
} from './console-support.ts';

// npm run test:browser: what others change shows by itself, screens on paper, and where the focus stands.

const { world, hostId, spaces, key, ...house } = await startHosted(['Riverside Studio', 'Loft'], NO_LIMITS);
const [spaceId] = spaces;
const date = daysFromNow(20);
const calendar = (view = 'week'): string => house.calendar({ view, date });
/** An hour of that day. */
const book = (start_hour: number, guest_name: string, more = {}): Promise<string> =>
  house.book(date, start_hour, guest_name, { end_hour: start_hour + 1, ...more });

async function cancel(id: string): Promise<void> {
  const path = `/api-cancel-booking/api/v1/bookings/${id}/cancel`;
  const answer = await world.call('POST', path, { key, body: { reason: 'Ill' } });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}

interface Window {
  page: Page;
  /** Requests for what has changed, so far. */
  looks: () => number;
  /** Time passes in the page. */
  wait: (seconds: number) => Promise<void>;
}

/** Signed in, with a clock that the test moves on. */
async function open(path: string, options: BrowserContextOptions = WIDE): Promise<Window> {
  const page = await visit(world.url, path, options);
  await page.clock.install();
  await page.reload();
  let looks = 0;
  page.on('request', (request) => (looks += Number(request.url().includes('updated_since'))));
  const first = page.waitForResponse((answer) => answer.url().includes('updated_since'));
  await signIn(page, key);
  await first;
  return {
    page,
    looks: () => looks,
    wait: (seconds) => page.clock.runFor(seconds * 1000),
  };
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

describe('changes by others', () => {
  test('show within 30 s without a reload, with a toast, and a count in the title until the focus is back', async () => {
    const { page, wait, looks } = await open(calendar());
    await cell(page, date, 9, 'available').waitFor();
    await setFocus(page, false);
    const id = await book(9, 'Ada Miller');
    await wait(21);
    await cell(page, date, 9, 'booked').waitFor();
    const toasts = page.getByRole('status').filter({ hasText: 'New booking' });
    await toasts.filter({ hasText: /Ada Miller, .*9 AM . 10 AM/ }).waitFor();
    assert.match(await page.title(), /^\(1\) Calendar/);
    await keepPicture(page, 'live');
    world.clock.advance({ seconds: 20 });
    await cancel(id);
    await wait(21);
    await cell(page, date, 9, 'available').waitFor();
    await page.getByRole('status').filter({ hasText: 'Cancelled: Ada Miller' }).waitFor();
    assert.match(await page.title(), /^\(2\) Calendar/);
    await setFocus(page, true);
    assert.match(await page.title(), /^Calendar/);
    const before = looks();
    await wait(61);
    assert.ok(looks() - before <= 3, `${looks() - before} requests in a minute`);
  });

  test('moves are told once, in their new place', async () => {
    const id = await book(13, 'Ben Okafor');
    const { page, wait } = await open(calendar());
    await cell(page, date, 13, 'booked').waitFor();
    world.clock.advance({ seconds: 20 });
    await book(15, 'Ben Okafor', { replaces: id });
    await wait(21);
    await cell(page, date, 15, 'booked').waitFor();
    await cell(page, date, 13, 'available').waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: /^Ben Okafor was moved to .*3 PM . 4 PM/ })
      .waitFor();
    assert.match(await page.title(), /^Calendar/, 'the window has the focus');
  });

  test('are not asked for while the page is hidden, and are told when it is looked at again', async () => {
    const { page, wait, looks } = await open(calendar());
    await cell(page, date, 17, 'available').waitFor();
    await setVisible(page, false);
    const before = looks();
    await wait(120);
    assert.equal(looks(), before);
    world.clock.advance({ seconds: 20 });
    await book(17, 'Cleo Brandt');
    await book(18, 'Dan Fox');
    await setVisible(page, true);
    await page
      .getByRole('status')
      .filter({ hasText: /^2 changes\. The last one: New booking: / })
      .waitFor();
    assert.equal(looks(), before + 1);
  });

  test('are not the own ones, and leave an Undo where it is', async () => {
    const { page, wait } = await open(calendar());
    await cell(page, date, 20, 'available').click();
    await page.getByRole('tab', { name: 'Block' }).click();
    await page.getByRole('button', { name: 'Block hours' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    world.clock.advance({ seconds: 20 });
    await book(6, 'Eve Stone');
    await wait(21);
    await page.getByText(/^New booking: Eve Stone/).waitFor();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await cell(page, date, 7, 'available').click();
    await page.getByRole('textbox', { name: 'Guest name' }).fill('Finn Own');
    await page.getByRole('textbox', { name: 'Guest email' }).fill('finn@example.com');
    await page.getByRole('button', { name: 'Book hours' }).click();
    await cell(page, date, 7, 'booked').waitFor();
    const look = page.waitForResponse((answer) => answer.url().includes('updated_since'));
    await wait(21);
    assert.match(await (await look).text(), /Finn Own/);
    await page.getByText(/^New booking: Eve Stone/).waitFor({ state: 'detached' });
    assert.equal(await page.getByText(/^New booking/).count(), 0);
  });

  test('that cannot be asked for stay quiet, and come when they can', async () => {
    const { page, wait } = await open(calendar());
    await cell(page, date, 11, 'available').waitFor();
    let status = 429;
    await page.route('**/*updated_since*', (route) =>
      status === 0
        ? route.abort()
        : route.fulfill({ status, headers: { 'retry-after': '1' }, json: { success: false } }),
    );
    for (status of [429, 503, 0]) {
      const ended = page.waitForEvent('requestfinished').catch(() => undefined);
      await wait(21);
      if (status !== 0) await ended;
      assert.equal(await page.getByRole('alert').count(), 0);
    }
    await page.unroute('**/*updated_since*');
    world.clock.advance({ seconds: 20 });
    await book(11, 'Gil Hart');
    await wait(21);
    await cell(page, date, 11, 'booked').waitFor();
  });
});

describe('Notify me', () => {
  test('asks for the permission, and tells of changes while the window has not the focus', async () => {
    const { page, wait } = await open('/today');
    // Without a screen Chromium shows none: what would be shown is remembered.
    await page.evaluate(`
        window.shown = [];
        window.Notification = class extends EventTarget {
          static permission = 'default';
          static async requestPermission() { return (Notification.permission = 'granted'); }
          constructor(title, { body }) { super(); window.shown.push(body); }
        }`);
    const button = page.getByRole('button', { name: 'Notify me' });
    await button.click();
    await page.getByText(/a notification tells of each change/).waitFor();
    assert.equal(await button.getAttribute('aria-pressed'), 'true');
    world.clock.advance({ seconds: 20 });
    await book(22, 'Hal Young');
    await setFocus(page, false);
    await wait(21);
    await page.getByText(/^New booking: Hal Young/).waitFor();
    assert.match(String(await page.evaluate('window.shown.join()')), /^New booking: Hal Young, /);
    await goTo(page, 'Bookings');
    assert.match(await page.title(), /^\(1\) Bookings/);
  });
});

describe('the focus', () => {
  /** What has it: its name, or its text. */
  const focused = (page: Page): Promise<string> =>
    page.evaluate(
      "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText ?? '').slice(0, 60) || document.activeElement.tagName",
    );
  const hasFocus = (element: Locator): Promise<void> =>
    element.and(element.page().locator(':focus')).waitFor();

  test('is at the hour after This hour only and Book hours', async () => {
    const { page } = await open(calendar('day'), PHONE);
    await cell(page, date, 8, 'available').tap();
    await page.getByRole('button', { name: 'This hour only' }).tap();
    await page.getByRole('textbox', { name: 'Guest name' }).fill('Ida Berg');
    await page.getByRole('textbox', { name: 'Guest email' }).fill('ida@example.com');
    await page.getByRole('button', { name: 'Book hours' }).tap();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await hasFocus(cell(page, date, 8, 'booked'));
  });

  test('is where it was after Undo', async () => {
    const { page } = await open(calendar());
    await cell(page, date, 21, 'available').click();
    await page.getByRole('tab', { name: 'Block' }).click();
    await page.getByRole('button', { name: 'Block hours' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await cell(page, date, 21, 'available').waitFor();
    await hasFocus(cell(page, date, 21, 'available'));
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await hasFocus(cell(page, date, 21, 'available'));
  });

  test('goes on in the form of a move, and back', async () => {
    await book(12, 'Jo March');
    const { page } = await open(calendar());
    await cell(page, date, 12, 'booked').click();
    await page.getByRole('button', { name: 'Move', exact: true }).focus();
    await page.keyboard.press('Enter');
    await hasFocus(page.getByRole('textbox', { name: 'New date' }));
  });

  test('is at the heading after a sign-in, and at its top', async () => {
    const { page } = await open('/bookings');
    await hasFocus(page.getByRole('heading', { level: 1, name: 'Bookings' }));
    await page.evaluate("document.body.style.minHeight = '4000px'; scrollTo(0, 1500)");
    assert.equal(await page.evaluate('scrollY'), 1500);
    await goTo(page, 'Money');
    assert.equal(await page.evaluate('scrollY'), 0);
  });

  test('is at the heading after I have saved it, where nothing else is left', async () => {
    const page = await visit(world.url, (await invite(world, hostId)).path);
    await page.getByRole('button', { name: 'Make my key' }).click();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await hasFocus(page.getByRole('heading', { level: 1, name: 'Today' }));
  });

  test('comes to Skip to content first, and from there to the screen', async () => {
    const { page } = await open('/today');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await focused(page), 'Skip to content');
    const box = (await page.getByRole('link', { name: 'Skip to content' }).boundingBox())!;
    assert.ok(box.width > 60 && box.x >= 0 && box.y >= 0, JSON.stringify(box));
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.locator('main :focus').waitFor();
    assert.match(page.url(), /\/console\/today(#content)?$/);
  });
});

describe('what is said', () => {
  test('is about the range that was chosen, also for a booking of several hours', async () => {
    await book(1, 'Kim Lane', { end_hour: 4 });
    const { page } = await open(calendar());
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
    const { page } = await open('/spaces');
    await page.evaluate(`
        window.said = [];
        new MutationObserver((changes) => window.said.push(...changes.flatMap(({ addedNodes }) => [...addedNodes]).map((each) => each.textContent)))
          .observe(document.querySelector('.toasts'), { subtree: true, childList: true })`);
    for (const text of ['Bright', 'Brighter']) {
      await page
        .getByRole('button', { name: /^Details/ })
        .first()
        .click();
      await page.getByRole('textbox', { name: 'Description' }).fill(text);
      await page.getByRole('button', { name: 'Save' }).last().click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    const said = (await page.evaluate('window.said')) as string[];
    assert.equal(said.filter((text) => text.startsWith('Saved')).length, 2, said.join('; '));
  });
});

describe('nothing is lost', () => {
  test('of a secret whose dialog the end of the session closes; the dialog names its space', async () => {
    const own = await world.addKey(hostId);
    const page = await visit(world.url, '/spaces');
    await page.clock.install();
    await page.reload();
    await signIn(page, own.key);
    await page
      .getByRole('button', { name: /^Calendar feed/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog', { name: 'Calendar feed' });
    await dialog.getByRole('button').last().click();
    await dialog.getByRole('button', { name: 'Copy' }).waitFor();
    await dialog.getByText(/^(Loft|Riverside Studio)$/).waitFor();
    const address = await dialog.getByRole('textbox').inputValue();
    await world.ctx.db.transaction((tx) => apiKeys.revoke(tx, world.clock.now(), own.id));
    await page.clock.runFor(21_000);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    assert.equal(await page.locator('.new-key input').inputValue(), address);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.locator('.new-key').waitFor({ state: 'detached' });
  });

  test('while the service is away: one alert, which does not promise to go on by itself', async () => {
    const page = await visit(world.url, calendar());
    await signIn(page, key);
    await cell(page, date, 23, 'available').click();
    await page.getByRole('textbox', { name: 'Guest name' }).fill('Lea Moor');
    await page.getByRole('textbox', { name: 'Guest email' }).fill('lea@example.com');
    await page.route('**/console/api/**', (route) => route.abort());
    const read = page.waitForEvent('requestfailed', (request) => request.url().includes('/availability'));
    await page.getByRole('button', { name: 'Book hours' }).click();
    await read;
    await page.getByRole('alert').filter({ hasText: 'connection' }).waitFor();
    await page.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
    );
    assert.equal(await page.getByRole('alert').count(), 1);
    assert.equal(await page.getByText(/Retrying in/).count(), 0);
    await page.unroute('**/console/api/**');
    await page.getByRole('button', { name: 'Book hours' }).click();
    await cell(page, date, 23, 'booked').waitFor();
  });

  test('where no booking matches: there is no button that does nothing', async () => {
    const { page } = await open('/bookings?guest=nobody+at+all');
    await page.getByText(english.bookings.none).waitFor();
    assert.deepEqual(await page.locator('main button:disabled').allInnerTexts(), []);
  });

  test('a read-only key says in words what it may do', async () => {
    const scopes = ['spaces:read', 'availability:read', 'bookings:read'] as const;
    const reader = await world.addKey(hostId, { scopes });
    const page = await visit(world.url, '/today');
    await signIn(page, reader.key);
    await page
      .getByText(
        /^This key may: view spaces, view free hours, view bookings\. It may not: .*book, move and cancel/,
      )
      .waitFor();
  });
});

describe('small and enlarged', () => {
  test('nothing that has the focus lies under a bar, and the grid covers no bar', async () => {
    // 200 % of a small laptop, and a phone.
    for (const viewport of [
      { width: 640, height: 400 },
      { width: 390, height: 844 },
      { width: 320, height: 568 },
    ]) {
      const { page } = await open(calendar('day'), { viewport });
      await cell(page, date, 10, 'available').waitFor();
      const { width } = viewport;
      for (const path of ['Bookings', 'Calendar', 'Today']) {
        await goTo(page, path);
        await page.getByRole('heading', { level: 1 }).focus();
        for (let step = 0; step < 25; step++) {
          await page.keyboard.press('Tab');
          const under = await page.evaluate(COVERED);
          assert.equal(under, '', `${path}, ${width} px`);
        }
      }
      await goTo(page, 'Calendar');
      await page.evaluate('scrollTo(0, 9999)');
      await page.getByRole('gridcell').last().scrollIntoViewIfNeeded();
      const links = page.getByRole('navigation', { name: 'Main' }).locator('a:visible, button:visible');
      for (const link of await links.all()) await link.click({ trial: true });
      await keepPicture(page, `bar-${width}`);
      await page.context().close();
    }
  });

  test('labels of the tab bar do not touch at 320 px in German, and the last screens stand under More', async () => {
    const page = await visit(world.url, '/today', {
      viewport: { width: 320, height: 568 },
      locale: 'de-DE',
    });
    await signIn(page, key, false, german);
    const nav = page.getByRole('navigation');
    const more = nav.getByRole('button', { name: german.more });
    await more.waitFor();
    const boxes = await Promise.all(
      (await nav.locator(':is(a, button):visible > span').all()).map((label) => label.boundingBox()),
    );
    for (const [index, box] of boxes.slice(1).entries()) {
      const before = boxes[index]!;
      assert.ok(box!.x - before.x - before.width >= 4, JSON.stringify(boxes));
    }
    await more.click();
    await keepPicture(page, 'more');
    assert.deepEqual(await violations(page), []);
    await nav.getByRole('link', { name: german.screens.webhooks }).click();
    await page.getByRole('heading', { level: 1, name: german.screens.webhooks }).waitFor();
    assert.equal(await nav.getByRole('link', { name: german.screens.webhooks }).isVisible(), false);
  });
});

describe('on paper', () => {
  /** The text of the sheets, and how many there are. SHOTS keeps them. */
  async function print(page: Page, name: string): Promise<{ text: string; sheets: number }> {
    const pdf = await page.pdf({ preferCSSPageSize: true });
    const sheets = [...pdf.toString('latin1').matchAll(/\/MediaBox\s*\[([^\]]*)\]/g)];
    // 210 by 297 mm, in points.
    for (const [, box] of sheets) {
      const [, , width, height] = box!.trim().split(/\s+/).map(Number);
      assert.ok(Math.abs(width! - 595) < 1 && Math.abs(height! - 842) < 1, box!);
    }
    const folder = process.env['SHOTS'];
    if (folder !== undefined) writeFileSync(join(folder, `${name}.pdf`), pdf);
    await page.emulateMedia({ media: 'print' });
    const { width, height } = page.viewportSize()!;
    // A4 without its margins, in CSS pixels.
    await page.setViewportSize({ width: 703, height: 1032 });
    await assertFits(page, name);
    const cut = await page.evaluate(`[...document.querySelectorAll('main *')]
        .filter((each) => each.checkVisibility() && !each.closest('.visually-hidden'))
        .filter((each) => each.getBoundingClientRect().right > innerWidth + 1 || getComputedStyle(each).overflow !== 'visible' &&
          (each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1))
        .map((each) => each.outerHTML.slice(0, 100))`);
    assert.deepEqual(cut, [], name);
    const text = await page.locator('body').innerText();
    await page.emulateMedia({ media: null });
    await page.setViewportSize({ width, height });
    return { text, sheets: sheets.length };
  }

  for (const [size, options] of [
    ['wide', WIDE],
    ['phone', PHONE],
  ] as const)
    test(`Today, a day and a week are whole, without navigation: ${size}`, async () => {
      const today = world.clock.now();
      const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' }).format(
        today + 86_400_000,
      );
      const long = 'Wolfeschlegelsteinhausen-Bergerdorff, Maximiliane';
      if (size === 'wide') await book(9, long, { date: day, end_hour: 11 });
      for (const [path, name] of [
        [`/calendar?space=${spaceId}&view=day&date=${day}`, 'day'],
        [`/calendar?space=all&view=day&date=${day}`, 'day-of-all'],
        [`/calendar?space=${spaceId}&view=week&date=${day}`, 'week'],
        [`/calendar?space=all&view=week&date=${day}`, 'week-of-all'],
        ['/today', 'today'],
      ] as const) {
        const { page } = await open(path, options);
        if (name === 'today')
          await page
            .getByText(/left today|Closed today/)
            .first()
            .waitFor();
        else
          await page
            .getByRole('gridcell', { name: /, 09:00, booked$|, [1-9]\d* bookings?$/ })
            .first()
            .waitFor();
        const { text, sheets } = await print(page, `paper-${name}-${size}`);
        assert.equal(sheets, 1, name);
        if (/^day|week$/.test(name)) assert.ok(text.includes(long), `${name}: ${text}`);
        for (const word of [
          english.signOut,
          `${english.screens.bookings}\n${english.screens.money}`,
          english.calendar.next,
          'Notify me',
        ])
          assert.ok(!text.includes(word), `${name}: ${word} in ${text}`);
        await page.context().close();
      }
    });
});

describe('forced colours', () => {
  test('tell a booked hour from a free one by more than its fill', async () => {
    await book(5, 'Mia North');
    const { page } = await open(calendar(), { ...WIDE, forcedColors: 'active' });
    const rails = (state: string): Promise<string> =>
      page.evaluate(
        `getComputedStyle(document.querySelector('td[data-state="${state}"]')).borderInlineStartWidth`,
      );
    await page.locator('td[data-state="booked"]').first().waitFor();
    assert.notEqual(await rails('booked'), await rails('available'));
    assert.deepEqual(await violations(page), []);
    await keepPicture(page, 'forced');
  });
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
