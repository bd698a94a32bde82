import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import * as payments from '../../src/payments/payments.ts';
import { operator } from '../support/operator.ts';
import { until } from '../support/until.ts';
import { browser } from './browser.ts';
import { violations } from './chromium.ts';
import {
  alertOf,
  askedBy,
  button,
  cell,
  choose,
  closed,
  dayCell,
  dayName,
  daysFromNow,
  dialogOf,
  exported,
  goTo,
  hasFocus,
  inNewYork,
  newHost,
  newPage,
  NEW_YORK,
  PHONE,
  press,
  row,
  sees,
  textbox,
  toastOf,
  visit,
  WIDE,
  world,
} from './console-support.ts';

// npm run test:browser: the calendar. Hours are blocked and booked, bookings moved and cancelled, by mouse, by keyboard and on a phone.

const titles = ['Riverside Studio', 'The Loft', 'Garden Room'] as const;
const { spaces, key, call, book, bookings, calendar, open } = await newHost(...titles);
const [studio, loft, garden] = spaces as [string, string, string];

const hoursOf = (page: Page): Locator => dialogOf(page, 'Hours');
const bookingOf = (page: Page): Locator => dialogOf(page, 'Booking');
const daysAsked = (page: Page): string[] => askedBy(page).filter((line) => line.includes('/availability?'));

async function fillIn(page: Page, guest: string, email = 'guest@example.com'): Promise<void> {
  await textbox(page, 'Guest name').fill(guest);
  await textbox(page, 'Guest email').fill(email);
}

async function moveTo(page: Page, from: string): Promise<void> {
  await press(bookingOf(page), 'Move');
  await choose(bookingOf(page), 'From', from);
}

describe('hours are blocked', () => {
  test('by mouse: drag, type, press; and Undo', async () => {
    const date = daysFromNow(40);
    const page = await open(calendar({ view: 'week', date }));
    await cell(page, date, 10, 'available').scrollIntoViewIfNeeded();
    await cell(page, date, 10, 'available').hover();
    await page.mouse.down();
    await cell(page, date, 11, 'available').hover();
    await cell(page, date, 12, 'available').hover();
    await page.mouse.up();
    await page.getByRole('tab', { name: 'Block' }).click();
    await textbox(hoursOf(page), 'Reason').fill('Painting');
    await press(page, 'Block hours');
    for (const hour of [10, 11, 12]) await cell(page, date, hour, 'blocked').waitFor();
    await sees(cell(page, date, 10, 'blocked'), 'Painting');
    await press(page, 'Undo');
    for (const hour of [10, 11, 12]) await cell(page, date, hour, 'available').waitFor();
  });

  test('by keyboard: arrows, Shift and arrows, Enter; and unblocked', async () => {
    const date = daysFromNow(41);
    const page = await open(calendar({ view: 'week', date }));
    await cell(page, date, 9, 'available').focus();
    for (const keys of ['ArrowDown', 'Shift+ArrowDown', 'Shift+ArrowDown', 'Shift+ArrowUp', 'Enter'])
      await page.keyboard.press(keys);
    await sees(hoursOf(page), '10 AM – 12 PM');
    await page.getByRole('tab', { name: 'Book' }).focus();
    for (const keys of ['ArrowRight', 'Tab']) await page.keyboard.press(keys);
    await page.keyboard.type('Cleaning');
    await page.keyboard.press('Enter');
    await closed(hoursOf(page));
    await hasFocus(cell(page, date, 11, 'blocked'));
    await page.keyboard.press('Enter');
    await sees(hoursOf(page), 'Cleaning');
    await button(page, 'Unblock hours').press('Enter');
    for (const hour of [10, 11]) await cell(page, date, hour, 'available').waitFor();
  });

  test('on a phone: tap the first hour, tap the last', async () => {
    const date = daysFromNow(42);
    const page = await open(calendar({ date }), PHONE);
    await cell(page, date, 9, 'available').tap();
    await sees(page, 'From 9 AM: tap the end');
    await cell(page, date, 11, 'available').tap();
    await page.getByRole('tab', { name: 'Block' }).tap();
    await button(page, 'Block hours').tap();
    for (const hour of [9, 10, 11]) await cell(page, date, hour, 'blocked').waitFor();
  });

  test('on many days by one request, with a line for each day that was taken; Undo frees no others', async () => {
    const [first, busy, early, off, last] = [100, 102, 103, 104, 106].map(daysFromNow) as [
      string,
      string,
      string,
      string,
      string,
    ];
    await book(busy, 9, 'Dae-jung Lee');
    const taken = { date: early, start_hour: 11, end_hour: 12 };
    await call('POST', `/api-blocks/api/v1/spaces/${studio}/blocks`, taken);
    const page = await open(calendar({ date: first }));
    await cell(page, first, 9, 'available').click();
    const dialog = hoursOf(page);
    await dialog.getByRole('tab', { name: 'Block' }).click();
    for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'])
      assert.ok(await dialog.getByRole('checkbox', { name: day }).isChecked());
    await choose(dialog, 'Ends', '12:00');
    await textbox(dialog, 'Until date').fill(last);
    await dialog.getByRole('checkbox', { name: dayName(off).split(',')[0]! }).uncheck();
    await dialog.getByText('6 days', { exact: true }).waitFor();
    await press(dialog, 'Block hours');
    const told = await alertOf(dialog, 'Blocked on 6 days. Some hours were not free on 2 days:');
    const lines = await told.getByRole('listitem').allTextContents();
    assert.match(lines[0]!, /not free: 9 AM – 11 AM; blocked: 11 AM – 12 PM$/);
    assert.match(lines[1]!, /not free: 11 AM – 12 PM; blocked: 9 AM – 11 AM$/);
    assert.deepEqual(await violations(page), []);
    // Its button has the focus.
    await page.keyboard.press('Enter');
    await closed(dialog);
    await textbox(page, 'Go to date').fill(last);
    await cell(page, last, 10, 'blocked').waitFor();
    await press(page, 'Undo');
    await cell(page, last, 10, 'available').waitFor();
    await sees(page, 'Unblocked 9 AM – 12 PM on 6 days.');
    assert.equal(askedBy(page).filter((line) => line.startsWith('POST')).length, 1);
    // What was blocked before stays.
    await textbox(page, 'Go to date').fill(early);
    await cell(page, early, 10, 'available').waitFor();
    await cell(page, early, 11, 'blocked').waitFor();
  });
});

