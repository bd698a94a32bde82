import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import * as payments from '../../src/payments/payments.ts';
import { operator } from '../support/operator.ts';
import { browser } from './browser.ts';
import { violations } from './chromium.ts';
import {
  assertAccessible,
  cell,
  dayName,
  daysFromNow,
  goTo,
  keepPicture,
  NO_LIMITS,
  PHONE,
  signIn,
  startHosted,
  visit,
  WIDE,
} from './console-support.ts';

// npm run test:browser: months, dates, history, moves, blocks of many days, guests found, and what all of it costs.

const TABLET: BrowserContextOptions = { viewport: { width: 768, height: 1024 } };
const LOOKS: [name: string, options: BrowserContextOptions][] = [
  ['light', WIDE],
  ['dark', { ...WIDE, colorScheme: 'dark' }],
  ['tablet', TABLET],
  ['phone', PHONE],
  ['phone-dark', { ...PHONE, colorScheme: 'dark' }],
  ['320', { ...PHONE, viewport: { width: 320, height: 700 } }],
  ['forced', { ...WIDE, forcedColors: 'active' }],
];

const { world, spaces, key, book, calendar, asHost } = await startHosted(
  ['Riverside Studio', 'The Loft', 'Garden Room'],
  { UNPAID_CANCEL_MINUTES: '30', ...NO_LIMITS },
);
await book(daysFromNow(120), 10, 'Ida Berg');

const monthCell = (page: Page, date: string, words: string) =>
  page.getByRole('gridcell', { name: `${dayName(date)}, ${words}`, exact: true });

test('one look at every screen and the next week costs at most 14 requests', async () => {
  const { page, asked } = await asHost('');
  await page
    .getByText(/left today/)
    .first()
    .waitFor();
  await settled(page);
  const first = asked.length;
  for (const screen of ['Calendar', 'Bookings', 'Money', 'Spaces', 'Webhooks', 'Keys', 'Today']) {
    await goTo(page, screen);
    await settled(page);
  }
  await goTo(page, 'Calendar');
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await page.locator('td[data-state="loading"]').first().waitFor({ state: 'detached' });
  await settled(page);
  // Before it signed in, the page has asked who is signed in.
  asked.unshift('GET /console/session');
  process.stdout.write(`requests: ${asked.length}, of which Today and sign-in ${first}\n`);
  assert.ok(asked.length <= 14, asked.join('\n'));
  assert.ok(asked.length > 5);
});

test('a week is one request, and one that was told is not asked for again', async () => {
  const date = daysFromNow(60);
  const { page, asked } = await asHost(calendar({ view: 'week', date }));
  await cell(page, date, 10, 'available').waitFor();
  const days = (): string[] => asked.filter((url) => url.includes('/availability?'));
  assert.equal(days().length, 1);
  assert.match(days()[0]!, /days=7/);
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await cell(page, daysFromNow(67), 10, 'available').waitFor();
  await page.getByRole('button', { name: 'Previous', exact: true }).click();
  await cell(page, date, 10, 'available').waitFor();
  assert.equal(days().length, 2);
});

test('a month says of each day how much is free and how many come, and Enter opens the day', async () => {
  // In the middle of a month: the arrows stay inside of it.
  const date = `${daysFromNow(70).slice(0, 7)}-15`;
  await book(date, 9, 'Ada Miller', { space_id: spaces[1] });
  await book(date, 13, 'Ben Okafor', { space_id: spaces[1] });
  const { page, asked } = await asHost(calendar({ space: spaces[1]!, view: 'month', date }));
  await monthCell(page, date, '20 hours free, 2 bookings').waitFor();
  assert.equal(asked.filter((url) => url.includes('/availability?')).length, 1);
  assert.equal(await page.getByRole('grid', { name: 'Calendar' }).count(), 1);
  const days = new Date(Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)), 0)).getUTCDate();
  assert.equal(await page.getByRole('gridcell').count(), days);
  await keepPicture(page, 'month');
  assert.deepEqual(await violations(page), []);
  const next = `${date.slice(0, 8)}16`;
  await monthCell(page, date, '20 hours free, 2 bookings').focus();
  await page.keyboard.press('ArrowRight');
  await monthCell(page, next, '24 hours free, 0 bookings').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await cell(page, date, 9, 'booked').filter({ hasText: 'Ada Miller' }).waitFor();
  assert.ok(await page.getByRole('radio', { name: 'Day' }).isChecked());
  // The keyboard goes on where it was: in the grid.
  await page.locator('td[data-hour]:focus').waitFor();
  await page.goBack();
  await monthCell(page, date, '20 hours free, 2 bookings').waitFor();
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await page
    .getByRole('gridcell', { name: /, 24 hours free, 0 bookings$/ })
    .first()
    .waitFor();
});

