import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after } from 'node:test';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import english, { type Words } from '../../console/src/languages/en.ts';
import * as apiKeys from '../../src/api-keys/api-keys.ts';
import { ALL_SCOPES } from '../../src/ids/scopes.ts';
import { TestClock } from '../support/clock.ts';
import { engines } from '../support/engines.ts';
import { startWorld } from '../support/world.ts';
import { openWindow } from './browser.ts';
import { keepPicture, violations } from './chromium.ts';

export const WIDE: BrowserContextOptions = { viewport: { width: 1440, height: 900 } };
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};
export const NEW_YORK = 'America/New_York';

/** One service for all that hosts do in the console. The page has the machine's clock, so the service starts with it too. */
export const world = await startWorld(
  engines[0]!,
  { BASE_PATH: '/hourkeep', UNPAID_CANCEL_MINUTES: '30' },
  new TestClock(new Date().toISOString()),
);
after(() => world.close());

/** A host whose spaces have these titles. Each file has its own. */
export async function newHost(...titles: string[]) {
  const hostId = await world.addHost();
  const spaces: string[] = [];
  for (const title of titles) spaces.push(await world.addSpace(hostId, { title }));
  const { key } = await world.addKey(hostId, { scopes: ALL_SCOPES });

  const call = async (method: string, path: string, body?: object) => {
    const answer = await world.call(method, path, { key, body });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  };
  /** Two hours of the first space. Returns the booking's id. */
  const book = async (
    date: string,
    start_hour: number,
    guest_name = 'Ada Miller',
    more: object = {},
  ): Promise<string> => {
    // An address of nobody else: one guest may make ten bookings in an hour.
    const guest = { guest_name, guest_email: `guest-${date}-${start_hour}@example.com` };
    const body = { space_id: spaces[0], date, start_hour, end_hour: start_hour + 2, ...guest, ...more };
    return (await call('POST', '/api-create-booking/api/v1/bookings', body)).booking.id;
  };
  const cancel = (id: string) =>
    call('POST', `/api-cancel-booking/api/v1/bookings/${id}/cancel`, { reason: 'Ill' });
  const bookings = async (query: Record<string, string>): Promise<Record<string, unknown>[]> =>
    (await call('GET', `/api-bookings/api/v1/bookings?${new URLSearchParams(query).toString()}`)).bookings;
  const calendar = (query: Record<string, string>): string =>
    `/calendar?${new URLSearchParams({ space: spaces[0]!, view: 'day', ...query }).toString()}`;
  return { hostId, spaces, key, call, book, cancel, bookings, calendar, open: opener(world.url, key) };
}

export const revoke = (id: string): Promise<unknown> =>
  world.ctx.db.transaction((tx) => apiKeys.revoke(tx, world.clock.now(), id));

/** Opens pages of a host who is signed in already. How to sign in is in console-app.ts. */
export function opener(url: string, ownKey: string) {
  return async (path = '', options = WIDE, key = ownKey): Promise<Page> => {
    const page = await newPage(url, options, key);
    await page.goto(`${url}/console${path}`);
    return page;
  };
}

/** A new browser window at the console, where nobody is signed in. */
export async function visit(url: string, path = '', options: BrowserContextOptions = WIDE): Promise<Page> {
  const page = await newPage(url, options);
  await page.goto(`${url}/console${path}`);
  return page;
}

/** An empty window without a past, signed in with the key if there is one. It is closed when the test ends. */
export async function newPage(url: string, options = WIDE, key?: string): Promise<Page> {
  const window = {
    locale: 'en-US',
    timezoneId: NEW_YORK,
    // It would answer for files that a test holds back. console-app.ts lets it.
    serviceWorkers: 'block',
    ...options,
  } as const;
  const page = await openWindow(new URL(url).origin, window, REFUSALS);
  if (key !== undefined) await page.context().addCookies([await sessionOf(url, key)]);
  const requests: string[] = [];
  asked.set(page, requests);
  page.on('request', (request) => {
    const url = request.url();
    // The look for changes by others comes with the time that passes, not with what a person does.
    const isOwn = /\/console\/(api|session|keys)/.test(url) && !url.includes('updated_since');
    if (isOwn && !request.isNavigationRequest()) requests.push(`${request.method()} ${url}`);
  });
  return page;
}