describe('hours are booked', () => {
  test('by mouse, and cancelled: its money is told in one way in the dialog and in the list', async () => {
    const date = daysFromNow(43);
    const page = await open(calendar({ view: 'week', date }));
    await cell(page, date, 14, 'available').click();
    await fillIn(page, 'Zora Quill', 'zora@example.com');
    await textbox(page, 'Guest phone').fill('+1 212 555 0199');
    await choose(page, 'Paid to', 'The platform');
    await press(page, 'Book hours');
    await cell(page, date, 14, 'booked').filter({ hasText: 'Zora Quill' }).click();
    await sees(bookingOf(page), 'To the platform, not paid yet');
    const due = new Intl.DateTimeFormat('en-US', { timeStyle: 'short', timeZone: NEW_YORK });
    await sees(bookingOf(page), `${due.format(world.clock.now() + 30 * 60_000)}, otherwise it is cancelled`);
    await textbox(page, 'Reason (required)').fill('Flooded');
    await press(page, 'Cancel booking');
    await cell(page, date, 14, 'available').waitFor();
    await goTo(page, 'bookings');
    await choose(page, 'Status', 'Cancelled');
    const line = row(page.getByRole('table', { name: 'Bookings' }), 'Zora Quill');
    await sees(line, 'Cancelled, nothing to pay');
    assert.equal(await line.locator('s').count(), 1);
    await line.getByRole('button').click();
    await sees(bookingOf(page), 'Cancelled, nothing to pay');
    assert.equal(await bookingOf(page).locator('dd s').count(), 1);
    assert.equal(await button(page, 'Move').count(), 0);
  });

  test('by keyboard alone, and cancelled', async () => {
    const date = daysFromNow(44);
    const page = await open(calendar({ view: 'week', date }));
    await cell(page, date, 14, 'available').focus();
    for (const keys of ['Shift+ArrowDown', 'Enter']) await page.keyboard.press(keys);
    await hasFocus(textbox(page, 'Guest name'));
    await page.keyboard.type('Ben Okafor');
    await page.keyboard.press('Tab');
    await page.keyboard.type('ben@example.com');
    await page.keyboard.press('Enter');
    await closed(hoursOf(page));
    await hasFocus(cell(page, date, 15, 'booked'));
    await page.keyboard.press('Enter');
    await bookingOf(page).waitFor();
    // Close, mail, all bookings of the guest, Move, and then the reason.
    for (let press = 0; press < 5; press++) await page.keyboard.press('Tab');
    await hasFocus(textbox(page, 'Reason (required)'));
    await page.keyboard.type('Closed that day');
    await page.keyboard.press('Enter');
    await cell(page, date, 14, 'available').waitFor();
  });

  test('on a phone with This hour only, where the focus stands at the hour afterwards', async () => {
    const date = daysFromNow(45);
    const page = await open(calendar({ date }), PHONE);
    await cell(page, date, 10, 'available').tap();
    await button(page, 'This hour only').tap();
    await fillIn(page, 'Chiara Rossi');
    await button(page, 'Book hours').tap();
    await closed(hoursOf(page));
    await hasFocus(cell(page, date, 10, 'booked'));
  });

  test('with guests, a reference and notes, which are shown first and kept when it is moved', async () => {
    const date = daysFromNow(96);
    const page = await open(calendar({ date }));
    await cell(page, date, 10, 'available').click();
    const field = (name: string) => textbox(hoursOf(page), name, true);
    await fillIn(page, 'Nora Vance', 'nora@example.com');
    await field('Guest phone').fill('+1 (212) 555-0199');
    await field('Guests').fill('nine');
    await field('Reference').fill('PMS-20391');
    await field('Notes').fill('Brings a piano.\nRings at the back door.');
    await press(page, 'Book hours');
    await alertOf(page, 'Guests must be a whole number');
    await field('Guests').fill('9');
    await press(page, 'Book hours');
    await alertOf(page, 'at most 8 people fit in this space');
    assert.equal(await field('Guests').getAttribute('aria-invalid'), 'true');
    await field('Guests').fill('6');
    await press(page, 'Book hours');

    const dialog = bookingOf(page);
    const fact = (name: string) =>
      dialog
        .locator('dl > div')
        .filter({ has: page.getByText(name, { exact: true }) })
        .locator('dd')
        .textContent();
    for (const hour of [10, 15]) {
      await cell(page, date, hour, 'booked').filter({ hasText: 'Nora Vance' }).click();
      await dialog.waitFor();
      assert.deepEqual(await Promise.all(['Guests', 'Reference', 'Notes'].map(fact)), [
        '6',
        'PMS-20391',
        'Brings a piano.\nRings at the back door.',
      ]);
      await dialog.locator('a[href="mailto:nora@example.com"]').waitFor();
      await dialog.locator('a[href="tel:+12125550199"]').waitFor();
      if (hour === 15) break;
      await moveTo(page, '15:00');
      await press(page, 'Move booking');
      await closed(dialog);
    }
    // Newest first: the one that it was moved from is the same day's.
    await book(daysFromNow(86), 10, 'Nora Vance', { guest_email: 'nora@example.com' });
    await book(daysFromNow(87), 10, 'Nora Vance', { guest_email: 'not-nora@example.com' });
    await dialog.getByRole('link', { name: 'All bookings of this guest' }).click();
    const rows = page.getByRole('table', { name: 'Bookings' }).locator('tbody tr');
    await rows.nth(2).waitFor();
    const medium = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });
    assert.deepEqual(
      (await rows.allTextContents()).map((text) => /[A-Z][a-z]{2} \d+/.exec(text)?.[0]),
      [96, 96, 86].map((days) => medium.format(new Date(daysFromNow(days)))),
    );
    assert.match(await exported(page), /"Brings a piano.\nRings at the back door."/);
  });

  test('is refused with the API’s message beside what was typed, and can be tried again', async () => {
    const date = daysFromNow(46);
    const page = await open(calendar({ date }));
    await cell(page, date, 10, 'available').click();
    await fillIn(page, 'Greta Lind', 'not an address');
    await press(page, 'Book hours');
    const alert = await alertOf(page, 'guest_email must be an email address');
    assert.match((await alert.textContent()) ?? '', /Request id [\w-]{8,}/);
    assert.equal(await textbox(page, 'Guest name').inputValue(), 'Greta Lind');
    await textbox(page, 'Guest email').fill('greta@example.com');
    await press(page, 'Book hours');
    await cell(page, date, 10, 'booked').waitFor();
  });

  test('not where they have begun: those can only be blocked', async () => {
    // The running hour takes walk-ins: the one before it is over.
    const { date, hour } = inNewYork(Date.now() - 3_600_000);
    const page = await open(calendar({ date }));
    const begun = cell(page, date, hour, 'closed');
    assert.match((await begun.getAttribute('aria-description')) ?? '', /already begun/);
    await begun.click();
    await sees(hoursOf(page), 'These hours have begun');
    const tab = page.getByRole('tab', { name: 'Book' });
    assert.equal(await tab.getAttribute('aria-disabled'), 'true');
    await button(page, 'Block hours').waitFor();
  });

  test('as a walk-in in the running hour of an open space, and show no address', async () => {
    const { date, hour } = inNewYork(Date.now());
    const page = await open(calendar({ space: garden, date }));
    const running = cell(page, date, hour, 'available');
    assert.match((await running.getAttribute('aria-description')) ?? '', /walk-in/);
    await running.click();
    await textbox(page, 'Guest name').fill('Theo Marsh');
    await press(page, 'Book hours');
    await cell(page, date, hour, 'booked').filter({ hasText: 'Theo Marsh' }).click();
    await bookingOf(page).getByText('Walk-in', { exact: true }).waitFor();
    assert.doesNotMatch((await bookingOf(page).textContent())!, /Email|@/);
    assert.equal((await bookings({ guest: 'Theo' }))[0]!['walk_in'], true);
  });
});