test('a month that cannot be loaded says so, and comes when it is tried again', async () => {
  const date = daysFromNow(70);
  const { page } = await asHost(calendar({ view: 'week', date }));
  await cell(page, date, 10, 'available').waitFor();
  await page.route(/\/assets\/month-view-.*\.js$/, (route) => route.abort());
  await page.getByRole('radio', { name: 'Month' }).check();
  const alert = page.getByRole('alert');
  await alert.waitFor();
  assert.deepEqual(await violations(page), []);
  await page.unroute(/\/assets\/month-view-.*\.js$/);
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page
    .getByRole('gridcell', { name: /bookings?$/ })
    .first()
    .waitFor();
});

test('every step is an entry of the history, and Back closes a dialog', async () => {
  const date = daysFromNow(80);
  const { page } = await asHost(calendar({ view: 'week', date }));
  await cell(page, date, 10, 'available').waitFor();
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await page.getByRole('radio', { name: 'Day' }).check();
  await cell(page, daysFromNow(87), 10, 'available').click();
  const dialog = page.getByRole('dialog', { name: 'Hours' });
  await dialog.waitFor();
  await page.goBack();
  await dialog.waitFor({ state: 'detached' });
  assert.ok(await page.getByRole('radio', { name: 'Day' }).isChecked());
  // A dialog that was closed by hand leaves nothing behind.
  await cell(page, daysFromNow(87), 10, 'available').click();
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.waitForFunction('history.state === null');
  await page.goBack();
  await page
    .locator('[role=radio]:checked, input[type=radio]:checked + span')
    .filter({ hasText: 'Week' })
    .waitFor();
  await cell(page, daysFromNow(87), 10, 'available').waitFor();
  await page.goBack();
  await cell(page, date, 10, 'available').waitFor();
  await page.goForward();
  await cell(page, daysFromNow(87), 10, 'available').waitFor();
});

test('Go to date takes ISO and the language’s own form; what cannot be read changes nothing', async () => {
  // Beyond the days that other tests book.
  const inEnglish = (date: string, month: 'numeric' | 'long'): string =>
    new Intl.DateTimeFormat('en-US', { year: 'numeric', month, day: 'numeric', timeZone: 'UTC' }).format(
      new Date(date),
    );
  const { page } = await asHost(calendar({ view: 'day', date: daysFromNow(190) }));
  const field = page.getByRole('textbox', { name: 'Go to date' });
  for (const [written, date] of [
    [daysFromNow(200), daysFromNow(200)],
    [inEnglish(daysFromNow(230), 'numeric'), daysFromNow(230)],
    [inEnglish(daysFromNow(260), 'long'), daysFromNow(260)],
  ] as const) {
    await field.fill(written);
    await field.press('Enter');
    await cell(page, date, 10, 'available').waitFor();
  }
  const address = page.url();
  for (const wrong of ['2027-02-31', '19/4/2027', 'soon']) {
    await field.fill(wrong);
    await page.locator('input[aria-invalid="true"]').waitFor();
    await page.getByRole('alert').filter({ hasText: 'Enter a date, for example' }).waitFor();
    assert.equal(page.url(), address);
  }
  await keepPicture(page, 'no-date');
  assert.deepEqual(await violations(page), []);
  await field.fill(daysFromNow(261));
  await cell(page, daysFromNow(261), 10, 'available').waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  await page.getByRole('button', { name: 'Choose a date: Go to date' }).waitFor();
});

