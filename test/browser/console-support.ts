import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach } from 'node:test';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import german from '../../console/src/languages/de.ts';
import english, { type Words } from '../../console/src/languages/en.ts';
import spanish from '../../console/src/languages/es.ts';
import * as invitations from '../../src/api-keys/invitations.ts';
import { ALL_SCOPES, SCOPES } from '../../src/ids/scopes.ts';
import type { DemoFile } from '../../src/demo/demo.ts';
import { TestClock } from '../support/clock.ts';
import { engines } from '../support/engines.ts';
import { makeFolder, startProcess } from '../support/process.ts';
import { operator } from '../support/operator.ts';
import { startWorld, type World } from '../support/world.ts';
import { browser } from './browser.ts';
import { violations, watch } from './chromium.ts';

export const WIDE: BrowserContextOptions = { viewport: { width: 1440, height: 900 } };
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};

export const LANGUAGES = [
  ['en-US', english],
  ['de-DE', german],
  ['es-ES', spanish],
] as const;

/** No limit that a minute of clicking would meet. */
export const NO_LIMITS = { RATE_LIMIT_SANDBOX: '0', RATE_LIMIT_PRODUCTION: '0' };

/** A service with demo data, in a process of its own, for as long as the file's tests run. */
export async function startDemo(settings: Record<string, string> = {}) {
  const folder = makeFolder();
  const service = await startProcess('serve', { DATA_DIR: folder.path, ...NO_LIMITS, ...settings });
  after(async () => {
    await service.end();
    folder.remove();
  });
  const demo = JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8')) as DemoFile;
  return { service, demo };
}

/** A service with a host, whose spaces have these titles, for as long as the file's tests run. */
export async function startHosted(titles: readonly string[], settings: Record<string, string> = {}) {
  // The page has the machine's clock, so the service starts with it too.
  const world = await startWorld(engines[0]!, settings, new TestClock(new Date().toISOString()));
  after(() => world.close());
  const hostId = await world.addHost();
  const spaces: string[] = [];
  for (const title of titles) spaces.push(await world.addSpace(hostId, { title }));
  const { key } = await world.addKey(hostId, { scopes: ALL_SCOPES });

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
    const answer = await world.call('POST', '/api-create-booking/api/v1/bookings', { key, body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.data.booking.id;
  };
  const calendar = (query: Record<string, string>): string =>
    `/calendar?${new URLSearchParams({ space: spaces[0]!, ...query }).toString()}`;
  return { world, hostId, spaces, key, book, calendar, asHost: asHostOf(world.url, key) };
}

/** What the pages of the test that runs have done and must not. */
let watched: { page: Page; found: string[] }[] = [];

afterEach(async () => {
  const found = watched.flatMap((each) => each.found);
  const contexts = new Set(watched.map(({ page }) => page.context()));
  watched = [];
  await Promise.all([...contexts].map((context) => context.close()));
  // Refusals of the API are the browser's own complaints, and no fault.
  const faults = found.filter(
    (line) => !/Failed to load resource|ERR_|Service Worker registration/.test(line),
  );
  assert.deepEqual(faults, []);
});

/** A new browser window at the console, without a past. It is closed when the test ends. */
export async function visit(url: string, path = '', options: BrowserContextOptions = WIDE): Promise<Page> {
  const context = await browser.newContext({
    locale: 'en-US',
    timezoneId: 'America/New_York',
    // It would answer for files that a test holds back. console-app.ts lets it.
    serviceWorkers: 'block',
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  watched.push({ page, found: watch(page, new URL(url).origin) });
  await page.goto(`${url}/console${path}`);
  return page;
}

export async function signIn(page: Page, key: string, stay = false, words: Words = english): Promise<void> {
  await page.getByRole('textbox', { name: words.signIn.apiKey }).fill(key);
  if (stay) await page.getByRole('checkbox', { name: words.signIn.stay }).check();
  await page.getByRole('button', { name: words.signIn.signIn }).click();
  await page.getByRole('navigation', { name: words.navigation }).waitFor();
  await page.getByRole('status', { name: words.environment }).waitFor();
}

/** A host who looks at a page with a key, signed in, and what the page has asked the service for since. */
export function asHostOf(url: string, ownKey: string) {
  return async (
    path: string,
    options: BrowserContextOptions = WIDE,
    key = ownKey,
  ): Promise<{ page: Page; asked: string[] }> => {
    const page = await visit(url, path, options);
    const asked: string[] = [];
    page.on('request', (request) => {
      const url = request.url();
      // The look for changes by others comes with the time that passes, not with what a person does.
      const isOwn = /\/console\/(api|session|keys)/.test(url) && !url.includes('updated_since');
      if (isOwn && !request.isNavigationRequest()) asked.push(`${request.method()} ${url}`);
    });
    await signIn(page, key);
    return { page, asked };
  };
}

/** The page as it is now is accessible and fits the screen. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  await keepPicture(page, what);
  await assertFits(page, what);
  assert.deepEqual(await violations(page), [], what);
}

/** A new invitation to the console, and its path there. */
export async function invite(
  { ctx }: World,
  hostId: string,
  fields: Partial<invitations.NewInvitation> = {},
): Promise<{ id: string; path: string }> {
  const wanted = {
    hostId,
    environment: 'production',
    name: 'Console',
    scopes: SCOPES,
    linkMs: 3_600_000,
  } as const;
  const { id, url } = await ctx.db.transaction((tx) =>
    invitations.invite(tx, ctx.clock.now(), operator, ctx.config, { ...wanted, ...fields }),
  );
  return { id, path: `/welcome${new URL(url).hash}` };
}

/** Pressing the button sends nothing: the field that is missing has the focus and says so, and an alert repeats it. */
export async function assertRequires(page: Page, name: string, button: string): Promise<void> {
  const sent: string[] = [];
  page.on('request', (request) => request.method() !== 'GET' && sent.push(request.url()));
  await page.getByRole('button', { name: button, exact: true }).last().click();
  const words = `${name.replace(/ \(.*/, '')} is missing.`;
  await page.getByRole('alert').filter({ hasText: words }).waitFor();
  const field = page.getByRole('textbox', { name, exact: true }).and(page.locator(':focus'));
  await field.waitFor();
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  assert.equal(await described(field), words);
  assert.deepEqual(sent, []);
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

export async function goTo(page: Page, screen: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: screen }).click();
  await page.getByRole('heading', { level: 1, name: screen }).waitFor();
}

/** 2027-03-18, 10, available: Thursday, March 18, 2027, 10:00, available */
export function cellName(date: string, hour: number, state: string): string {
  return `${dayName(date)}, ${String(hour).padStart(2, '0')}:00, ${state}`;
}

export function cell(page: Page, date: string, hour: number, state: string): Locator {
  return page.getByRole('gridcell', { name: cellName(date, hour, state), exact: true });
}

export const daysFromNow = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** SHOTS=<folder> keeps pictures. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env['SHOTS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

export async function assertFits(page: Page, what: string): Promise<void> {
  const width = (await page.evaluate('document.documentElement.scrollWidth')) as number;
  // Not innerWidth: a phone zooms out until it has the width of what is too wide.
  const wanted = page.viewportSize()!.width;
  assert.ok(width <= wanted, `${what} scrolls sideways: ${width} of ${wanted}`);
}