describe('a booking is moved', () => {
  test('to hours that overlap its own, and to another day and space', async () => {
    const [date, later] = [daysFromNow(90), daysFromNow(92)];
    await book(date, 10, 'Greta Berg');
    const page = await open(calendar({ date }));
    const dialog = bookingOf(page);
    await cell(page, date, 10, 'booked').filter({ hasText: 'Greta Berg' }).click();
    await moveTo(page, '11:00');
    assert.equal(await dialog.getByRole('combobox', { name: 'To' }).inputValue(), '13:00');
    await press(page, 'Move booking');
    await cell(page, date, 12, 'booked').waitFor();
    await cell(page, date, 10, 'available').waitFor();
    await cell(page, date, 11, 'booked').filter({ hasText: 'Greta Berg' }).click();
    await press(dialog, 'Move');
    await hasFocus(textbox(dialog, 'New date'));
    await textbox(dialog, 'New date').fill(later);
    await choose(dialog, 'New space', 'The Loft');
    await choose(dialog, 'From', '16:00');
    await choose(dialog, 'To', '17:00');
    await press(page, 'Move booking');
    await sees(page, `The booking of Greta Berg is moved to ${dayName(later)}, 4 PM – 5 PM.`);
    await cell(page, date, 11, 'available').waitFor();
    await choose(page, 'Space', 'The Loft');
    await textbox(page, 'Go to date').fill(later);
    await cell(page, later, 16, 'booked').filter({ hasText: 'Greta Berg' }).waitFor();

    const [moved, ...others] = await bookings({ guest: 'greta berg', status: 'confirmed' });
    assert.deepEqual([moved!['space_id'], moved!['end_hour'], others], [loft, 17, []]);
  });

  test('not onto taken hours, which are marked, nor to no date; one that is paid for says why, and is cancelled without Undo', async () => {
    const date = daysFromNow(94);
    await book(date, 10, 'Ada Miller');
    await book(date, 14, 'Ben Okafor');
    const paid = await book(date, 18, 'Chiara Rossi', { settlement_mode: 'platform_settled' });
    await payments.confirm(world.ctx, operator, paid, null);
    const page = await open(calendar({ date }));
    const dialog = bookingOf(page);
    await cell(page, date, 10, 'booked').filter({ hasText: 'Ada Miller' }).click();
    await moveTo(page, '13:00');
    await sees(dialog, '2 PM taken');
    await press(page, 'Move booking');
    await alertOf(dialog, /Request id/);
    assert.equal(await dialog.getByRole('combobox', { name: 'From' }).inputValue(), '13:00');
    assert.deepEqual(await violations(page), []);
    await textbox(dialog, 'New date').fill('soon');
    await choose(dialog, 'From', '20:00');
    await press(page, 'Move booking');
    await sees(dialog, 'Enter a date, for example');
    await page.keyboard.press('Escape');
    await closed(dialog);
    await cell(page, date, 18, 'booked').filter({ hasText: 'Chiara Rossi' }).click();
    await press(dialog, 'Move');
    await alertOf(dialog, 'is paid for');
    assert.deepEqual(
      (await bookings({ from: date, to: date })).map((each) => [each['start_hour'], each['status']]),
      [10, 14, 18].map((hour) => [hour, 'confirmed']),
    );
    await page.keyboard.press('Escape');
    await closed(dialog);
    await cell(page, date, 18, 'booked').click();
    await textbox(dialog, 'Reason (required)').fill('Flood');
    await press(page, 'Cancel booking');
    await sees(page, /is cancelled\.$/);
    assert.equal(await button(page, 'Undo').count(), 0);
  });

  test('by dragging it to other hours with the mouse, which opens Move filled in', async () => {
    const date = daysFromNow(21);
    await book(date, 10, 'Dragged Mouse');
    const page = await open(calendar({ view: 'week', date }));
    await cell(page, date, 11, 'booked').hover();
    await page.mouse.down();
    await cell(page, date, 13, 'available').hover();
    await cell(page, date, 14, 'available').hover();
    assert.equal(await page.locator('td[aria-selected=true]').count(), 2);
    await page.mouse.up();
    await movesTo(page, '13:00', '15:00');
    await press(page, 'Move booking');
    await cell(page, date, 13, 'booked').filter({ hasText: 'Dragged Mouse' }).waitFor();
    await cell(page, date, 10, 'available').waitFor();
    // A click opens the booking as before.
    await cell(page, date, 14, 'booked').click();
    await textbox(page, 'Reason (required)').waitFor();
  });

  test('by dragging it with a finger that rests on it first; one that moves at once scrolls the page', async () => {
    const date = daysFromNow(22);
    await book(date, 3, 'Dragged Touch');
    const page = await open(calendar({ date }), PHONE);
    const middle = async (found: Locator): Promise<{ x: number; y: number }> => {
      const box = (await found.boundingBox())!;
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    };
    await cell(page, date, 3, 'booked').waitFor();
    const [from, to] = [
      await middle(cell(page, date, 3, 'booked')),
      await middle(cell(page, date, 6, 'available')),
    ];
    const session = await page.context().newCDPSession(page);
    const touch = (
      type: 'touchStart' | 'touchMove' | 'touchEnd',
      ...touchPoints: { x: number; y: number }[]
    ) => session.send('Input.dispatchTouchEvent', { type, touchPoints });
    const drag = async (by: number): Promise<void> => {
      for (let step = 1; step <= 5; step++)
        await touch('touchMove', { x: from.x, y: from.y + (by * step) / 5 });
    };
    await touch('touchStart', from);
    await page.locator('table.grid[data-carrying]').waitFor();
    await drag(to.y - from.y);
    await page.locator('td[aria-selected=true]').nth(1).waitFor();
    assert.equal(await page.evaluate('scrollY'), 0);
    await touch('touchEnd');
    await movesTo(page, '06:00', '08:00');
    await page.keyboard.press('Escape');
    await closed(bookingOf(page));
    await touch('touchStart', from);
    await drag(-100);
    await touch('touchEnd');
    await until(async () => Number(await page.evaluate('scrollY')) > 0);
    assert.equal(await page.getByRole('dialog').count(), 0);
  });

  async function movesTo(page: Page, from: string, to: string): Promise<void> {
    const dialog = bookingOf(page);
    assert.equal(await dialog.getByRole('combobox', { name: 'From' }).inputValue(), from);
    assert.equal(await dialog.getByRole('combobox', { name: 'To' }).inputValue(), to);
  }
});