test('hours that have begun are not offered for booking, only for blocking', async () => {
  const [date, hour] = new Intl.DateTimeFormat('sv', {
    timeZone: 'America/New_York',
    dateStyle: 'short',
    timeStyle: 'short',
  })
    // The running hour takes walk-ins: the one before it is over.
    .format(new Date(Date.now() - 3_600_000))
    .split(/[ :]/) as [string, string];
  const { page } = await asHost(calendar({ view: 'day', date }));
  const begun = cell(page, date, Number(hour), 'closed');
  assert.match((await begun.getAttribute('aria-description')) ?? '', /already begun/);
  await begun.click();
  const dialog = page.getByRole('dialog', { name: 'Hours' });
  await dialog.getByText('These hours have begun').waitFor();
  assert.ok(
    await dialog.getByRole('tab', { name: 'Book' }).and(page.locator('[aria-disabled=true]')).isVisible(),
  );
  await dialog.getByRole('button', { name: 'Block hours' }).waitFor();
  assert.deepEqual(await violations(page), []);
});

test('a wrong clock of the browser is noticed, and the calendar goes by the service’s', async () => {
  const page = await visit(world.url, '/calendar?view=day');
  await page.clock.install({ time: Date.now() - 3 * 86_400_000 });
  await page.reload();
  await signIn(page, key);
  await page.getByText(/clock of this device is 72 hours behind/).waitFor();
  const today = new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeZone: 'America/New_York' });
  await page.getByText(today.format(new Date()), { exact: true }).waitFor();
  assert.deepEqual(await violations(page), []);
});

test('a booking is moved to hours that overlap its own, and to another day and space', async () => {
  const date = daysFromNow(90);
  const later = daysFromNow(92);
  await book(date, 10, 'Greta Lind');
  const { page } = await asHost(calendar({ view: 'day', date }));
  const dialog = page.getByRole('dialog', { name: 'Booking' });
  await cell(page, date, 10, 'booked').filter({ hasText: 'Greta Lind' }).click();
  await dialog.getByRole('textbox', { name: 'Reason (required)' }).waitFor();
  await dialog.getByRole('button', { name: 'Move', exact: true }).click();
  await dialog.getByRole('combobox', { name: 'From' }).selectOption('11:00');
  assert.equal(await dialog.getByRole('combobox', { name: 'To' }).inputValue(), '13:00');
  await keepPicture(page, 'move');
  assert.deepEqual(await violations(page), []);
  await dialog.getByRole('button', { name: 'Move booking' }).click();
  await cell(page, date, 12, 'booked').waitFor();
  await cell(page, date, 10, 'available').waitFor();
  await cell(page, date, 11, 'booked').filter({ hasText: 'Greta Lind' }).click();
  await dialog.getByRole('button', { name: 'Move', exact: true }).click();
  await dialog.getByRole('textbox', { name: 'New date' }).fill(later);
  await dialog.getByRole('combobox', { name: 'New space' }).selectOption('The Loft');
  await dialog.getByRole('combobox', { name: 'From' }).selectOption('16:00');
  await dialog.getByRole('combobox', { name: 'To' }).selectOption('17:00');
  await dialog.getByRole('button', { name: 'Move booking' }).click();
  await page.getByText(`The booking of Greta Lind is moved to ${dayName(later)}, 4 PM – 5 PM.`).waitFor();
  await cell(page, date, 11, 'available').waitFor();
  await page.getByRole('combobox', { name: 'Space' }).selectOption('The Loft');
  await page.getByRole('textbox', { name: 'Go to date' }).fill(later);
  await cell(page, later, 16, 'booked').filter({ hasText: 'Greta Lind' }).waitFor();

  const path = `/api-bookings/api/v1/bookings?guest=greta&status=confirmed`;
  const { body } = await world.call('GET', path, { key });
  assert.equal(body.data.bookings.length, 1);
  const moved = body.data.bookings[0]!;
  assert.deepEqual(
    [moved.date, moved.start_hour, moved.end_hour, moved.space_id],
    [later, 16, 17, spaces[1]],
  );
});

