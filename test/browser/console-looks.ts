import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { Hourkeep } from '../../client/src/index.ts';
import german from '../../console/src/languages/de.ts';
import english, { type Words } from '../../console/src/languages/en.ts';
import spanish from '../../console/src/languages/es.ts';
import { hourkeep } from '../support/process.ts';
import {
  alertOf,
  assertAccessible,
  button,
  closed,
  daysFromNow,
  goTo,
  newPage,
  opener,
  PHONE,
  press,
  sees,
  settled,
  textbox,
  visit,
  WIDE,
} from './console-support.ts';
import { demo, place, service } from './demo.ts';

// npm run test:browser: every screen and dialog of the console in every language, on small and wide screens, light, dark and in
// forced colours.

const { url } = service;
const [space] = demo.spaces;
const open = opener(url, demo.keys.production);
const hk = new Hourkeep({ apiKey: demo.keys.production, baseUrl: url });

/** By locale. */
const WORDS: Record<string, Words> = { 'en-US': english, 'de-AT': german, 'es-ES': spanish };
const narrow = (width: number): BrowserContextOptions => ({ ...PHONE, viewport: { width, height: 700 } });

const LOOKS: [name: string, locale: string, options: BrowserContextOptions][] = [
  ['light', 'en-US', WIDE],
  ['dark', 'de-AT', { ...WIDE, colorScheme: 'dark', reducedMotion: 'reduce' }],
  ['forced colours', 'en-US', { viewport: { width: 1024, height: 768 }, forcedColors: 'active' }],
  ['tablet', 'es-ES', { viewport: { width: 768, height: 1024 } }],
  ['phone, dark', 'en-US', { ...PHONE, colorScheme: 'dark' }],
  ['375 px', 'de-AT', narrow(375)],
  ['320 px', 'es-ES', narrow(320)],
];

for (const [number, [name, locale, options]] of LOOKS.entries())
  test(`every screen and dialog is accessible and fits: ${name}, ${locale}`, async () => {
    const words = WORDS[locale]!;
    const date = daysFromNow(47 + number);
    const guest = { guest_name: 'Ada Miller', guest_email: 'ada@example.com' };
    await hk.bookings.create({ space_id: space!.id, date, start_hour: 10, end_hour: 12, ...guest });
    const page = await visit(url, '', { ...options, locale });
    const look = async (what: string): Promise<void> => {
      await settled(page);
      await assertAccessible(page, `${name} ${what}`);
      assert.deepEqual(await page.evaluate(TOO_WIDE), [], what);
      assert.deepEqual(await page.evaluate(TOUCHING), [], what);
    };
    const ofSpace = (what: string) => `${what}, ${space!.title}`;
    const { calendar, hours } = words;
    const free = page.locator('td[data-hour="13"][data-state=available]');

    await textbox(page, words.signIn.apiKey).fill('nonsense');
    await press(page, words.signIn.signIn);
    await alertOf(page, words.refusals.codes.INVALID_API_KEY);
    await sees(page, words.signIn.stayHint);
    await look('sign-in');

    await page.goto(`${url}/console${await invitation()}`);
    await button(page, words.welcome.makeKey).waitFor();
    await look('welcome');
    await press(page, words.welcome.makeKey);
    await textbox(page, words.welcome.yourKey).waitFor();
    await look('new key');
    await press(page, words.signOut);
    await dialog(page).waitFor();
    await look('leave without it');
    await dismiss(page);
    await press(page, words.once.saved);

    for (const screen of ['today', 'calendar', 'bookings', 'money', 'spaces', 'webhooks', 'keys'] as const) {
      await goTo(page, screen, words);
      await look(screen);
    }

    // From where each dialog is opened, and how.
    const dialogs: [what: string, screen: keyof Words['screens'], open: () => Promise<unknown>][] = [
      [
        'make a key',
        'keys',
        async () => {
          await press(page, words.keys.make);
          await page.getByRole('radio', { name: words.keys.access.custom }).check();
        },
      ],
      ['add webhook', 'webhooks', () => press(page, words.webhooks.add)],
      ['details', 'spaces', () => press(page, ofSpace(words.spaces.details))],
      ['feed', 'spaces', () => press(page, ofSpace(words.spaces.feed))],
      ['calendars', 'spaces', () => press(page, ofSpace(words.spaces.calendars))],
      [
        'deactivate',
        'spaces',
        () => page.getByRole('checkbox', { name: ofSpace(words.spaces.active) }).click(),
      ],
      ['walk-in', 'today', () => press(page, words.booking.walkIn)],
    ];
    for (const [what, screen, act] of dialogs) {
      await goTo(page, screen, words);
      await act();
      await dialog(page).waitFor();
      await look(what);
      await dismiss(page);
    }

    await page.goto(`${url}/console/calendar?space=all&view=week&date=${date}`);
    await look('week of all spaces');
    await page.goto(`${url}/console/calendar?space=${space!.id}&view=day&date=${date}`);
    for (const view of ['month', 'week', 'day'] as const) {
      await page.getByRole('radio', { name: calendar.views[view] }).check();
      await look(view);
    }
    await free.click();
    await look('book');
    await press(page, hours.bookHours);
    await page.getByRole('alert').first().waitFor();
    await look('refusal');
    await page.getByRole('tab', { name: hours.block }).click();
    await look('block');
    await press(page, hours.blockHours);
    await button(page, words.undo).waitFor();
    await look('toast');
    await press(page, words.undo);
    await free.waitFor();
    await page.locator('td[data-hour="10"][data-state=booked]').click();
    await look('booking');
    await press(page, words.move.move);
    await button(page, words.move.moveBooking).waitFor();
    await look('move');
    await dismiss(page);

    await page.context().setOffline(true);
    await page.getByRole('status', { name: words.offline.title }).waitFor();
    await look('offline');
  });

