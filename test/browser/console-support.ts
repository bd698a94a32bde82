import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { watch } from './chromium.ts';

export const WIDE: BrowserContextOptions = { viewport: { width: 1440, height: 900 } };
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};

export interface Visit {
  page: Page;
  /** What the page must not do, seen so far. Refusals of the API are the browser's own complaints, and no fault. */
  faults: () => string[];
  close: () => Promise<void>;
}

/** A new browser window at the console, without a past. */
export async function visit(
  browser: Browser,
  url: string,
  path = '',
  options: BrowserContextOptions = WIDE,
): Promise<Visit> {
  const context = await browser.newContext({
    locale: 'en-US',
    timezoneId: 'America/New_York',
    // It would answer for files that a test holds back. console-app.ts lets it.
    serviceWorkers: 'block',
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const found = watch(page, new URL(url).origin);
  await page.goto(`${url}/console${path}`);
  return {
    page,
    faults: () =>
      found.filter((line) => !/Failed to load resource|ERR_|Service Worker registration/.test(line)),
    close: () => context.close(),
  };
}

export async function signIn(page: Page, key: string, stay = false): Promise<void> {
  await page.getByRole('textbox', { name: 'API key' }).fill(key);
  if (stay) await page.getByRole('checkbox', { name: 'Stay signed in on this device' }).check();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('status', { name: 'Environment' }).waitFor();
}

/** A host who looks at a page with a key: signed in, in a window that is closed whatever happens. */
export function asHostOf(browser: Browser, where: () => { url: string; key: string }) {
  return async (
    path: string,
    use: (page: Page, asked: string[]) => Promise<void>,
    options: BrowserContextOptions = WIDE,
    key = where().key,
  ): Promise<void> => {
    const { page, faults, close } = await visit(browser, where().url, path, options);
    try {
      const asked: string[] = [];
      page.on('request', (request) => {
        const url = request.url();
        // The look for changes by others comes with the time that passes, not with what a person does.
        const isOwn = /\/console\/(api|session|keys)/.test(url) && !url.includes('updated_since');
        if (isOwn && !request.isNavigationRequest()) asked.push(`${request.method()} ${url}`);
      });
      await signIn(page, key);
      await use(page, asked);
      assert.deepEqual(faults(), []);
    } finally {
      await close();
    }
  };
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