test('a move onto taken hours marks them and keeps what was chosen; what cannot be moved says why', async () => {
  const date = daysFromNow(94);
  await book(date, 10, 'Ada Miller');
  await book(date, 14, 'Ben Okafor');
  const paid = await book(date, 18, 'Chiara Rossi', { settlement_mode: 'platform_settled' });
  await payments.confirm(world.ctx, operator, paid, null);
  const { page } = await asHost(calendar({ view: 'day', date }));
  const dialog = page.getByRole('dialog', { name: 'Booking' });
  await cell(page, date, 10, 'booked').filter({ hasText: 'Ada Miller' }).click();
  await dialog.getByRole('button', { name: 'Move', exact: true }).click();
  await dialog.getByRole('combobox', { name: 'From' }).selectOption('13:00');
  await dialog.getByText('2 PM taken').waitFor();
  await dialog.getByRole('button', { name: 'Move booking' }).click();
  await dialog
    .getByRole('alert')
    .filter({ hasText: /Request id/ })
    .waitFor();
  assert.equal(await dialog.getByRole('combobox', { name: 'From' }).inputValue(), '13:00');
  assert.deepEqual(await violations(page), []);
  // A date that cannot be read moves nothing either.
  await dialog.getByRole('textbox', { name: 'New date' }).fill('soon');
  await dialog.getByRole('combobox', { name: 'From' }).selectOption('20:00');
  await dialog.getByRole('button', { name: 'Move booking' }).click();
  await dialog.getByText('Enter a date, for example').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await cell(page, date, 18, 'booked').filter({ hasText: 'Chiara Rossi' }).click();
  await dialog.getByRole('button', { name: 'Move', exact: true }).click();
  await dialog.getByRole('alert').filter({ hasText: 'is paid for' }).waitFor();
  assert.deepEqual(await violations(page), []);

  const { body } = await world.call('GET', `/api-bookings/api/v1/bookings?from=${date}&to=${date}`, {
    key,
  });
  assert.deepEqual(
    body.data.bookings.map(({ start_hour, status }: { start_hour: number; status: string }) => [
      start_hour,
      status,
    ]),
    [
      [10, 'confirmed'],
      [14, 'confirmed'],
      [18, 'confirmed'],
    ],
  );
});

test('a booking takes guests, a reference and notes, shows them, and keeps them when it is moved', async () => {
  const date = daysFromNow(96);
  await world.call('PATCH', `/api-update-listing/api/v1/spaces/${spaces[0]}`, {
    key,
    body: { capacity: 8 },
  });
  const { page } = await asHost(calendar({ view: 'day', date }));
  await cell(page, date, 10, 'available').click();
  const form = page.getByRole('dialog', { name: 'Hours' });
  const field = (name: string) => form.getByRole('textbox', { name, exact: true });
  await field('Guest name').fill('Nora Vance');
  await field('Guest email').fill('nora@example.com');
  await field('Guests').fill('nine');
  await field('Reference').fill('PMS-20391');
  await field('Notes').fill('Brings a piano.\nRings at the back door.');
  await form.getByRole('button', { name: 'Book hours' }).click();
  await form.getByRole('alert').filter({ hasText: 'Guests must be a whole number' }).waitFor();
  await field('Guests').fill('9');
  await form.getByRole('button', { name: 'Book hours' }).click();
  await form.getByRole('alert').filter({ hasText: 'at most 8 people fit in this space' }).waitFor();
  assert.equal(await field('Guests').getAttribute('aria-invalid'), 'true');
  assert.deepEqual(await violations(page), []);
  await field('Guests').fill('6');
  await form.getByRole('button', { name: 'Book hours' }).click();
  await form.waitFor({ state: 'detached' });

  const booking = page.getByRole('dialog', { name: 'Booking' });
  const facts = async (): Promise<(string | null)[]> =>
    Promise.all(
      ['Guests', 'Reference', 'Notes'].map((name) =>
        booking
          .locator('dl > div')
          .filter({ has: page.getByText(name, { exact: true }) })
          .locator('dd')
          .textContent(),
      ),
    );
  const given = ['6', 'PMS-20391', 'Brings a piano.\nRings at the back door.'];
  await cell(page, date, 10, 'booked').filter({ hasText: 'Nora Vance' }).click();
  await booking.waitFor();
  assert.deepEqual(await facts(), given);
  await keepPicture(page, 'booking-notes');
  await booking.getByRole('button', { name: 'Move', exact: true }).click();
  await booking.getByRole('combobox', { name: 'From' }).selectOption('15:00');
  await booking.getByRole('button', { name: 'Move booking' }).click();
  await booking.waitFor({ state: 'detached' });
  await cell(page, date, 15, 'booked').filter({ hasText: 'Nora Vance' }).click();
  await booking.waitFor();
  assert.deepEqual(await facts(), given);
  await page.keyboard.press('Escape');

  await goTo(page, 'Bookings');
  await page.getByRole('searchbox', { name: 'Find a guest' }).fill('Nora');
  await page.getByRole('table').getByText('Nora Vance').first().waitFor();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  assert.match(readFileSync(await file.path(), 'utf8'), /"Brings a piano.\nRings at the back door."/);
});