for (const [locale, lang, name] of [
  ['en-US', 'en', 'Monday, March 18, 2030, 10:00, available'],
  ['de-AT', 'de', 'Montag, 18. März 2030, 10:00, frei'],
  ['es-ES', 'es', 'lunes, 18 de marzo de 2030, 10:00, libre'],
  ['fr-FR', 'en', 'Monday, March 18, 2030, 10:00, available'],
] as const)
  test(`a browser in ${locale} is answered in ${lang}, dates too`, async () => {
    const path = `/calendar?space=${space!.id}&view=day&date=2030-03-18`;
    const page = await open(path, { ...WIDE, locale });
    await page.getByRole('gridcell', { name, exact: true }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.lang'), lang);
  });

test('another language is loaded when it is chosen, takes effect at once and is remembered', async () => {
  const page = await open('/money');
  const loaded: string[] = [];
  page.on('request', (request) => {
    const [, file] = /\/assets\/((?:de|es)-[^/]+\.js)$/.exec(request.url()) ?? [];
    if (file !== undefined) loaded.push(file.slice(0, 2));
  });
  const select = page.getByRole('combobox', { name: english.language });
  await select.waitFor();
  assert.deepEqual(await select.getByRole('option').allTextContents(), ['Deutsch', 'English', 'Español']);
  await sees(page, '$');
  assert.deepEqual(loaded, []);
  await select.focus();
  await select.selectOption('de');
  await sees(page, /\d,\d\d\s\$/);
  assert.deepEqual(loaded, ['de']);
  assert.equal(await page.evaluate('Object.keys(localStorage).join()'), 'hourkeep.language');
  // Still there, and with the focus: the next arrow goes on from here.
  assert.equal(await page.evaluate('document.activeElement.tagName'), 'SELECT');
  await page.reload();
  await page.getByRole('heading', { level: 1, name: german.screens.money }).waitFor();
});

test('the scripts of the first screen and the service worker are at most 150 kB, gzipped', async () => {
  const names = new Set<string>();
  const page = await newPage(url, WIDE, demo.keys.production);
  page.on('response', (response) => {
    const name = /\/console\/assets\/(.+\.js)$/.exec(response.url())?.[1];
    if (name !== undefined) names.add(name);
  });
  await page.goto(`${url}/console`);
  await page.getByRole('heading', { name: /^Guests today/ }).waitFor();
  const build = join(import.meta.dirname, '../../console/dist');
  const worker = gzipSync(readFileSync(join(build, 'sw.js'))).length;
  const sizes = [...names].map((name) => statSync(join(build, 'assets', `${name}.gz`)).size);
  const total = sizes.reduce((sum, size) => sum + size, worker);
  process.stdout.write(`first screen: ${(total / 1000).toFixed(1)} kB of scripts, gzipped\n`);
  assert.ok(total > 50_000 && total <= 150_000, String(total));
});

const dialog = (page: Page): Locator => page.getByRole('dialog');

async function dismiss(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await closed(dialog(page));
}

/** To the console, which makes a key that may do everything. */
async function invitation(): Promise<string> {
  const of = ['--host', demo.host.id, '--env', 'production', '--json'];
  const { stdout, stderr } = await hourkeep(['key', 'invite', ...of], place);
  assert.ok(stdout !== '', stderr);
  return `/welcome${new URL((JSON.parse(stdout) as { url: string }).url).hash}`;
}

/** Words that stick out of what they stand in, but for those in a part that scrolls and those one pixel wide, which only screen readers have. */
const TOO_WIDE = `[...document.querySelectorAll('button, a, label, h1, h2, h3, p, dt, dd, .badge')]
  .filter((each) => each.closest('.visually-hidden, .grid-scroller') === null)
  .filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 1)
  .map((each) => each.className + ' ' + each.textContent)`;

/** Labels of the navigation that leave less than two pixels between each other. */
const TOUCHING = `[...document.querySelectorAll('.side nav li span')]
  .filter((label) => label.checkVisibility())
  .map((label) => { const range = new Range(); range.selectNodeContents(label); return [label.textContent, range.getBoundingClientRect()]; })
  .filter(([, box], index, all) => index > 0 && all[index - 1][1].top === box.top && box.left - all[index - 1][1].right < 2)
  .map(([text]) => text)`;