/** The browser complains of them, but they are no fault. */
const REFUSALS = /Failed to load resource|ERR_|Service Worker registration/;

const asked = new WeakMap<Page, string[]>();
/** What a page has asked the service for so far, as method and URL. */
export const askedBy = (page: Page): string[] => asked.get(page)!;

/** One session a key, as a person's tabs share it. */
const sessions = new Map<string, Parameters<ReturnType<Page['context']>['addCookies']>[0][number]>();

async function sessionOf(url: string, key: string) {
  const known = sessions.get(key);
  if (known !== undefined) return known;
  const response = await fetch(`${url}/console/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
  });
  const value = /^hk_console=([^;]+)/.exec(response.headers.getSetCookie()[0]!)![1]!;
  const { hostname: domain, pathname: path } = new URL(`${url}/console`);
  const cookie = { name: 'hk_console', value, domain, path, httpOnly: true };
  sessions.set(key, cookie);
  return cookie;
}

export async function signIn(page: Page, key: string, stay = false): Promise<void> {
  await textbox(page, 'API key').fill(key);
  if (stay) await page.getByRole('checkbox', { name: 'Stay signed in on this device' }).check();
  await press(page, 'Sign in');
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  await page.getByRole('status', { name: 'Environment' }).waitFor();
}

type Part = Page | Locator;

export const button = (at: Part, name: string): Locator => at.getByRole('button', { name, exact: true });
export const press = (at: Part, name: string): Promise<void> => button(at, name).click();
export const textbox = (at: Part, name: string, exact = false): Locator =>
  at.getByRole('textbox', { name, exact });
export const choose = (at: Part, name: string, option: string): Promise<unknown> =>
  at.getByRole('combobox', { name }).selectOption(option);
export const dialogOf = (page: Page, name: string): Locator =>
  page.getByRole('dialog', { name, exact: true });
/** The row, cell or line with this text. */
export const row = (at: Part, text: string | RegExp): Locator =>
  at.getByRole('row').filter({ hasText: text });
/** A text that stands there, or will. */
export const sees = (at: Part, text: string | RegExp): Promise<void> => at.getByText(text).first().waitFor();
/** What is told as an alert, once it is. */
export async function alertOf(at: Part, text: string | RegExp): Promise<Locator> {
  const alert = at.getByRole('alert').filter({ hasText: text }).first();
  await alert.waitFor();
  return alert;
}
/** What a toast says, once it does. */
export async function toastOf(page: Page, text: string | RegExp): Promise<Locator> {
  const toast = page.getByRole('status').filter({ hasText: text });
  await toast.waitFor();
  return toast;
}
export const closed = (dialog: Locator): Promise<void> => dialog.waitFor({ state: 'detached' });
export const hasFocus = (element: Locator): Promise<void> =>
  element.and(element.page().locator(':focus')).waitFor();
/** Of the browser's clipboard. */
export const maySeeClipboard = (page: Page): Promise<void> =>
  page.context().grantPermissions(['clipboard-read', 'clipboard-write']);

/** The file that the button saves, as text. */
export async function exported(page: Page): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Export CSV')]);
  return readFileSync(await file.path(), 'utf8');
}

/** What is wrong with a control, as a screen reader says it after its name. */
export async function described(control: Locator): Promise<string> {
  const ids = (await control.getAttribute('aria-describedby')) ?? '';
  const errors = ids.split(' ').map((id) => control.page().locator(`.field-error[id="${id}"]`));
  return (await Promise.all(errors.map((error) => error.allTextContents()))).flat().join(' ');
}

/** Thursday, March 18, 2027 */
export const dayName = (date: string): string =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeZone: 'UTC' }).format(
    new Date(`${date}T12:00:00Z`),
  );

/** On a phone the last screens stand under a button. */
export async function goTo(
  page: Page,
  screen: keyof Words['screens'],
  words: Words = english,
): Promise<void> {
  const navigation = page.getByRole('navigation', { name: words.navigation });
  const link = navigation.getByRole('link', { name: words.screens[screen], exact: true });
  await navigation.waitFor();
  if (!(await link.isVisible())) await press(navigation, words.more);
  await link.click();
  await page.getByRole('heading', { level: 1, name: words.screens[screen] }).waitFor();
}

/** 2027-03-18, 10, available: Thursday, March 18, 2027, 10:00, available */
export function cell(page: Page, date: string, hour: number, state: string): Locator {
  const name = `${dayName(date)}, ${String(hour).padStart(2, '0')}:00, ${state}`;
  return page.getByRole('gridcell', { name, exact: true });
}

/** A day of a month or a week of all spaces: its name ends like that. */
export const dayCell = (page: Page, words: string | RegExp): Locator =>
  page.getByRole('gridcell', { name: words, exact: true }).first();

export const daysFromNow = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Date and hour where the spaces are. */
export function inNewYork(instant: number): { date: string; hour: number } {
  const zoned = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(NEW_YORK);
  return { date: zoned.toPlainDate().toString(), hour: zoned.hour };
}

/** Everything that was asked for is there, and nothing moves any more. */
export const settled = (page: Page): Promise<unknown> =>
  page.evaluate(`new Promise((resolve) => {
    const moves = () => document.querySelector('.skeleton, [data-state=loading], [aria-busy=true]') !== null ||
      document.getAnimations().some(({ playState }) => playState === 'running');
    let calm = 0;
    const look = () => (calm = moves() ? 0 : calm + 1) > 3 ? resolve() : requestAnimationFrame(look);
    look();
  })`);

/** The page as it is now is accessible and fits the screen. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  await keepPicture(page, what);
  await assertFits(page, what);
  assert.deepEqual(await violations(page), [], what);
}

export async function assertFits(page: Page, what: string): Promise<void> {
  const width = (await page.evaluate('document.documentElement.scrollWidth')) as number;
  // Not innerWidth: a phone zooms out until it has the width of what is too wide.
  const wanted = page.viewportSize()!.width;
  assert.ok(width <= wanted, `${what} scrolls sideways: ${width} of ${wanted}`);
}

/** The text on paper: so many sheets of A4, and nothing that sticks out. The page is narrow afterwards. */
export async function printed(page: Page, what: string, sheets: number): Promise<string> {
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  const boxes = [...pdf.matchAll(/\/MediaBox\s*\[([^\]]*)\]/g)].map(([, box]) =>
    box!.trim().split(/\s+/).map(Number),
  );
  // 210 by 297 mm, in points.
  for (const [, , width, height] of boxes)
    assert.ok(Math.abs(width! - 595) < 1 && Math.abs(height! - 842) < 1, `${width} × ${height}`);
  assert.equal(boxes.length, sheets, what);
  await page.emulateMedia({ media: 'print' });
  // A4 without its margins, in CSS pixels.
  await page.setViewportSize({ width: 703, height: 1032 });
  await keepPicture(page, what);
  await assertFits(page, what);
  const cut = await page.evaluate(`[...document.querySelectorAll('main *')]
    .filter((each) => each.checkVisibility() && !each.closest('.visually-hidden'))
    .filter((each) => each.getBoundingClientRect().right > innerWidth + 1 || getComputedStyle(each).overflow !== 'visible' &&
      (each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1))
    .map((each) => each.outerHTML.slice(0, 100))`);
  assert.deepEqual(cut, [], what);
  return page.locator('body').innerText();
}