test('a walk-in without an address shows none', async () => {
  const [date, time] = new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'short',
    timeZone: 'America/New_York',
  })
    .format(world.clock.now())
    .split(' ') as [string, string];
  const hour = Number.parseInt(time);
  const walkIn = { walk_in: true, guest_email: undefined, space_id: spaces[1], end_hour: hour + 1 };
  await book(date, hour, 'Theo Marsh', walkIn);
  const { page } = await asHost(calendar({ view: 'day', date, space: spaces[1]! }));
  await cell(page, date, hour, 'booked').filter({ hasText: 'Theo Marsh' }).click();
  const dialog = page.getByRole('dialog', { name: 'Booking' });
  await dialog.getByText('Walk-in', { exact: true }).waitFor();
  assert.doesNotMatch((await dialog.textContent())!, /Email|@/);
  await keepPicture(page, 'booking-walk-in');
});

test('a booking that is cancelled unless it is paid says until when', async () => {
  const date = daysFromNow(97);
  await book(date, 10, 'Vera Holt', { settlement_mode: 'platform_settled' });
  const due = new Intl.DateTimeFormat('en-US', { timeStyle: 'short', timeZone: 'America/New_York' });
  const time = due.format(world.clock.now() + 30 * 60_000);
  const { page } = await asHost(calendar({ view: 'day', date }));
  await cell(page, date, 10, 'booked').filter({ hasText: 'Vera Holt' }).click();
  const dialog = page.getByRole('dialog', { name: 'Booking' });
  await dialog.getByText(`${time}, otherwise it is cancelled`).waitFor();
  await keepPicture(page, 'booking-unpaid');
});

test('hours of many days are blocked by one request, with a line for each day that was taken', async () => {
  const first = daysFromNow(100);
  const busy = daysFromNow(102);
  const early = daysFromNow(103);
  const last = daysFromNow(106);
  const weekday = (date: string): string => dayName(date).split(',')[0]!;
  await book(busy, 9, 'Dae-jung Lee');
  await world.call('POST', `/api-blocks/api/v1/spaces/${spaces[0]}/blocks`, {
    key,
    body: { date: early, start_hour: 11, end_hour: 12 },
  });
  const { page, asked } = await asHost(calendar({ view: 'day', date: first }));
  await cell(page, first, 9, 'available').click();
  const dialog = page.getByRole('dialog', { name: 'Hours' });
  await dialog.getByRole('tab', { name: 'Block' }).click();
  for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']) {
    assert.ok(await dialog.getByRole('checkbox', { name: day }).isChecked());
  }
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Rehearsals');
  await dialog.getByRole('combobox', { name: 'Ends' }).selectOption('12:00');
  await dialog.getByRole('textbox', { name: 'Until date' }).fill(last);
  await dialog.getByRole('checkbox', { name: weekday(daysFromNow(104)) }).uncheck();
  await dialog.getByText('6 days', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Block hours' }).click();
  const told = dialog.getByRole('alert');
  await told.filter({ hasText: 'Blocked on 6 days. Some hours were not free on 2 days:' }).waitFor();
  const lines = await told.getByRole('listitem').allTextContents();
  assert.match(lines[0]!, /not free: 9 AM – 11 AM; blocked: 11 AM – 12 PM$/);
  assert.match(lines[1]!, /not free: 11 AM – 12 PM; blocked: 9 AM – 11 AM$/);
  assert.equal(asked.filter((request) => /^POST .*\/api-/.test(request)).length, 1);
  await keepPicture(page, 'block-days');
  assert.deepEqual(await violations(page), []);
  // Its button has the focus.
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('textbox', { name: 'Go to date' }).fill(last);
  await cell(page, last, 10, 'blocked').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await cell(page, last, 10, 'available').waitFor();
  await page.getByText('Unblocked 9 AM – 12 PM on 6 days.').waitFor();
  // What was blocked before stays.
  await page.getByRole('textbox', { name: 'Go to date' }).fill(early);
  await cell(page, early, 10, 'available').waitFor();
  await cell(page, early, 11, 'blocked').waitFor();
});