test('booking, moving and cancelling can be undone, and the toast names the hours', async () => {
  const date = daysFromNow(140);
  const page = await open(calendar({ date }));
  const when = `${dayName(date)}, 10 AM – 12 PM`;
  const undo = async (said: string): Promise<void> => press(await toastOf(page, said), 'Undo');
  const makeIt = async (): Promise<void> => {
    await cell(page, date, 10, 'available').click();
    await fillIn(page, 'Una Undo', 'una@example.com');
    await textbox(page, 'Guest phone').fill('+1 212 555 0111');
    await textbox(page, 'Notes').fill('By the window');
    await choose(page, 'Ends', '12:00');
    await press(page, 'Book hours');
  };
  await makeIt();
  await undo('Booked 10 AM – 12 PM for Una Undo.');
  await cell(page, date, 10, 'available').waitFor();
  await sees(page, `The booking of Una Undo, ${when}, is cancelled.`);
  const [undone] = await bookings({ guest: 'una@' });
  assert.deepEqual([undone!['status'], undone!['cancellation_reason']], ['cancelled', 'Undone']);

  await makeIt();
  await cell(page, date, 11, 'booked').click();
  await moveTo(page, '15:00');
  await press(page, 'Move booking');
  await undo(`The booking of Una Undo is moved to ${dayName(date)}, 3 PM – 5 PM.`);
  await sees(page, `The booking of Una Undo is moved to ${when}.`);
  await cell(page, date, 10, 'booked').filter({ hasText: 'Una Undo' }).waitFor();
  await cell(page, date, 15, 'available').waitFor();

  const cancelIt = async (): Promise<void> => {
    await cell(page, date, 10, 'booked').click();
    await textbox(page, 'Reason (required)').fill('Ill');
    await press(page, 'Cancel booking');
    await toastOf(page, `The booking of Una Undo, ${when}, is cancelled.`);
  };
  await cancelIt();
  await press(page, 'Undo');
  await sees(page, 'Booked 10 AM – 12 PM for Una Undo.');
  await cell(page, date, 11, 'booked').waitFor();
  const [again, ...others] = await bookings({ guest: 'una@', status: 'confirmed' });
  assert.deepEqual([again!['notes'], again!['guest_phone']], ['By the window', '+1 212 555 0111']);
  assert.deepEqual([again!['start_hour'], again!['end_hour'], others], [10, 12, []]);

  // Somebody else has taken an hour meanwhile: it says why.
  await cancelIt();
  await book(date, 11, 'Quicker');
  await press(page, 'Undo');
  await sees(page, 'Could not be undone. No longer available: 11 AM.');
});

