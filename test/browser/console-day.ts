import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import * as payments from '../../src/payments/payments.ts';
import { operator } from '../support/operator.ts';
import { until } from '../support/until.ts';
import { violations } from './chromium.ts';
import {
  assertAccessible,
  assertRequires,
  cell,
  dayName,
  goTo,
  keepPicture,
  PHONE,
  startHosted,
  WIDE,
} from './console-support.ts';

// npm run test:browser: the host's day. Guests of today and tomorrow, walk-ins, all spaces' week, bookings that are dragged, and undo.

const ZONE = 'America/New_York';

const WIDTHS: [name: string, options: BrowserContextOptions][] = [
  ['390', PHONE],
  ['768', { viewport: { width: 768, height: 1024 } }],
  ['1024', { viewport: { width: 1024, height: 768 } }],
  ['1440', WIDE],
];

const { world, hostId, spaces, key, book, asHost, ...house } = await startHosted([
  'Riverside Studio',
  'The Loft',
  'Garden Room',
]);
const now = new Intl.DateTimeFormat('sv', { timeZone: ZONE, dateStyle: 'short', timeStyle: 'short' });
/** On the spaces' clock. */
const [today, time] = now.format(new Date()).split(' ') as [string, string];
const hour = Number.parseInt(time);

const inDays = (days: number): string =>
  new Date(Date.parse(`${today}T12:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
const calendar = (query: Record<string, string>): string => house.calendar({ view: 'day', ...query });

async function bookingsOf(guest: string): Promise<Record<string, unknown>[]> {
  const path = `/api-bookings/api/v1/bookings?guest=${encodeURIComponent(guest)}`;
  return (await world.call('GET', path, { key })).body.data.bookings;
}

for (const [name, options] of WIDTHS) {
  test(`Today has the guests of today and tomorrow of all spaces first, and webhooks last: ${name}`, async () => {
    const guest = `${name} Tomorrow`;
    await book(inDays(1), 2 * WIDTHS.findIndex(([width]) => width === name), guest, { space_id: spaces[1] });
    if (hour < 21) await book(today, 22, 'Late Today', { space_id: spaces[2] }).catch(() => '');
    const { page } = await asHost('/today', options);
    const tomorrow = page.getByRole('list', { name: 'Guests tomorrow' });
    await tomorrow.getByRole('listitem').filter({ hasText: guest }).waitFor();
    assert.match((await tomorrow.textContent()) ?? '', /The Loft/);
    if (hour < 21) await page.getByRole('list', { name: 'Guests today' }).getByText('Late Today').waitFor();
    const top = async (css: string): Promise<number> => (await page.locator(css).first().boundingBox())!.y;
    assert.ok((await top('.guests')) < (await top('.space-cards')));
    assert.ok((await top('.space-cards')) < (await top('.stats')));
    assert.equal(await page.locator('main section').last().getAttribute('aria-label'), 'Webhooks');
    await assertAccessible(page, `day-${name}-today`);
  });
}

for (const [name, options] of [
  ['mouse', WIDE],
  ['phone', PHONE],
] as const) {
  test(`a walk-in is booked for the running hour by name alone, in at most four presses: ${name}`, async () => {
    const guest = `Walker ${name}`;
    const { page, asked } = await asHost('/today', options);
    // One whose running hour is free is offered first.
    await page
      .getByText(/left today/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Walk-in' }).click();
    const dialog = page.getByRole('dialog', { name: 'Walk-in' });
    await dialog.getByRole('combobox', { name: 'Space' }).waitFor();
    await dialog.getByRole('combobox', { name: 'Ends' }).waitFor();
    await dialog.getByRole('textbox', { name: 'Guest email (optional)' }).waitFor();
    await keepPicture(page, `day-walk-in-${name}`);
    assert.deepEqual(await violations(page), []);
    await dialog.getByRole('textbox', { name: 'Guest name' }).fill(guest);
    await dialog.getByRole('button', { name: 'Book now' }).click();
    const list = page.getByRole('list', { name: 'Guests today' });
    await list.getByRole('listitem').filter({ hasText: guest }).getByText('Here now').waitFor();
    await page
      .getByRole('status')
      .getByText(new RegExp(`Booked .+ – .+ for ${guest}`))
      .waitFor();
    assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0);
    assert.equal(asked.filter((line) => /^POST .*create-booking/.test(line)).length, 1);

    const [made] = await bookingsOf(guest);
    assert.equal(made!['walk_in'], true);
    assert.equal(made!['date'], today);
  });
}

test('the running hour of an open space is not called closed, and takes a walk-in', async () => {
  const fresh = await world.addSpace(hostId, { title: 'Open Room' });
  const { page } = await asHost(calendar({ space: fresh, date: today }));
  const running = cell(page, today, hour, 'available');
  assert.match((await running.getAttribute('aria-description')) ?? '', /walk-in/);
  await running.click();
  const dialog = page.getByRole('dialog', { name: 'Hours' });
  await dialog.getByRole('textbox', { name: 'Guest name' }).fill('Right Now');
  await dialog.getByRole('button', { name: 'Book hours' }).click();
  await cell(page, today, hour, 'booked').filter({ hasText: 'Right Now' }).waitFor();

  assert.equal((await bookingsOf('Right Now'))[0]!['walk_in'], true);
});

test('a week of all spaces says of each day how much is free and how many come, and Enter opens it', async () => {
  const date = inDays(20);
  await book(date, 9, undefined, { space_id: spaces[1] });
  await book(date, 13, undefined, { space_id: spaces[1] });
  const { page, asked } = await asHost(calendar({ space: spaces[1]!, view: 'week', date }));
  await page.getByRole('combobox', { name: 'Space' }).selectOption('All spaces');
  const named = (title: string, words: string) =>
    page.getByRole('gridcell', { name: `${title}, ${dayName(date)}, ${words}`, exact: true });
  await named('The Loft', '20 hours free, 2 bookings').waitFor();
  await named('Garden Room', '24 hours free, 0 bookings').waitFor();
  const rows = page.getByRole('grid', { name: 'Calendar' }).getByRole('row');
  const days = asked.filter((line) => line.includes('/availability?'));
  assert.ok(days.length <= (await rows.count()), days.join('\n'));
  assert.deepEqual(await violations(page), []);
  await named('Garden Room', '24 hours free, 0 bookings').focus();
  await page.keyboard.press('ArrowUp');
  await named('The Loft', '20 hours free, 2 bookings').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await cell(page, date, 9, 'booked').waitFor();
  assert.ok(await page.getByRole('radio', { name: 'Day' }).isChecked());
  await page.goBack();
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await page
    .getByRole('gridcell', { name: `The Loft, ${dayName(inDays(27))}, 24 hours free, 0 bookings` })
    .waitFor();
});

test('a booking that is dragged to other hours opens Move filled in: mouse', async () => {
  const date = inDays(21);
  await book(date, 10, 'Dragged Mouse');
  const { page } = await asHost(calendar({ view: 'week', date }));
  const to = inDays(21).slice(0, 10);
  await cell(page, date, 11, 'booked').hover();
  await page.mouse.down();
  await cell(page, to, 13, 'available').hover();
  await cell(page, to, 14, 'available').hover();
  assert.equal(await page.locator('td[aria-selected=true]').count(), 2);
  await page.mouse.up();
  const dialog = page.getByRole('dialog', { name: 'Booking' });
  assert.equal(await dialog.getByRole('combobox', { name: 'From' }).inputValue(), '13:00');
  assert.equal(await dialog.getByRole('combobox', { name: 'To' }).inputValue(), '15:00');
  assert.match(await dialog.getByRole('textbox', { name: 'New date' }).inputValue(), /\d/);
  await dialog.getByRole('button', { name: 'Move booking' }).click();
  await cell(page, to, 13, 'booked').filter({ hasText: 'Dragged Mouse' }).waitFor();
  await cell(page, date, 10, 'available').waitFor();
  // A click opens the booking as before.
  await cell(page, to, 14, 'booked').click();
  await dialog.getByRole('textbox', { name: 'Reason (required)' }).waitFor();
});

test('a booking that is dragged to other hours opens Move filled in: a finger that rests on it first', async () => {
  const date = inDays(22);
  await book(date, 3, 'Dragged Touch');
  const { page } = await asHost(calendar({ date }), PHONE);
  await cell(page, date, 3, 'booked').waitFor();
  const middle = async (hour: number, state: string): Promise<{ x: number; y: number }> => {
    const box = (await cell(page, date, hour, state).boundingBox())!;
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  const [from, to] = [await middle(3, 'booked'), await middle(6, 'available')];
  const session = await page.context().newCDPSession(page);
  const touch = (type: string, at?: object) =>
    session.send('Input.dispatchTouchEvent', {
      type: type as 'touchStart',
      touchPoints: at === undefined ? [] : [at as { x: number; y: number }],
    });
  await touch('touchStart', from);
  await page.locator('table.grid[data-carrying]').waitFor();
  for (let step = 1; step <= 5; step++)
    await touch('touchMove', { x: from.x, y: from.y + ((to.y - from.y) * step) / 5 });
  await page.locator('td[aria-selected=true]').nth(1).waitFor();
  assert.equal(await page.evaluate('scrollY'), 0);
  await touch('touchEnd');
  const dialog = page.getByRole('dialog', { name: 'Booking' });
  assert.equal(await dialog.getByRole('combobox', { name: 'From' }).inputValue(), '06:00');
  assert.equal(await dialog.getByRole('combobox', { name: 'To' }).inputValue(), '08:00');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  // A finger that moves at once scrolls the page.
  await touch('touchStart', from);
  for (let step = 1; step <= 5; step++) await touch('touchMove', { x: from.x, y: from.y - 20 * step });
  await touch('touchEnd');
  await until(async () => Number(await page.evaluate('scrollY')) > 0);
  assert.equal(await page.getByRole('dialog').count(), 0);
});

test('a booking’s dialog has its facts first, links to mail and phone, and all bookings of the guest', async () => {
  const guest_email = 'regular@example.com';
  const more = {
    guest_phone: '+1 (212) 555-0199',
    guest_email,
    notes: 'Brings a piano',
    reference: 'R-77',
    guest_count: 4,
  };
  const date = inDays(30);
  for (const days of [30, 24, 35]) await book(inDays(days), 10, undefined, { ...more, space_id: spaces[2] });
  await book(inDays(31), 10, undefined, { guest_email: `not-${guest_email}`, space_id: spaces[2] });
  const { page } = await asHost(calendar({ space: spaces[2]!, date }));
  await cell(page, date, 10, 'booked').click();
  const dialog = page.getByRole('dialog', { name: 'Booking' });
  await dialog.locator(`a[href="mailto:${guest_email}"]`).waitFor();
  await dialog.locator('a[href="tel:+12125550199"]').waitFor();
  for (const [name, value] of [
    ['Notes', 'Brings a piano'],
    ['Reference', 'R-77'],
    ['Guests', '4'],
  ] as const) {
    const fact = dialog.locator('.facts > div').filter({ has: page.getByText(name, { exact: true }) });
    assert.match((await fact.textContent()) ?? '', new RegExp(value));
  }
  const y = async (found: ReturnType<Page['locator']>): Promise<number> => (await found.boundingBox())!.y;
  const cancelling = dialog.getByRole('textbox', { name: 'Reason (required)' });
  const moving = dialog.getByRole('button', { name: 'Move', exact: true });
  assert.ok((await y(dialog.locator('.facts'))) < (await y(moving)));
  assert.ok((await y(moving)) < (await y(cancelling)));
  await keepPicture(page, 'day-booking');
  assert.deepEqual(await violations(page), []);
  await dialog.getByRole('link', { name: 'All bookings of this guest' }).click();
  await page.getByRole('heading', { level: 1, name: 'Bookings' }).waitFor();
  const rows = page.getByRole('table', { name: 'Bookings' }).locator('tbody tr');
  await rows.nth(2).waitFor();
  const shown = (await rows.allTextContents()).map((text) => /[A-Z][a-z]{2} \d+/.exec(text)?.[0]);
  const medium = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });
  assert.deepEqual(
    shown,
    [35, 30, 24].map((days) => medium.format(new Date(`${inDays(days)}T12:00:00Z`))),
  );
  await page.goBack();
  await cell(page, date, 10, 'booked').waitFor();
});

test('booking, moving and cancelling can be undone, and the toast names the hours', async () => {
  const date = inDays(40);
  const { page } = await asHost(calendar({ date }));
  const toast = page.getByRole('status').filter({ has: page.getByRole('button', { name: 'Undo' }) });
  const undo = page.getByRole('button', { name: 'Undo' });
  const hours = page.getByRole('dialog', { name: 'Hours' });
  const makeIt = async (): Promise<void> => {
    await cell(page, date, 10, 'available').click();
    await hours.getByRole('textbox', { name: 'Guest name' }).fill('Una Undo');
    await hours.getByRole('textbox', { name: 'Guest email' }).fill('una@example.com');
    await hours.getByRole('textbox', { name: 'Guest phone' }).fill('+1 212 555 0111');
    await hours.getByRole('textbox', { name: 'Notes' }).fill('By the window');
    await hours.getByRole('combobox', { name: 'Ends' }).selectOption('12:00');
    await hours.getByRole('button', { name: 'Book hours' }).click();
  };
  await makeIt();
  await toast.getByText('Booked 10 AM – 12 PM for Una Undo.').waitFor();
  await undo.click();
  await cell(page, date, 10, 'available').waitFor();
  await page.getByText(`The booking of Una Undo, ${dayName(date)}, 10 AM – 12 PM, is cancelled.`).waitFor();
  assert.deepEqual(
    (await bookingsOf('una@')).map(({ status, cancellation_reason }) => [status, cancellation_reason]),
    [['cancelled', 'Undone']],
  );

  await makeIt();
  await cell(page, date, 11, 'booked').click();
  const dialog = page.getByRole('dialog', { name: 'Booking' });
  await dialog.getByRole('button', { name: 'Move', exact: true }).click();
  await dialog.getByRole('combobox', { name: 'From' }).selectOption('15:00');
  await dialog.getByRole('button', { name: 'Move booking' }).click();
  await toast.getByText(`The booking of Una Undo is moved to ${dayName(date)}, 3 PM – 5 PM.`).waitFor();
  await undo.click();
  await page.getByText(`The booking of Una Undo is moved to ${dayName(date)}, 10 AM – 12 PM.`).waitFor();
  await cell(page, date, 10, 'booked').filter({ hasText: 'Una Undo' }).waitFor();
  await cell(page, date, 15, 'available').waitFor();

  const cancelIt = async (): Promise<void> => {
    await cell(page, date, 10, 'booked').click();
    await dialog.getByRole('textbox', { name: 'Reason (required)' }).fill('Ill');
    await dialog.getByRole('button', { name: 'Cancel booking' }).click();
    await toast
      .getByText(`The booking of Una Undo, ${dayName(date)}, 10 AM – 12 PM, is cancelled.`)
      .waitFor();
  };
  await cancelIt();
  await undo.click();
  await page.getByText('Booked 10 AM – 12 PM for Una Undo.').waitFor();
  await cell(page, date, 11, 'booked').waitFor();
  const standing = (await bookingsOf('una@')).filter(({ status }) => status === 'confirmed');
  assert.deepEqual(
    standing.map(({ date, start_hour, end_hour, notes, guest_phone }) => [
      date,
      start_hour,
      end_hour,
      notes,
      guest_phone,
    ]),
    [[date, 10, 12, 'By the window', '+1 212 555 0111']],
  );

  // Somebody else has taken an hour meanwhile: it says why.
  await cancelIt();
  await book(date, 11, 'Quicker');
  await undo.click();
  await page.getByText('Could not be undone. No longer available: 11 AM.').waitFor();
});

test('what is required to book, to take a walk-in and to cancel is told before anything is sent', async () => {
  const date = inDays(42);
  await book(date, 10);
  const { page } = await asHost(calendar({ date }));
  await cell(page, date, 8, 'available').click();
  await assertRequires(page, 'Guest name', 'Book hours');
  await page.getByRole('textbox', { name: 'Guest name' }).fill('Ada Miller');
  await assertRequires(page, 'Guest email', 'Book hours');
  await page.getByRole('button', { name: 'Close' }).click();
  await cell(page, date, 10, 'booked').click();
  await assertRequires(page, 'Reason (required)', 'Cancel booking');
  await page.getByRole('button', { name: 'Close' }).click();
  await goTo(page, 'Today');
  await page.getByRole('button', { name: 'Walk-in' }).click();
  await assertRequires(page, 'Guest name', 'Book now');
});

test('a booking that is paid for can be cancelled, without undo', async () => {
  const date = inDays(41);
  const id = await book(date, 10, undefined, { settlement_mode: 'platform_settled' });
  await payments.confirm(world.ctx, operator, id, null);
  const { page } = await asHost(calendar({ date }));
  await cell(page, date, 10, 'booked').click();
  const dialog = page.getByRole('dialog', { name: 'Booking' });
  await dialog.getByRole('textbox', { name: 'Reason (required)' }).fill('Flood');
  await dialog.getByRole('button', { name: 'Cancel booking' }).click();
  await page.getByText(/is cancelled\.$/).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0);
});

test('on a phone the grid begins high, scrolls with the page, and a booking keeps its name in sight', async () => {
  const date = inDays(50);
  await book(date, 2, 'Long Stay', { end_hour: 20 });
  const { page } = await asHost(calendar({ date }), PHONE);
  const grid = page.getByRole('grid', { name: 'Calendar' });
  const name = page.locator('.cell-text', { hasText: 'Long Stay' });
  await name.waitFor();
  const top = (await grid.boundingBox())!.y;
  process.stdout.write(`grid begins at ${top} px\n`);
  assert.ok(top <= 280, `${top} px`);
  await keepPicture(page, 'day-390-day');
  const inner = await page
    .locator('.grid-scroller')
    .evaluate((element) => element.scrollHeight - element.clientHeight);
  assert.ok(inner <= 1, `${inner} px scroll inside`);
  const below = (await cell(page, date, 12, 'booked').boundingBox())!.y;
  await page.evaluate(`scrollTo(0, ${below - 300})`);
  const head = (await grid.locator('thead th').boundingBox())!;
  const shown = (await name.boundingBox())!;
  assert.ok(shown.y >= head.y + head.height - 1, `${shown.y} under ${head.y + head.height}`);
  assert.ok(shown.y < 300);
  await keepPicture(page, 'day-390-scrolled');
  assert.deepEqual(await violations(page), []);
});

test('the calendar of a space says when it is open and what its bookings must keep to', async () => {
  const space = await world.addSpace(hostId, { title: 'Ruled Room' });
  const open = { start_hour: 9, end_hour: 22 };
  const week = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
  const body = {
    weekly_hours: { ...Object.fromEntries(week.map((day) => [day, open])), sunday: null },
    booking_rules: { min_hours: 2, max_hours: 8, lead_hours: 3, horizon_days: 90 },
  };
  const path = `/api-listing-update/api/v1/spaces/${space}`;
  const { status } = await world.call('PATCH', path, { key, body });
  assert.equal(status, 200);
  const { page } = await asHost(calendar({ space, date: inDays(10) }));
  const rules = page.locator('.space-rules');
  await rules.getByText('Opening hours: Sun closed, Mon–Sat 9 AM – 10 PM.').waitFor();
  await rules
    .getByText('Booking rules: at least 2 hours, at most 8 hours, 3 hours in advance, up to 90 days ahead.')
    .waitFor();
});

for (const [name, options] of WIDTHS) {
  test(`day and week of one and of all spaces fit and are accessible: ${name}`, async () => {
    const date = inDays(21);
    const { page } = await asHost(calendar({ date }), options);
    for (const space of ['Riverside Studio', 'All spaces']) {
      for (const view of ['Day', 'Week']) {
        await page.getByRole('combobox', { name: 'Space' }).selectOption(space);
        await page.getByRole('radio', { name: view }).check();
        await page.locator('[aria-busy=false]').first().waitFor();
        await page
          .getByRole('gridcell', { name: /available|free/ })
          .first()
          .waitFor();
        await assertAccessible(page, `day-${name}-${space.slice(0, 3)}-${view}`);
      }
    }
  });
}