test('a year of Sundays is blocked by one request, and freed by one', async () => {
  const day = new Date(daysFromNow(130)).getUTCDay();
  const sunday = daysFromNow(137 - day);
  const last = daysFromNow(137 - day + 364);
  const { page, asked } = await asHost(calendar({ view: 'day', date: sunday, space: spaces[2]! }));
  await cell(page, sunday, 9, 'available').click();
  const dialog = page.getByRole('dialog', { name: 'Hours' });
  await dialog.getByRole('tab', { name: 'Block' }).click();
  await dialog.getByRole('textbox', { name: 'Until date' }).fill(last);
  for (const name of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'])
    await dialog.getByRole('checkbox', { name }).uncheck();
  await dialog.getByText('53 days', { exact: true }).waitFor();
  const before = asked.length;
  await dialog.getByRole('button', { name: 'Block hours' }).click();
  await page.getByText('Blocked 9 AM – 10 AM on 53 days.').waitFor();
  await cell(page, sunday, 9, 'blocked').waitFor();
  // And the day that can be seen is read anew.
  assert.deepEqual(
    asked.slice(before).map((request) => request.split(' ')[0]),
    ['POST', 'GET'],
  );
  await page.getByRole('textbox', { name: 'Go to date' }).fill(last);
  await cell(page, last, 9, 'blocked').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Unblocked 9 AM – 10 AM on 53 days.').waitFor();
  await cell(page, last, 9, 'available').waitFor();
  assert.equal(asked.filter((request) => request.startsWith('DELETE')).length, 1);
});

test('a guest is found from a year back on, until the person changes From', async () => {
  // In the past there are no bookings to make: this one is put there.
  const id = await book(daysFromNow(110), 10, 'Élise Dupont');
  await book(daysFromNow(111), 10, 'Elise Dupont-Martin');
  const past = daysFromNow(-100);
  await world.write(`update bookings set date = $1 where id = $2`, [past, id]);
  const { page } = await asHost('/bookings');
  const table = page.getByRole('table', { name: 'Bookings' });
  await table.waitFor();
  await page.getByRole('searchbox', { name: 'Find a guest' }).fill('elise');
  await table.getByText('Élise Dupont', { exact: true }).waitFor();
  await table.getByText('Elise Dupont-Martin').waitFor();
  await page.getByText(/^Looks from /).waitFor();
  await keepPicture(page, 'find');
  assert.deepEqual(await violations(page), []);
  await page.getByRole('textbox', { name: 'From' }).fill(daysFromNow(0));
  await table.getByText('Élise Dupont', { exact: true }).waitFor({ state: 'detached' });
  await table.getByText('Elise Dupont-Martin').waitFor();
  const before = page.url();
  await page.getByRole('textbox', { name: 'To', exact: true }).fill('2027-13-01');
  await page.locator('input[aria-invalid="true"]').waitFor();
  assert.equal(page.url(), before);
  await table.getByText('Elise Dupont-Martin').waitFor();
  await page.reload();
  assert.equal(await page.getByRole('searchbox', { name: 'Find a guest' }).inputValue(), 'elise');
});

test('a cancelled booking’s money is told in one way in the list and in its dialog', async () => {
  const date = daysFromNow(115);
  const id = await book(date, 10, 'Fay Wong');
  const path = `/api-cancel-booking/api/v1/bookings/${id}/cancel`;
  await world.call('POST', path, { key, body: { reason: 'Ill' } });
  const { page } = await asHost(`/bookings?from=${date}&to=${date}`);
  const row = page.getByRole('row').filter({ hasText: 'Fay Wong' });
  await row.getByText('Cancelled, nothing to pay').waitFor();
  assert.equal(await row.locator('s').count(), 1);
  await row.getByRole('button').click();
  const dialog = page.getByRole('dialog', { name: 'Booking' });
  await dialog.getByText('Cancelled, nothing to pay').waitFor();
  assert.equal(await dialog.locator('dd s').count(), 1);
  assert.equal(await dialog.getByRole('button', { name: 'Move', exact: true }).count(), 0);
});

for (const [name, options] of LOOKS) {
  test(`month, week, day and their dialogs are accessible and fit: ${name}`, async () => {
    const date = daysFromNow(90);
    const look = async (page: Page, what: string): Promise<void> => {
      await page.waitForTimeout(200);
      await assertAccessible(page, `calendar-${name}-${what}`);
    };
    const { page } = await asHost(calendar({ view: 'month', date }), options);
    await page
      .getByRole('gridcell', { name: /bookings?$/ })
      .first()
      .waitFor();
    await look(page, 'month');
    for (const view of ['Week', 'Day']) {
      await page.getByRole('radio', { name: view }).check();
      await page.locator('td[data-state="loading"]').first().waitFor({ state: 'detached' });
      await look(page, view.toLowerCase());
    }
    await cell(page, date, 20, 'available').click();
    const hours = page.getByRole('dialog', { name: 'Hours' });
    await hours.getByRole('tab', { name: 'Block' }).click();
    await look(page, 'block');
    await page.keyboard.press('Escape');
    await hours.waitFor({ state: 'detached' });
    await goTo(page, 'Bookings');
    await page.getByRole('table', { name: 'Bookings' }).waitFor();
    await look(page, 'bookings');
    const confirmed = page.getByRole('row').filter({ hasText: 'Confirmed' });
    await confirmed.getByRole('button').last().click();
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByRole('button', { name: 'Move booking' }).waitFor();
    await look(page, 'move');
  });
}

test('right to left, arrows follow the eye and times are isolated', async () => {
  const date = daysFromNow(90);
  const { page } = await asHost(calendar({ view: 'week', date }));
  await cell(page, date, 14, 'available').waitFor();
  await page.evaluate("document.documentElement.dir = 'rtl'");
  await cell(page, date, 14, 'available').focus();
  const left = async (): Promise<number> => (await page.locator(':focus').boundingBox())!.x;
  const before = await left();
  await page.keyboard.press(new Date(`${date}T12:00Z`).getUTCDay() === 6 ? 'ArrowRight' : 'ArrowLeft');
  const moved = (await left()) - before;
  assert.ok(new Date(`${date}T12:00Z`).getUTCDay() === 6 ? moved > 0 : moved < 0, String(moved));
  await assertAccessible(page, 'calendar-rtl');
  await page.keyboard.press('Enter');
  const times = page.getByRole('dialog').locator('.dialog-subtitle bdi[dir=ltr]');
  await times.filter({ hasText: '2 PM – 3 PM' }).waitFor();
  await keepPicture(page, 'calendar-rtl-dialog');
});

describe('columns of many spaces', () => {
  async function hostWith(spaces: number, zones = ['America/New_York']): Promise<string> {
    const hostId = await world.addHost();
    for (let number = 1; number <= spaces; number++) {
      const title = `Room ${String(number).padStart(3, '0')}`;
      await world.addSpace(hostId, { title, timezone: zones[number % zones.length]! });
    }
    return (await world.addKey(hostId)).key;
  }

  test('every column has its zone where zones differ', async () => {
    const key = await hostWith(3, ['America/New_York', 'Europe/Berlin']);
    const page = await visit(world.url, `/calendar?view=day&date=${daysFromNow(20)}`);
    await signIn(page, key);
    const heads = page.getByRole('grid').getByRole('columnheader');
    await heads.filter({ hasText: 'Room 001' }).filter({ hasText: 'Europe/Berlin' }).waitFor();
    await heads.filter({ hasText: 'Room 002' }).filter({ hasText: 'America/New_York' }).waitFor();
    assert.equal(await heads.filter({ hasText: /America\/New_York|Europe\/Berlin/ }).count(), 3);
    await keepPicture(page, 'zones');
    assert.deepEqual(await violations(page), []);
  });

  test('200 spaces are drawn and asked for as they are seen', async () => {
    const key = await hostWith(200);
    const page = await visit(world.url, `/calendar?view=day&date=${daysFromNow(20)}`);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const days = (): number => asked.filter((url) => url.includes('/availability?')).length;
    await signIn(page, key);
    const grid = page.getByRole('grid', { name: 'Calendar' });
    const free = grid.getByRole('gridcell', { name: /, available$/ });
    await free.first().waitFor();
    await settled(page);
    assert.equal(await grid.getAttribute('aria-colcount'), '201');
    assert.ok((await grid.getByRole('columnheader').count()) < 25);
    assert.ok(days() > 3 && days() < 20, `${days()} days`);
    // Far along by scrolling, and on by keyboard.
    await page.locator('.grid-scroller').evaluate((element) => {
      element.scrollLeft = element.scrollWidth;
    });
    await grid.getByRole('columnheader', { name: 'Room 200' }).waitFor();
    await settled(page);
    assert.ok(days() < 40, `${days()} days`);
    await page.locator('td[data-column="190"][data-hour="10"]').focus();
    for (let press = 0; press < 14; press++) await page.keyboard.press('ArrowLeft');
    await page.locator('td[data-column="176"][data-hour="10"]:focus').waitFor();
    await keepPicture(page, '200-columns');
    assert.deepEqual(await violations(page), []);
  });

  test('with 200 spaces no task keeps the page from answering for 200 ms', async () => {
    const longest: Record<number, number> = {};
    for (const spaces of [3, 200]) {
      const key = await hostWith(spaces);
      const page = await visit(world.url, `/calendar?view=day&date=${daysFromNow(20)}`);
      await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
      // By selectors: to find elements by their roles would be the longest task of all.
      await page.locator('input').first().fill(key);
      await page.locator('button[type=submit]').click();
      await page.locator('td[data-state=available]').first().waitFor();
      await settled(page);
      await page.locator('.grid-scroller').evaluate((element) => {
        element.scrollLeft = element.scrollWidth / 2;
      });
      await settled(page);
      await page.locator('.pager button').last().click();
      await page.locator('td[data-state=available]').first().waitFor();
      await page.locator('nav a[href$="/today"]').click();
      await page.locator('.space-card').first().waitFor();
      await settled(page);
      longest[spaces] = longestTask(await browser.stopTracing());
    }
    process.stdout.write(`longest task: ${longest[3]} ms with 3 spaces, ${longest[200]} ms with 200\n`);
    assert.ok(longest[200]! > 0 && longest[200]! <= 200);
  });
});

/** Whatever was to be asked for has been: the console waits for a glance before it asks. */
async function settled(page: Page): Promise<void> {
  await page.waitForTimeout(500);
}

/** Of the thread that runs the page's scripts, in ms of its own work: what others do on this machine does not count. */
function longestTask(trace: Buffer): number {
  interface Event {
    name: string;
    pid: number;
    tid: number;
    tdur?: number;
  }
  const { traceEvents: events } = JSON.parse(trace.toString()) as { traceEvents: Event[] };
  const pages = new Set(
    events.filter(({ name }) => name === 'FunctionCall').map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = events.filter(({ name, pid, tid }) => name.endsWith('RunTask') && pages.has(`${pid} ${tid}`));
  return Math.round(Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000);
}