describe('the calendar', () => {
  test('shows a week of one space or a day with a column for each, and goes on, back and home', async () => {
    const page = await open('/calendar');
    const grid = page.getByRole('grid', { name: 'Calendar' });
    const heads = grid.getByRole('columnheader');
    assert.ok(await page.getByRole('radio', { name: 'Week' }).isChecked());
    assert.deepEqual([await grid.getByRole('row').count(), await heads.count()], [25, 7]);
    const here = await heads.first().textContent();
    await press(page, 'Next');
    assert.notEqual(await heads.first().textContent(), here);
    await press(page, 'Next');
    await press(page, 'Previous');
    await press(page, 'This week');
    assert.equal(await heads.first().textContent(), here);
    await page.getByRole('radio', { name: 'Day' }).check();
    for (const title of titles) await heads.filter({ hasText: title }).waitFor();
    await button(page, 'Today').waitFor();
  });

  for (const [date, hour, state, says] of [
    ['2027-03-14', 2, 'closed', /does not exist/],
    ['2027-11-07', 1, 'available', /comes twice/],
  ] as const)
    test(`says of ${date}, ${hour}:00, what the clock change does: ${says.source}`, async () => {
      const page = await open(calendar({ date }));
      assert.match((await cell(page, date, hour, state).getAttribute('aria-description')) ?? '', says);
    });

  test('asks for a week by one request, and not again for one that it was told', async () => {
    const date = daysFromNow(60);
    const page = await open(calendar({ view: 'week', date }));
    await cell(page, date, 10, 'available').waitFor();
    assert.match(daysAsked(page).join(), /^GET [^,]*days=7[^,]*$/);
    await press(page, 'Next');
    await cell(page, daysFromNow(67), 10, 'available').waitFor();
    await press(page, 'Previous');
    await cell(page, date, 10, 'available').waitFor();
    assert.equal(daysAsked(page).length, 2);
  });

  test('says of each day of a month how much is free and how many come, and Enter opens it', async () => {
    // In the middle of a month: the arrows stay inside of it.
    const month = daysFromNow(70).slice(0, 7);
    const [date, next] = [`${month}-15`, `${month}-16`];
    for (const hour of [9, 13]) await book(date, hour, 'Ada Miller', { space_id: loft });
    const page = await open(calendar({ space: loft, view: 'month', date }));
    const busy = dayCell(page, `${dayName(date)}, 20 hours free, 2 bookings`);
    await busy.waitFor();
    assert.equal(daysAsked(page).length, 1);
    const days = Temporal.PlainDate.from(date).daysInMonth;
    assert.equal(await page.getByRole('grid', { name: 'Calendar' }).getByRole('gridcell').count(), days);
    await busy.focus();
    await page.keyboard.press('ArrowRight');
    await hasFocus(dayCell(page, `${dayName(next)}, 24 hours free, 0 bookings`));
    for (const keys of ['ArrowLeft', 'Enter']) await page.keyboard.press(keys);
    await cell(page, date, 9, 'booked').filter({ hasText: 'Ada Miller' }).waitFor();
    assert.ok(await page.getByRole('radio', { name: 'Day' }).isChecked());
    // The keyboard goes on where it was: in the grid.
    await page.locator('td[data-hour]:focus').waitFor();
    await page.goBack();
    await busy.waitFor();
  });

  test('says so of each space in a week of all spaces, and Enter opens the day', async () => {
    const date = daysFromNow(160);
    for (const hour of [9, 13]) await book(date, hour, 'Ada Miller', { space_id: loft });
    const page = await open(calendar({ space: loft, view: 'week', date }));
    await choose(page, 'Space', 'All spaces');
    const busy = dayCell(page, `The Loft, ${dayName(date)}, 20 hours free, 2 bookings`);
    const free = dayCell(page, `Garden Room, ${dayName(date)}, 24 hours free, 0 bookings`);
    await free.waitFor();
    await busy.waitFor();
    assert.ok(daysAsked(page).length <= titles.length + 1, daysAsked(page).join('\n'));
    await free.focus();
    await page.keyboard.press('ArrowUp');
    await hasFocus(busy);
    await page.keyboard.press('Enter');
    await cell(page, date, 9, 'booked').waitFor();
    await page.goBack();
    await press(page, 'Next');
    await dayCell(page, `The Loft, ${dayName(daysFromNow(167))}, 24 hours free, 0 bookings`).waitFor();
  });

  test('makes every step an entry of the history, and Back closes a dialog', async () => {
    const [date, next] = [daysFromNow(120), daysFromNow(127)];
    const page = await open(calendar({ view: 'week', date }));
    await cell(page, date, 10, 'available').waitFor();
    await press(page, 'Next');
    await cell(page, next, 10, 'available').waitFor();
    await page.getByRole('radio', { name: 'Day' }).check();
    await cell(page, next, 10, 'available').click();
    await hoursOf(page).waitFor();
    await page.goBack();
    await closed(hoursOf(page));
    assert.ok(await page.getByRole('radio', { name: 'Day' }).isChecked());
    // A dialog that was closed by hand leaves nothing behind.
    await cell(page, next, 10, 'available').click();
    await hoursOf(page).waitFor();
    await page.keyboard.press('Escape');
    await closed(hoursOf(page));
    await page.waitForFunction('history.state === null');
    await page.goBack();
    await page.getByRole('radio', { name: 'Week', checked: true }).waitFor({ state: 'attached' });
    await cell(page, next, 10, 'available').waitFor();
    await page.goBack();
    await cell(page, date, 10, 'available').waitFor();
    await page.goForward();
    await cell(page, next, 10, 'available').waitFor();
  });

  test('goes to a date in ISO and in the language’s own form; what cannot be read changes nothing', async () => {
    // Beyond the days that other tests book.
    const written = (days: number, month: 'numeric' | 'long'): string =>
      new Intl.DateTimeFormat('en-US', { year: 'numeric', month, day: 'numeric', timeZone: 'UTC' }).format(
        new Date(daysFromNow(days)),
      );
    const page = await open(calendar({ date: daysFromNow(190) }));
    const field = textbox(page, 'Go to date');
    for (const [days, text] of [
      [200, daysFromNow(200)],
      [230, written(230, 'numeric')],
      [260, written(260, 'long')],
    ] as const) {
      await field.fill(text);
      await field.press('Enter');
      await cell(page, daysFromNow(days), 10, 'available').waitFor();
    }
    const address = page.url();
    for (const wrong of ['2027-02-31', '19/4/2027', 'soon']) {
      await field.fill(wrong);
      await page.locator('input[aria-invalid="true"]').waitFor();
      await alertOf(page, 'Enter a date, for example');
      assert.equal(page.url(), address);
    }
    await field.fill(daysFromNow(261));
    await cell(page, daysFromNow(261), 10, 'available').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    await button(page, 'Choose a date: Go to date').waitFor();
  });

  test('goes by the service’s clock, and notices a wrong one of the browser', async () => {
    const page = await newPage(world.url, WIDE, key);
    await page.clock.install({ time: Date.now() - 3 * 86_400_000 });
    await page.goto(`${world.url}/console/calendar?view=day`);
    await sees(page, /clock of this device is 72 hours behind/);
    await page.getByText(dayName(inNewYork(Date.now()).date), { exact: true }).waitFor();
  });

  test('on a phone scrolls with the page, and keeps the name of a booking in sight', async () => {
    const date = daysFromNow(150);
    await book(date, 2, 'Long Stay', { end_hour: 20 });
    const page = await open(calendar({ date }), PHONE);
    const name = page.locator('.cell-text', { hasText: 'Long Stay' });
    await name.waitFor();
    const below = (await cell(page, date, 12, 'booked').boundingBox())!.y;
    await page.evaluate(`scrollTo(0, ${below - 300})`);
    const head = (await page.locator('table.grid thead th').boundingBox())!;
    const shown = (await name.boundingBox())!;
    assert.ok(
      shown.y >= head.y + head.height - 1 && shown.y < 300,
      `${shown.y} under ${head.y + head.height}`,
    );
  });

  test('right to left has arrows that follow the eye, and isolates times', async () => {
    const date = daysFromNow(180);
    const page = await open(calendar({ view: 'week', date }));
    await cell(page, date, 14, 'available').waitFor();
    await page.evaluate("document.documentElement.dir = 'rtl'");
    await cell(page, date, 14, 'available').focus();
    const left = async (): Promise<number> => (await page.locator(':focus').boundingBox())!.x;
    const before = await left();
    // A week ends with Saturday.
    const isLast = Temporal.PlainDate.from(date).dayOfWeek === 6;
    await page.keyboard.press(isLast ? 'ArrowRight' : 'ArrowLeft');
    assert.equal((await left()) > before, isLast);
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press('Enter');
    await sees(page.getByRole('dialog').locator('.dialog-subtitle bdi[dir=ltr]'), '2 PM – 3 PM');
  });
});

