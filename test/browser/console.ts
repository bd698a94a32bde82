import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { SettlementReport } from '@hourkeep/client';
import { violations } from './chromium.ts';
import {
  asHostOf,
  assertAccessible,
  cell,
  cellName,
  daysFromNow,
  goTo,
  keepPicture,
  PHONE,
  signIn,
  startDemo,
  visit,
  WIDE,
} from './console-support.ts';

// npm run test:browser: what a host does in a day, by mouse, by keyboard and on a phone.

const LOOKS: [name: string, options: BrowserContextOptions][] = [
  ['light', { ...WIDE, colorScheme: 'light' }],
  ['dark', { ...WIDE, colorScheme: 'dark', reducedMotion: 'reduce' }],
  ['phone', { ...PHONE, colorScheme: 'light' }],
  ['phone-dark', { ...PHONE, colorScheme: 'dark' }],
];
const SCREENS = ['Today', 'Calendar', 'Bookings', 'Money', 'Spaces', 'Webhooks'];

// Under a base path.
const { service, demo } = await startDemo({ BASE_PATH: '/hourkeep' });
await call('POST', '/api-create-booking/api/v1/bookings', {
  space_id: demo.spaces[0]!.id,
  date: daysFromNow(47),
  start_hour: 10,
  end_hour: 12,
  guest_name: 'Ada Miller',
  guest_email: 'ada@example.com',
});

