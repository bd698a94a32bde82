import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import german from '../../console/src/languages/de.ts';
import english, { type Words } from '../../console/src/languages/en.ts';
import spanish from '../../console/src/languages/es.ts';
import { violations } from './chromium.ts';
import { assertFits, keepPicture, PHONE, signIn, startDemo, visit, WIDE } from './console-support.ts';

// npm run test:browser: the console in every language that it speaks.

const { service, demo } = await startDemo();
const signInWith = (page: Page, words: Words): Promise<void> =>
  signIn(page, demo.keys.production, false, words);

// In March 2030 nothing is booked yet.
for (const [locale, lang, words, weekday] of [
  ['en-US', 'en', english, 'Monday, March 18, 2030, 10:00, available'],
  ['de-AT', 'de', german, 'Montag, 18. März 2030, 10:00, frei'],
  ['es-ES', 'es', spanish, 'lunes, 18 de marzo de 2030, 10:00, libre'],
  ['fr-FR', 'en', english, 'Monday, March 18, 2030, 10:00, available'],
] as const) {
  test(`a browser in ${locale} is answered in ${lang}, dates too`, async () => {
    const path = `/calendar?space=${demo.spaces[0]!.id}&view=day&date=2030-03-18`;
    const page = await visit(service.url, path, { ...WIDE, locale });
    await signInWith(page, words);
    await page.getByRole('heading', { level: 1, name: words.screens.calendar }).waitFor();
    await page.getByRole('gridcell', { name: weekday, exact: true }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.lang'), lang);
  });
}

test('another language is loaded when it is chosen, takes effect at once and is remembered', async () => {
  const page = await visit(service.url, '/money');
  const loaded: string[] = [];
  page.on('request', (request) => {
    const [, file] = /\/assets\/((?:de|es)-[^/]+\.js)$/.exec(request.url()) ?? [];
    if (file !== undefined) loaded.push(file.slice(0, 2));
  });
  await signInWith(page, english);
  const select = page.getByRole('combobox', { name: english.language });
  assert.deepEqual(await select.getByRole('option').allTextContents(), ['Deutsch', 'English', 'Español']);
  await page.getByText('$').first().waitFor();
  assert.deepEqual(loaded, []);
  await select.focus();
  await select.selectOption('de');
  await page.getByRole('heading', { level: 1, name: german.screens.money }).waitFor();
  assert.deepEqual(loaded, ['de']);
  assert.equal(await page.evaluate('document.documentElement.lang'), 'de');
  await page
    .getByText(/\d,\d\d\s\$/)
    .first()
    .waitFor();
  assert.equal(await page.evaluate('Object.keys(localStorage).join()'), 'hourkeep.language');
  // Still there, and with the focus: the next arrow goes on from here.
  assert.equal(await page.evaluate('document.activeElement.tagName'), 'SELECT');
  await page.reload();
  await page.getByRole('combobox', { name: german.language }).selectOption('en');
  await page.getByRole('heading', { level: 1, name: english.screens.money }).waitFor();
});

test('a language that cannot be loaded leaves the old one, says so and can be tried again', async () => {
  const page = await visit(service.url);
  await page.route('**/assets/es-*.js', (route) => route.abort());
  await page.getByRole('combobox', { name: english.language }).selectOption('es');
  const alert = page.getByRole('alert').filter({ hasText: english.languageFailed });
  await alert.waitFor();
  assert.deepEqual(await violations(page), []);
  assert.equal(await page.evaluate('document.documentElement.lang'), 'en');
  await page.unroute('**/assets/es-*.js');
  await alert.getByRole('button', { name: english.tryAgain }).click();
  await page.getByRole('textbox', { name: spanish.signIn.apiKey }).waitFor();
  await alert.waitFor({ state: 'detached' });
});

for (const [locale, words] of [
  ['en-US', english],
  ['de-DE', german],
  ['es-ES', spanish],
] as const) {
  test(`nothing overflows on a phone in ${locale}`, async () => {
    const page = await visit(service.url, '', { ...PHONE, locale });
    const look = async (what: string): Promise<void> => {
      await assertFits(page, `${locale} ${what}`);
      assert.deepEqual(await page.evaluate(TOO_WIDE), [], `${locale} ${what}`);
      await keepPicture(page, `${locale}-${what}`);
    };
    await look('sign-in');
    await signInWith(page, words);
    for (const screen of ['today', 'calendar', 'bookings', 'money', 'spaces', 'webhooks'] as const) {
      await page.getByRole('link', { name: words.screens[screen], exact: true }).tap();
      await page.getByRole('heading', { level: 1, name: words.screens[screen] }).waitFor();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      await look(screen);
    }
    await page.getByRole('link', { name: words.screens.calendar, exact: true }).tap();
    for (const view of ['day', 'week', 'month'] as const) {
      await page.getByRole('radio', { name: words.calendar.views[view] }).check();
      for (const width of [PHONE.viewport!.width, 375]) {
        await page.setViewportSize({ ...PHONE.viewport!, width });
        await look(`${view} at ${width}`);
      }
    }
    await page.getByRole('link', { name: words.screens.webhooks, exact: true }).tap();
    await page.getByRole('button', { name: words.webhooks.add }).tap();
    await look('add-webhook');
    await page.getByRole('button', { name: words.close, exact: true }).tap();
    await page.getByRole('link', { name: words.screens.spaces, exact: true }).tap();
    for (const dialog of ['details', 'feed', 'calendars'] as const) {
      await page.getByRole('button', { name: `${words.spaces[dialog]}, ${demo.spaces[0]!.title}` }).tap();
      await page.getByRole('dialog', { name: words.spaces[dialog] }).waitFor();
      await look(dialog);
      await page.getByRole('button', { name: words.close, exact: true }).tap();
    }
  });
}

/** Words that stick out of what they stand in, but for those in a part that scrolls and those one pixel wide, which only screen readers have. */
const TOO_WIDE = `[...document.querySelectorAll('button, a, label, h1, h2, h3, p, dt, dd, .badge, nav span')]
  .filter((each) => each.closest('.visually-hidden, .grid-scroller') === null)
  .filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 1)
  .map((each) => each.className + ' ' + each.textContent)`;
