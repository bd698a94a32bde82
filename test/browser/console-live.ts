import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { TestClock } from '../support/clock.ts';
import { engines } from '../support/engines.ts';
import { startWorld, type World } from '../support/world.ts';
import { openChromium } from './chromium.ts';
import { cell, daysFromNow, goTo, keepPicture, signIn, visit, WIDE } from './console-support.ts';

// npm run test:browser: what others change shows by itself, screens on paper, and where the focus stands.

const browser = await openChromium();
if (browser !== undefined) inBrowser(browser);

function inBrowser(browser: Browser): void {
  let world: World;
  let hostId: string;
  let spaceId: string;
  let key: string;
  const date = daysFromNow(20);
  const calendar = (view = 'week'): string => `/calendar?space=${spaceId}&view=${view}&date=${date}`;
  before(async () => {
    // The page has the machine's clock, so the service starts with it too.
    const limits = { RATE_LIMIT_PRODUCTION: '0', RATE_LIMIT_SANDBOX: '0' };
    world = await startWorld(engines[0]!, limits, new TestClock(new Date().toISOString()));
    hostId = await world.addHost();
    spaceId = await world.addSpace(hostId, { title: 'Riverside Studio' });
    await world.addSpace(hostId, { title: 'Loft' });
    ({ key } = await world.addKey(hostId));
  });
  after(async () => {
    await browser.close();
    await world.close();
  });

  async function book(start_hour: number, guest_name: string, more: object = {}): Promise<string> {
    const body = {
      space_id: spaceId,
      date,
      start_hour,
      end_hour: start_hour + 1,
      guest_name,
      guest_email: 'guest@example.com',
      ...more,
    };
    const answer = await world.call('POST', '/api-create-booking/api/v1/bookings', { key, body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.data.booking.id;
  }

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
    close: () => Promise<void>;
  }

  /** Signed in, with a clock that the test moves on. */
  async function open(path: string, options: BrowserContextOptions = WIDE): Promise<Window> {
    const { page, faults, close } = await visit(browser, world.url, path, options);
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
      close: async () => {
        assert.deepEqual(faults(), []);
        await close();
      },
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
      const { page, wait, looks, close } = await open(calendar());
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
      await page.waitForFunction("document.title.startsWith('Calendar')");
      const before = looks();
      await wait(61);
      assert.ok(looks() - before <= 3, `${looks() - before} requests in a minute`);
      await close();
    });

    test('moves are told once, in their new place', async () => {
      const id = await book(13, 'Ben Okafor');
      const { page, wait, close } = await open(calendar());
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
      await close();
    });

    test('are not asked for while the page is hidden, and are told when it is looked at again', async () => {
      const { page, wait, looks, close } = await open(calendar());
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
      await close();
    });

    test('are not the own ones, and leave an Undo where it is', async () => {
      const { page, wait, close } = await open(calendar());
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
      await close();
    });

    test('that cannot be asked for stay quiet, and come when they can', async () => {
      const { page, wait, close } = await open(calendar());
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
      await close();
    });
  });

  describe('Notify me', () => {
    test('asks for the permission, and tells of changes while the window has not the focus', async () => {
      const { page, wait, close } = await open('/today');
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
      await close();
    });
  });
}