async function call(method: string, path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${demo.keys.production}`, 'content-type': 'application/json' };
  const { ok } = await fetch(service.url + path, { method, headers, body: JSON.stringify(body) });
  assert.ok(ok, path);
}

const asHost = asHostOf(service.url, demo.keys.production);

/** The always open space, at a day on which nothing is yet. */
const calendarOf = (days: number, view = 'week'): string =>
  `/calendar?space=${demo.spaces[0]!.id}&view=${view}&date=${daysFromNow(days)}`;

describe('signing in', () => {
  test('shows Live or Test, and Today first', async () => {
    const size = async (page: Page): Promise<number> =>
      Number(
        await page.evaluate('parseFloat(getComputedStyle(document.querySelector(".environment")).fontSize)'),
      );
    let live = 0;
    {
      const { page } = await asHost('');
      assert.equal(await page.getByRole('status', { name: 'Environment' }).textContent(), 'Live');
      live = await size(page);
      await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    }
    {
      const { page } = await asHost('', WIDE, demo.keys.sandbox);
      assert.equal(await page.getByRole('status', { name: 'Environment' }).textContent(), 'Test');
      const test = await size(page);
      assert.ok(live < test, `Live is the quiet one: ${live} px beside ${test} px`);
      await keepPicture(page, 'test-mark');
    }
  });

  test('is refused with the API’s words and request id, and keeps what was typed', async () => {
    const page = await visit(service.url);
    const key = page.getByRole('textbox', { name: 'API key' });
    for (const [wrong, message] of [
      ['nonsense', /Unauthorized/],
      [demo.keys.revoked, /revoked/],
      ['ключ', /Unauthorized/],
    ] as const) {
      await key.fill(wrong);
      await page.getByRole('button', { name: 'Sign in' }).click();
      const alert = page.getByRole('alert').filter({ hasText: message });
      await alert.waitFor();
      assert.match((await alert.textContent()) ?? '', /Request id [\w-]{8,}/);
      assert.equal(await key.inputValue(), wrong);
    }
  });
});

describe('blocking hours', () => {
  test('by mouse: drag, type, press; and undo', async () => {
    const date = daysFromNow(40);
    const { page } = await asHost(calendarOf(40));
    await cell(page, date, 10, 'available').scrollIntoViewIfNeeded();
    await cell(page, date, 10, 'available').hover();
    await page.mouse.down();
    await cell(page, date, 11, 'available').hover();
    await cell(page, date, 12, 'available').hover();
    await page.mouse.up();
    const dialog = page.getByRole('dialog', { name: 'Hours' });
    await dialog.getByRole('tab', { name: 'Block' }).click();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Painting');
    await keepPicture(page, 'block');
    await dialog.getByRole('button', { name: 'Block hours' }).click();
    for (const hour of [10, 11, 12]) await cell(page, date, hour, 'blocked').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await cell(page, date, 10, 'blocked').filter({ hasText: 'Painting' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    for (const hour of [10, 11, 12]) await cell(page, date, hour, 'available').waitFor();
  });

  test('by keyboard: arrows, Shift and arrows, Enter; and unblock', async () => {
    const date = daysFromNow(41);
    const { page } = await asHost(calendarOf(41));
    await cell(page, date, 9, 'available').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowUp');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Hours' });
    await dialog.getByText('10 AM – 12 PM').waitFor();
    await dialog.getByRole('tab', { name: 'Book' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Cleaning');
    await page.keyboard.press('Enter');
    await cell(page, date, 11, 'blocked').waitFor();
    await dialog.waitFor({ state: 'detached' });
    // The focus is back where it was.
    const focused = page.locator(':focus');
    assert.match((await focused.textContent()) ?? '', /, blocked/);
    await page.keyboard.press('Enter');
    await dialog.getByText('Cleaning').waitFor();
    await dialog.getByRole('button', { name: 'Unblock hours' }).press('Enter');
    for (const hour of [10, 11]) await cell(page, date, hour, 'available').waitFor();
  });

  test('on a phone: tap the first hour, tap the last', async () => {
    const date = daysFromNow(42);
    const { page } = await asHost(calendarOf(42, 'day'), PHONE);
    await cell(page, date, 9, 'available').tap();
    await page.getByText('From 9 AM: tap the end').waitFor();
    await keepPicture(page, 'phone-tapped');
    await cell(page, date, 11, 'available').tap();
    const dialog = page.getByRole('dialog', { name: 'Hours' });
    await dialog.getByText('9 AM – 12 PM').waitFor();
    await dialog.getByRole('tab', { name: 'Block' }).tap();
    await keepPicture(page, 'phone-block');
    await dialog.getByRole('button', { name: 'Block hours' }).tap();
    for (const hour of [9, 10, 11]) await cell(page, date, hour, 'blocked').waitFor();
  });
});

describe('booking and cancelling', () => {
  async function fillIn(page: Page, name: string): Promise<void> {
    const dialog = page.getByRole('dialog', { name: 'Hours' });
    await dialog.getByRole('textbox', { name: 'Guest name' }).fill(name);
    await dialog.getByRole('textbox', { name: 'Guest email' }).fill('ada@example.com');
    await dialog.getByRole('textbox', { name: 'Guest phone' }).fill('+1 212 555 0199');
    await dialog.getByRole('combobox', { name: 'Paid to' }).selectOption('The platform');
  }

  test('by mouse', async () => {
    const date = daysFromNow(43);
    // No guest of the demo data: their cancelled bookings are in the list until it is filtered by date.
    const name = 'Zora Quill';
    const { page } = await asHost(calendarOf(43));
    await cell(page, date, 14, 'available').click();
    await fillIn(page, name);
    await page.getByRole('button', { name: 'Book hours' }).click();
    await cell(page, date, 14, 'booked').filter({ hasText: name }).click();
    const dialog = page.getByRole('dialog', { name: 'Booking' });
    await dialog.getByText('ada@example.com').waitFor();
    await dialog.getByText('To the platform, not paid yet').waitFor();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Flooded');
    await dialog.getByRole('button', { name: 'Cancel booking' }).click();
    await cell(page, date, 14, 'available').waitFor();
    await goTo(page, 'Bookings');
    await page.getByRole('combobox', { name: 'Status' }).selectOption('Cancelled');
    await page.getByRole('textbox', { name: 'From' }).fill(date);
    await page.getByRole('textbox', { name: 'To', exact: true }).fill(date);
    const table = page.getByRole('table', { name: 'Bookings' });
    await table.getByRole('row').filter({ hasText: name }).filter({ hasText: 'Cancelled' }).waitFor();
  });

  test('by keyboard alone', async () => {
    const date = daysFromNow(44);
    const { page } = await asHost(calendarOf(44));
    await cell(page, date, 14, 'available').focus();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Guest name' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Ben Okafor');
    await page.keyboard.press('Tab');
    await page.keyboard.type('ben@example.com');
    await page.keyboard.press('Enter');
    await cell(page, date, 15, 'booked').waitFor();
    // The cell has the focus again a frame after the dialog is gone.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await cell(page, date, 15, 'booked').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Booking' });
    await dialog.waitFor();
    // Close, mail, all bookings of the guest, Move, and then the reason.
    for (let press = 0; press < 5; press++) await page.keyboard.press('Tab');
    const reason = dialog.getByRole('textbox', { name: 'Reason (required)' });
    await reason.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Closed that day');
    await page.keyboard.press('Enter');
    await cell(page, date, 14, 'available').waitFor();
  });

  test('on a phone', async () => {
    const date = daysFromNow(45);
    const { page } = await asHost(calendarOf(45, 'day'), PHONE);
    await cell(page, date, 10, 'available').tap();
    await cell(page, date, 10, 'available').tap();
    await fillIn(page, 'Chiara Rossi');
    await keepPicture(page, 'phone-book');
    await page.getByRole('button', { name: 'Book hours' }).tap();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await cell(page, date, 10, 'booked').tap();
    await page.getByRole('textbox', { name: 'Reason' }).fill('No heating');
    await page.getByRole('button', { name: 'Cancel booking' }).tap();
    await cell(page, date, 10, 'available').waitFor();
  });

  test('is refused with the API’s message beside what was typed, and can be tried again', async () => {
    const date = daysFromNow(46);
    const { page } = await asHost(calendarOf(46));
    await cell(page, date, 10, 'available').click();
    await fillIn(page, 'Greta Lind');
    await page.getByRole('textbox', { name: 'Guest email' }).fill('not an address');
    await page.getByRole('button', { name: 'Book hours' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'guest_email must be an email address' });
    await alert.waitFor();
    assert.match((await alert.textContent()) ?? '', /Request id [\w-]{8,}/);
    assert.equal(await page.getByRole('textbox', { name: 'Guest name' }).inputValue(), 'Greta Lind');
    await page.getByRole('textbox', { name: 'Guest email' }).fill('greta@example.com');
    await page.getByRole('button', { name: 'Book hours' }).click();
    await cell(page, date, 10, 'booked').waitFor();
  });
});

describe('what do I earn', () => {
  for (const [way, options] of [
    ['mouse', WIDE],
    ['phone', PHONE],
  ] as const) {
    test(`is one press away, with a sentence that says who owes whom: ${way}`, async () => {
      const { page } = await asHost('', options);
      await goTo(page, 'Money');
      await page.getByRole('img', { name: 'Earnings by month' }).waitFor();
      await page.getByRole('table', { name: 'Earnings by month' }).waitFor();
      await page
        .getByText(/^(The platform owes you|You owe the platform) \$[\d.,]+ at the end of \w+ \d{4}\.$/)
        .waitFor();
    });
  }

  test('shows what the API reports, and exports it for a spreadsheet', async () => {
    const { page } = await asHost('/money');
    const month =
      (await page.getByRole('textbox', { name: 'Month' }).inputValue()) || daysFromNow(0).slice(0, 7);
    const answer = await fetch(
      `${service.url}/api-settlement-report/api/v1/settlement/report?month=${month}`,
      {
        headers: { authorization: `Bearer ${demo.keys.production}` },
      },
    );
    const { data } = (await answer.json()) as {
      data: Pick<SettlementReport, 'closing_balance' | 'lines' | 'adjustments' | 'payouts'>;
    };
    const owed = Math.abs(data.closing_balance)
      .toFixed(2)
      .replace(/\B(?=(\d{3})+(?!\d))/, ',');
    await page.getByText(`$${owed} at`).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const text = readFileSync(await file.path(), 'utf8');
    // A header, the sums, and the end of the last row.
    const entries = data.lines.length + data.adjustments.length + data.payouts.length;
    assert.equal(text.split('\r\n').length, entries + 5);
    assert.match(text, /^\uFEFFDate,Time,Hours,Space/);
  });
});

describe('the calendar', () => {
  test('shows a week of one space, or a day with a column for each', async () => {
    const { page } = await asHost('/calendar');
    assert.ok(await page.getByRole('radio', { name: 'Week' }).isChecked());
    const grid = page.getByRole('grid', { name: 'Calendar' });
    assert.equal(await grid.getByRole('row').count(), 25);
    assert.equal(await grid.getByRole('columnheader').count(), 7);
    await page.getByRole('radio', { name: 'Day' }).check();
    const spaces = demo.spaces.filter(({ environment }) => environment === 'production');
    for (const { title } of spaces) await grid.getByRole('columnheader', { name: title }).waitFor();
    await page.getByRole('button', { name: 'Today' }).waitFor();
    await page.getByRole('combobox', { name: 'Space' }).selectOption(spaces[0]!.title);
    assert.equal(await grid.getByRole('columnheader').count(), 1);
  });

  test('goes on with Next, back with Previous, and home with This week', async () => {
    const { page } = await asHost(`/calendar?space=${demo.spaces[0]!.id}`);
    const first = page.getByRole('grid').getByRole('columnheader').first();
    const here = await first.textContent();
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    assert.notEqual(await first.textContent(), here);
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.getByRole('button', { name: 'Previous', exact: true }).click();
    await page.getByRole('button', { name: 'This week' }).click();
    assert.equal(await first.textContent(), here);
  });

  test('marks the hour that a clock change skips and the one that it repeats', async () => {
    // New York, 2027: forward on March 14 at 2:00, back on November 7 at 2:00.
    {
      const { page } = await asHost(`/calendar?space=${demo.spaces[0]!.id}&view=day&date=2027-03-14`);
      const skipped = cell(page, '2027-03-14', 2, 'closed');
      assert.match((await skipped.getAttribute('aria-description')) ?? '', /does not exist/);
    }
    {
      const { page } = await asHost(`/calendar?space=${demo.spaces[0]!.id}&view=day&date=2027-11-07`);
      const repeated = cell(page, '2027-11-07', 1, 'available');
      assert.match((await repeated.getAttribute('aria-description')) ?? '', /comes twice/);
    }
  });
});

describe('spaces and webhooks', () => {
  test('a title, a price and whether it is active are changed in place', async () => {
    const [, space] = demo.spaces;
    const { page } = await asHost('/spaces');
    const title = page.getByRole('textbox', { name: `Title, ${space!.title}` });
    await title.fill('The Loft');
    await title.press('Enter');
    await page.getByText('Saved The Loft.').waitFor();
    const price = page.getByRole('textbox', { name: 'Price per hour, The Loft' });
    await price.fill('33.5');
    await page.getByRole('button', { name: 'Save, The Loft' }).click();
    await page.getByText('Saved The Loft: $33.50 per hour.').waitFor();
    const active = page.getByRole('checkbox', { name: 'Active, The Loft' });
    await active.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
    await active.and(page.locator(':not(:checked)')).waitFor();
    await active.click();
    await active.and(page.locator(':checked')).waitFor();
  });

  test('a webhook is added, its secret shown once, paused, resumed, changed, rotated and deleted', async () => {
    const { page } = await asHost('/webhooks');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    const add = page.getByRole('dialog', { name: 'Add webhook' });
    await add.getByRole('textbox', { name: 'URL' }).fill('http://127.0.0.1:9/hook');
    await add.getByRole('checkbox', { name: 'listing.updated' }).uncheck();
    await add.getByRole('button', { name: 'Add webhook' }).click();
    const secret = page.getByRole('dialog', { name: 'Secret' });
    const shown = secret.getByRole('textbox', { name: 'Signing secret' });
    assert.match(await shown.inputValue(), /^whsec_/);
    await secret.getByRole('button', { name: 'Copy' }).waitFor();
    await keepPicture(page, 'secret');
    assert.deepEqual(await violations(page), []);
    const first = await shown.inputValue();
    // It was not copied: Escape does not throw it away.
    await page.keyboard.press('Escape');
    await secret.getByRole('alert').filter({ hasText: 'not copied it yet' }).waitFor();
    assert.deepEqual(await violations(page), []);
    assert.equal(await shown.inputValue(), first);
    await secret.getByRole('button', { name: 'I have saved it' }).click();
    const row = page
      .getByRole('table', { name: 'Webhooks' })
      .getByRole('row')
      .filter({ hasText: '127.0.0.1:9' });
    await row.getByRole('button', { name: 'Pause' }).click();
    await row.getByText('Paused').waitFor();
    await row.getByRole('button', { name: 'Resume' }).click();
    await row.getByText('Active').waitFor();
    await page.getByRole('status').filter({ hasText: 'pending events are sent now' }).waitFor();
    await row.getByRole('button', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit webhook' });
    assert.equal(await edit.getByRole('checkbox', { name: 'listing.updated' }).isChecked(), false);
    await edit.getByRole('textbox', { name: 'URL' }).fill('ftp://127.0.0.1:9/other');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.getByRole('alert').filter({ hasText: 'URL must begin with https://.' }).waitFor();
    assert.deepEqual(await violations(page), []);
    await edit.getByRole('textbox', { name: 'URL' }).fill('http://127.0.0.1:9/other');
    await edit.getByRole('checkbox', { name: 'booking.completed' }).uncheck();
    await edit.getByRole('button', { name: 'Save' }).click();
    await row.getByText('http://127.0.0.1:9/other').waitFor();
    assert.equal(await row.getByText('booking.completed').count(), 0);
    await row.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('button', { name: 'Make a new secret' }).click();
    await shown.waitFor();
    assert.notEqual(await shown.inputValue(), first);
    await page.context().grantPermissions(['clipboard-write']);
    await secret.getByRole('button', { name: 'Copy' }).click();
    await secret.getByText('Copied.').waitFor();
    await page.keyboard.press('Escape');
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await row.waitFor({ state: 'detached' });
  });

  test('deliveries are told in words', async () => {
    await call('POST', '/api-webhooks/api/v1/webhooks', {
      url: 'http://127.0.0.1:9/',
      events: ['listing.updated'],
    });
    await call('PATCH', `/api-listing-update/api/v1/spaces/${demo.spaces[0]!.id}`, { price: 45.5 });
    const { page } = await asHost('/webhooks');
    const words = page.getByText(/failed, connection refused, next attempt at/).first();
    for (let look = 0; look < 20 && (await words.count()) === 0; look++) {
      await page.evaluate("window.dispatchEvent(new Event('focus'))");
      await page.waitForTimeout(1100);
    }
    await words.waitFor();
    await words.click();
    await page.getByRole('list', { name: /^Last deliveries to/ }).waitFor();
    assert.deepEqual(await violations(page), []);
    await keepPicture(page, 'deliveries');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page
      .getByText('failed, connection refused, queued until the webhook is active again')
      .first()
      .waitFor();
    assert.equal(await words.count(), 0);
  });
});

for (const [name, options] of LOOKS) {
  test(`every screen and dialog is accessible and fits: ${name}`, async () => {
    const look = async (page: Page, what: string): Promise<void> => {
      await page.waitForTimeout(300);
      await assertAccessible(page, `${name}-${what}`);
    };
    const page = await visit(service.url, '', options);
    await look(page, 'sign-in');
    await signIn(page, demo.keys.production);
    for (const screen of SCREENS) {
      await goTo(page, screen);
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      if (screen === 'Calendar')
        await page.locator('td[data-state="loading"]').first().waitFor({ state: 'detached' });
      await look(page, screen.toLowerCase());
    }
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByRole('dialog').waitFor();
    await look(page, 'dialog-add-webhook');
    await page.goto(`${service.url}/console${calendarOf(47, 'day')}`);
    await cell(page, daysFromNow(47), 12, 'available').click();
    await page.getByRole('dialog').waitFor();
    await look(page, 'dialog-hours-book');
    await page.getByRole('tab', { name: 'Block' }).click();
    await look(page, 'dialog-hours-block');
    await page.keyboard.press('Escape');
    await page.getByRole('gridcell', { name: cellName(daysFromNow(47), 10, 'booked') }).click();
    await page.getByRole('dialog', { name: 'Booking' }).waitFor();
    await look(page, 'dialog-booking');
    await page.getByRole('button', { name: 'Cancel booking' }).click();
    await page.getByRole('alert').waitFor();
    await look(page, 'dialog-refusal');
  });
}

test('the scripts of the first screen and the service worker are at most 150 kB, gzipped', async () => {
  const names = new Set<string>();
  const page = await visit(service.url);
  page.on('response', (response) => {
    const name = /\/console\/assets\/(.+)$/.exec(response.url())?.[1];
    if (name !== undefined) names.add(name);
  });
  await page.reload();
  await signIn(page, demo.keys.production);
  await page.getByRole('heading', { name: /^Guests today/ }).waitFor();
  const build = join(import.meta.dirname, '../../console/dist');
  const scripts = [...names].filter((name) => name.endsWith('.js'));
  const worker = gzipSync(readFileSync(join(build, 'sw.js'))).length;
  const sizes = scripts.map((name) => statSync(join(build, 'assets', `${name}.gz`)).size);
  const total = sizes.reduce((sum, size) => sum + size, worker);
  process.stdout.write(`first screen: ${(total / 1000).toFixed(1)} kB of scripts, gzipped\n`);
  assert.ok(total > 50_000 && total <= 150_000, String(total));
});