describe('columns of many spaces', () => {
  const path = `/calendar?view=day&date=${daysFromNow(20)}`;

  async function hostWith(spaces: number, zones = [NEW_YORK]): Promise<string> {
    const hostId = await world.addHost();
    for (let number = 1; number <= spaces; number++) {
      const title = `Room ${String(number).padStart(3, '0')}`;
      await world.addSpace(hostId, { title, timezone: zones[number % zones.length]! });
    }
    return (await world.addKey(hostId)).key;
  }

  /** Nothing that can be seen is still loading. */
  const loaded = (page: Page): Promise<void> => until(async () => (await page.evaluate(LOADED)) === true);

  test('have their zones where these differ', async () => {
    const page = await open(path, WIDE, await hostWith(3, [NEW_YORK, 'Europe/Berlin']));
    const heads = page.getByRole('grid').getByRole('columnheader');
    for (const [room, zone] of [
      ['Room 001', 'Europe/Berlin'],
      ['Room 002', NEW_YORK],
    ] as const)
      await heads.filter({ hasText: room }).filter({ hasText: zone }).waitFor();
  });

  test('are drawn and asked for as they are seen, and no task keeps the page from answering for 200 ms', async () => {
    const page = await visit(world.url, path);
    await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
    // By selectors: to find elements by their roles would be the longest task of all.
    await page
      .locator('input')
      .first()
      .fill(await hostWith(200));
    await page.locator('button[type=submit]').click();
    await page.locator('.grid-scroller').waitFor();
    await loaded(page);
    assert.ok((await page.locator('.grid thead th').count()) < 25);
    const first = daysAsked(page).length;
    assert.ok(first > 3 && first < 20, `${first} days`);
    // Far along by scrolling, on to another day, and to another screen.
    await page.locator('.grid-scroller').evaluate((element) => {
      element.scrollLeft = element.scrollWidth;
    });
    await page.getByRole('columnheader', { name: 'Room 200' }).waitFor();
    await loaded(page);
    assert.ok(daysAsked(page).length < 40, `${daysAsked(page).length} days`);
    await page.locator('td[data-column="190"][data-hour="10"]').focus();
    for (let press = 0; press < 14; press++) await page.keyboard.press('ArrowLeft');
    await page.locator('td[data-column="176"][data-hour="10"]:focus').waitFor();
    await page.locator('.pager button').last().click();
    await loaded(page);
    await page.locator('nav a[href$="/today"]').click();
    await page.locator('.space-card').first().waitFor();
    const longest = longestTask(await browser.stopTracing());
    process.stdout.write(`longest task with 200 spaces: ${longest} ms\n`);
    assert.ok(longest > 0 && longest <= 200);
    await page.goBack();
    assert.equal(await page.getByRole('grid', { name: 'Calendar' }).getAttribute('aria-colcount'), '201');
    assert.deepEqual(await violations(page), []);
  });
});

/** A column that can hardly be seen is not asked for. */
const LOADED = `(() => {
  const { left, right } = document.querySelector('.grid-scroller').getBoundingClientRect();
  const seen = [...document.querySelectorAll('td[data-state]')].filter((cell) => {
    const box = cell.getBoundingClientRect();
    return box.left > left && box.right < right;
  });
  return seen.length > 0 && seen.every((cell) => cell.dataset.state !== 'loading');
})()`;

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
