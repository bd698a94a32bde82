import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { Hourkeep } from '../../client/src/index.ts';
import { useCalendarServer } from '../support/calendar-server.ts';
import { insertManyBookings } from '../support/many-bookings.ts';
import { until } from '../support/until.ts';
import {
  alertOf,
  askedBy,
  button,
  cell,
  closed,
  dayCell,
  daysFromNow,
  described,
  dialogOf,
  exported,
  goTo,
  hasFocus,
  inNewYork,
  maySeeClipboard,
  newHost,
  opener,
  PHONE,
  press,
  printed,
  row,
  sees,
  settled,
  signIn,
  textbox,
  toastOf,
  visit,
  WIDE,
  world,
} from './console-support.ts';
import { demo, service } from './demo.ts';

// npm run test:browser: Today, bookings, spaces and webhooks, what they cost, what they require, and how they look on paper.

const { spaces, key, book, bookings, calendar, open } = await newHost(
  'Riverside Studio',
  'The Loft',
  'Garden Room',
);
const loft = spaces[1]!;
const { date: today } = inNewYork(Date.now());
const tomorrow = Temporal.PlainDate.from(today).add({ days: 1 }).toString();

test('one look at every screen and the next week costs at most 14 requests', async () => {
  const page = await visit(world.url);
  await signIn(page, key);
  await sees(page, /left today/);
  for (const screen of ['calendar', 'bookings', 'money', 'spaces', 'webhooks', 'keys', 'today'] as const) {
    await goTo(page, screen);
    await settled(page);
  }
  await goTo(page, 'calendar');
  await press(page, 'Next');
  await settled(page);
  const asked = askedBy(page);
  process.stdout.write(`requests: ${asked.length}\n`);
  assert.ok(asked.length > 5 && asked.length <= 14, asked.join('\n'));
});

test('Today has the guests of today and tomorrow of all spaces first, and webhooks last', async () => {
  await book(tomorrow, 10, 'Tom Orrow', { space_id: loft });
  const page = await open('/today');
  const list = page.getByRole('list', { name: 'Guests tomorrow' });
  await sees(list.getByRole('listitem').filter({ hasText: 'Tom Orrow' }), 'The Loft');
  const top = async (css: string): Promise<number> => (await page.locator(css).first().boundingBox())!.y;
  const order = [await top('.guests'), await top('.space-cards'), await top('.stats')];
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
  assert.equal(await page.locator('main section').last().getAttribute('aria-label'), 'Webhooks');
});

for (const [name, options] of [
  ['mouse', WIDE],
  ['phone', PHONE],
] as const)
  test(`a walk-in is booked for the running hour by name alone: ${name}`, async () => {
    // The page has the machine's clock, and the hour may have ended since the service started.
    world.clock.set(new Date().toISOString());
    const running = inNewYork(world.clock.now());
    const page = await open('/today', options);
    // One whose running hour is free is offered first.
    await sees(page, /left today/);
    await press(page, 'Walk-in');
    const dialog = dialogOf(page, 'Walk-in');
    for (const select of ['Space', 'Ends']) await dialog.getByRole('combobox', { name: select }).waitFor();
    await textbox(dialog, 'Guest email (optional)').waitFor();
    await textbox(dialog, 'Guest name').fill(`Walker ${name}`);
    await press(dialog, 'Book now');
    const list = page.getByRole('list', { name: 'Guests today' });
    await sees(list.getByRole('listitem').filter({ hasText: `Walker ${name}` }), 'Here now');
    await toastOf(page, new RegExp(`Booked .+ – .+ for Walker ${name}`));
    assert.equal(await button(page, 'Undo').count(), 0);
    assert.equal(askedBy(page).filter((line) => /^POST .*create-booking/.test(line)).length, 1);
    const [made] = await bookings({ guest: `Walker ${name}` });
    assert.deepEqual(
      [made!['walk_in'], made!['date'], made!['start_hour']],
      [true, running.date, running.hour],
    );
  });

const REQUIRED: [path: string, name: string, button: string, ready: (page: Page) => Promise<unknown>][] = [
  ['/webhooks', 'URL', 'Add webhook', (page) => press(page, 'Add webhook')],
  ['/keys', 'Name', 'Make key', (page) => press(page, 'Make a key')],
  ['/spaces', 'Calendar address', 'Connect', (page) => press(page, 'External calendars, The Loft')],
  ['/today', 'Guest name', 'Book now', (page) => press(page, 'Walk-in')],
  [calendar({ date: daysFromNow(42) }), 'Guest name', 'Book hours', chooseHour],
  [
    calendar({ date: daysFromNow(42) }),
    'Guest email',
    'Book hours',
    async (page) => {
      await chooseHour(page);
      await textbox(page, 'Guest name').fill('Ada Miller');
    },
  ],
  [
    calendar({ date: daysFromNow(42) }),
    'Reason (required)',
    'Cancel booking',
    async (page) => {
      await book(daysFromNow(42), 10);
      await cell(page, daysFromNow(42), 10, 'available')
        .or(cell(page, daysFromNow(42), 10, 'booked'))
        .waitFor();
      await page.reload();
      await cell(page, daysFromNow(42), 10, 'booked').click();
    },
  ],
  [
    '',
    'API key',
    'Sign in',
    (page) =>
      page
        .context()
        .clearCookies()
        .then(() => page.reload()),
  ],
];

async function chooseHour(page: Page): Promise<void> {
  await cell(page, daysFromNow(42), 8, 'available').click();
}

for (const [path, name, pressed, ready] of REQUIRED)
  test(`“${name}” is required for “${pressed}”, which its field says before anything is sent`, async () => {
    const page = await open(path);
    await ready(page);
    await textbox(page, name, true).waitFor();
    const sent: string[] = [];
    page.on('request', (request) => request.method() !== 'GET' && sent.push(request.url()));
    await button(page, pressed).last().click();
    const words = `${name.replace(/ \(.*/, '')} is missing.`;
    await alertOf(page, words);
    const field = textbox(page, name, true);
    await hasFocus(field);
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    assert.equal(await described(field), words);
    assert.deepEqual(sent, []);
  });

describe('bookings', () => {
  test('are found by guest from a year back on, until the person changes From', async () => {
    // In the past there are no bookings to make: this one is put there.
    const id = await book(daysFromNow(110), 10, 'Élise Dupont');
    await book(daysFromNow(111), 10, 'Elise Dupont-Martin');
    await world.write('update bookings set date = $1 where id = $2', [daysFromNow(-100), id]);
    const page = await open('/bookings');
    const table = page.getByRole('table', { name: 'Bookings' });
    await page.getByRole('searchbox', { name: 'Find a guest' }).fill('elise');
    const past = table.getByText('Élise Dupont', { exact: true });
    await past.waitFor();
    await sees(table, 'Elise Dupont-Martin');
    await sees(page, /^Looks from /);
    await textbox(page, 'From').fill(daysFromNow(0));
    await closed(past);
    await sees(table, 'Elise Dupont-Martin');
    const before = page.url();
    await textbox(page, 'To', true).fill('2027-13-01');
    await page.locator('input[aria-invalid="true"]').waitFor();
    assert.equal(page.url(), before);
    await sees(table, 'Elise Dupont-Martin');
    await page.reload();
    assert.equal(await page.getByRole('searchbox', { name: 'Find a guest' }).inputValue(), 'elise');
  });

  test('of a host with 10 000 have pages', async () => {
    const busy = await world.addHost();
    for (let number = 0; number < 10; number++) await world.addSpace(busy, { title: `Room ${number}` });
    const days = Array.from({ length: 100 }, (_, day) => daysFromNow(day - 50));
    const many = {
      hostId: busy,
      environment: 'production',
      days,
      perDay: 10,
      today: daysFromNow(0),
    } as const;
    await insertManyBookings(world.ctx.db, many);
    const page = await open(`/bookings?from=${days[0]}`, WIDE, (await world.addKey(busy)).key);
    const rows = page.getByRole('table', { name: 'Bookings' }).getByRole('row');
    await sees(page, 'Page 1, 10,000 in all');
    assert.equal(await rows.count(), 51);
    const first = await rows.nth(1).textContent();
    await press(page, 'Next page');
    await sees(page, 'Page 2, 10,000 in all');
    assert.notEqual(await rows.nth(1).textContent(), first);
    await press(page, 'Previous page');
    await sees(page, 'Page 1, 10,000 in all');
  });

  test('of guests whose texts are hostile or long are shown as they are, do nothing and fit', async () => {
    const hostile =
      '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script> \u202Egnp.exe ' + '"'.repeat(20);
    const date = daysFromNow(70);
    for (const [start_hour, name] of [
      [18, hostile],
      [20, 'W'.repeat(200)],
    ] as const) {
      await book(date, start_hour, name, { guest_phone: '=1+1' });
      await book(tomorrow, start_hour, name);
    }
    const page = await open(calendar({ date }), PHONE);
    for (const hour of [18, 20]) {
      await cell(page, date, hour, 'booked').tap();
      await dialogOf(page, 'Booking').waitFor();
      await fits(page);
      await press(page, 'Close');
    }
    for (const screen of ['today', 'bookings'] as const) {
      await goTo(page, screen);
      await sees(page, '<img src=x');
      await fits(page);
    }
    assert.match(await exported(page), /,"'=1\+1",/);
    assert.equal(await page.evaluate('window.pwned'), undefined);
  });
});

const fits = async (page: Page): Promise<void> =>
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), PHONE.viewport!.width);

describe('spaces', () => {
  const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
  const [{ id, title }, other] = demo.spaces as [(typeof demo.spaces)[0], (typeof demo.spaces)[0]];
  const hk = new Hourkeep({ apiKey: demo.keys.production, baseUrl: service.url });
  const inDemo = opener(service.url, demo.keys.production);
  const outside = useCalendarServer();

  test('have a title and a price that are saved as they are written, told in the toast, and taken back', async () => {
    const page = await inDemo('/spaces');
    await textbox(page, `Title, ${other.title}`).fill('The Attic');
    await page.keyboard.press('Enter');
    await toastOf(page, 'Saved The Attic.');
    const { price_per_hour: before } = await hk.spaces.get(id);
    const price = textbox(page, `Price per hour, ${title}`);
    await price.fill('1,250');
    await price.press('Enter');
    const saved = await toastOf(page, `Saved ${title}: $1,250.00 per hour.`);
    assert.equal((await hk.spaces.get(id)).price_per_hour, 1250);
    assert.equal(await price.inputValue(), '1,250');
    await press(saved, 'Undo');
    await toastOf(page, `$${before.toFixed(2)} per hour`);
    assert.equal((await hk.spaces.get(id)).price_per_hour, before);
  });

  test('have no price that the language does not write like that: nothing is sent', async () => {
    for (const [locale, label, example, wrong] of [
      ['en-US', 'Price per hour', '1,250.50.', ['1.250', 'forty', '-5', '']],
      ['de-DE', 'Preis pro Stunde', '1.250,50', ['1,250']],
    ] as const) {
      const page = await inDemo('/spaces', { ...WIDE, locale });
      const price = textbox(page, `${label}, ${title}`);
      for (const text of wrong) {
        await price.fill(text);
        await price.press('Enter');
        await alertOf(page, example);
        assert.deepEqual(
          [await price.getAttribute('aria-invalid'), await price.inputValue()],
          ['true', text],
        );
      }
      assert.deepEqual(
        askedBy(page).filter((line) => line.startsWith('PATCH')),
        [],
      );
      await price.press('Escape');
      await page.getByRole('alert').waitFor({ state: 'detached' });
    }
  });

  test('are deactivated after a question that names the bookings ahead', async () => {
    const guest = { guest_name: 'Ada Miller', guest_email: 'ada@example.com' };
    await hk.bookings.create({ space_id: id, date: daysFromNow(12), start_hour: 10, end_hour: 12, ...guest });
    const page = await inDemo('/spaces');
    const active = page.getByRole('checkbox', { name: `Active, ${title}` });
    await active.click();
    const dialog = dialogOf(page, 'Deactivate');
    await sees(dialog, /bookings lie ahead and stay:$/);
    await dialog.getByRole('listitem').first().waitFor();
    await press(dialog, 'Cancel');
    assert.ok((await hk.spaces.get(id)).is_active);
    await active.click();
    await press(dialog, 'Deactivate');
    await toastOf(page, 'takes no bookings');
    assert.ok(!(await hk.spaces.get(id)).is_active);
    await press(page, 'Undo');
    await page.getByRole('checkbox', { name: `Active, ${title}`, checked: true }).waitFor();
  });

  test('have details, hours by weekday and rules; what is wrong is told at its field', async () => {
    const page = await inDemo('/spaces');
    const { title } = await hk.spaces.get(other.id);
    const details = `Details, ${title}`;
    const dialog = dialogOf(page, 'Details');
    const field = (name: string) => textbox(dialog, name);
    const hours = dialog.getByRole('group', { name: 'Opening hours' });
    const at = (day: string, end: string) => hours.getByRole('combobox', { name: `${day}, ${end}` });
    const save = async (): Promise<void> => press(dialog, 'Save');
    /** Saving tells this, at the control and as an alert. */
    const fails = async (control: Locator, words: string): Promise<void> => {
      await save();
      await alertOf(dialog, words);
      assert.equal(await described(control), words);
    };

    await press(page, details);
    await hours.getByRole('radio', { name: 'Same hours every day' }).check();
    await hours.getByRole('combobox', { name: 'Opens' }).selectOption('9 AM');
    await hours.getByRole('combobox', { name: 'Closes' }).selectOption('10 PM');
    await field('Description').fill('Light, and a piano.');
    await field('Amenities').fill('wifi\n\n piano ');
    await field('Capacity').fill('a few');
    await fails(field('Capacity'), 'Capacity must be a whole number.');
    await field('Capacity').fill('14');
    await field('Photos').fill('https://img.example/1.jpg\nnonsense');
    await fails(field('Photos'), 'Photo 2 must be a URL that begins with https://.');
    await field('Photos').fill('https://img.example/1.jpg');
    await save();
    await closed(dialog);

    await press(page, details);
    // Each day begins with the hours of every day.
    await hours.getByRole('radio', { name: 'By weekday' }).check();
    for (const day of DAYS) await hours.getByRole('checkbox', { name: day }).uncheck();
    await fails(hours, 'Opening hours: at least one day must be open.');
    for (const day of DAYS.slice(0, 6)) await hours.getByRole('checkbox', { name: day }).check();
    await at('Saturday', 'Opens').selectOption('11 AM');
    await at('Saturday', 'Closes').selectOption('8 AM');
    await fails(at('Saturday', 'Closes'), 'Saturday: Closes must be later than Opens.');
    assert.equal(await at('Friday', 'Closes').getAttribute('aria-invalid'), null);
    await at('Saturday', 'Closes').selectOption('8 PM');
    const ahead = field('Book ahead at most (days)');
    await ahead.fill('4000');
    await fails(ahead, 'Book ahead at most (days) must be 3650 or less.');
    await ahead.fill('365');
    await field('Minimum length (hours)').fill('3');
    await field('Maximum length (hours)').fill('2');
    await fails(field('Maximum length (hours)'), 'Maximum length must not be below minimum length, 3.');
    await field('Maximum length (hours)').fill('');
    await save();
    await closed(dialog);
    const week = 'Sun closed, Mon–Fri 9 AM – 10 PM, Sat 11 AM – 8 PM';
    await sees(page, week);

    const saved = await hk.spaces.get(other.id);
    const nineToTen = { start_hour: 9, end_hour: 22 };
    assert.deepEqual(
      [saved.description, saved.capacity, saved.amenities, saved.photo_urls, saved.operating_hours],
      ['Light, and a piano.', 14, ['wifi', 'piano'], ['https://img.example/1.jpg'], nineToTen],
    );
    const weekdays = DAYS.slice(0, 5).map((day) => [day.toLowerCase(), nineToTen]);
    const saturday = { start_hour: 11, end_hour: 20 };
    assert.deepEqual(saved.weekly_hours, { ...Object.fromEntries(weekdays), saturday, sunday: null });
    const { min_hours, max_hours, horizon_days } = saved.booking_rules;
    assert.deepEqual([min_hours, max_hours, horizon_days], [3, null, 365]);

    // The calendar says so, a day that is closed is so there, and a rule that is broken is told in words.
    const sunday = Temporal.PlainDate.from(daysFromNow(200));
    const date = (days: number) => sunday.add({ days: days - (sunday.dayOfWeek % 7) }).toString();
    await page.goto(`${service.url}/console/calendar?space=${other.id}&view=day&date=${date(7)}`);
    await cell(page, date(7), 10, 'closed').waitFor();
    await sees(page, `Opening hours: ${week}.`);
    await sees(page, /^Booking rules: at least 3 hours, .*up to 365 days ahead\.$/);
    await press(page, 'Next');
    await cell(page, date(8), 8, 'closed').waitFor();
    await cell(page, date(8), 21, 'available').click();
    await textbox(page, 'Guest name').fill('Ada Miller');
    await textbox(page, 'Guest email').fill('ada@guest.example');
    await press(page, 'Book hours');
    await alertOf(page, 'A booking of this space must have at least 3 hours.');
  });

  test('have a calendar feed with a new address, shown once, and the old one ends', async () => {
    const page = await inDemo('/spaces');
    const dialog = dialogOf(page, 'Calendar feed');
    const addresses: string[] = [];
    for (let time = 0; time < 2; time++) {
      await press(page, `Calendar feed, ${title}`);
      await sees(dialog, /The old address ends at once/);
      await press(dialog, 'Make a new address');
      addresses.push(await textbox(dialog, 'Feed address').inputValue());
      // A browser that forbids it: then it is selected, and copying by hand counts.
      await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("forbidden"))');
      await press(dialog, 'Copy');
      await sees(dialog, 'It is selected: copy it with your keyboard or menu.');
      await textbox(dialog, 'Feed address').press('ControlOrMeta+c');
      await sees(dialog, 'Copied.');
      await page.keyboard.press('Escape');
      await closed(dialog);
    }
    const answers = await Promise.all(addresses.map((address) => fetch(address)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [401, 200],
    );
  });

  test('are connected to an external calendar, whose state is told in words, and disconnected', async () => {
    outside.serveEvents(`10:00-12:00 on ${daysFromNow(30)}`);
    const page = await inDemo('/spaces');
    await press(page, `External calendars, ${title}`);
    const dialog = dialogOf(page, 'External calendars');
    await sees(dialog, 'No external calendars yet.');
    const address = textbox(dialog, 'Calendar address');
    await address.fill('not an address');
    await press(dialog, 'Connect');
    await alertOf(dialog, 'Calendar address must not contain spaces.');
    await address.fill(`${outside.url}/feed.ics`);
    await press(dialog, 'Connect');
    await sees(dialog, /^Synced at .*: its hours are blocked here\.$/);
    await dialog.getByRole('button', { name: /^Disconnect/ }).click();
    await sees(dialog, 'No external calendars yet.');
    assert.deepEqual((await hk.spaces.get(id)).external_calendars, []);
  });

  test('have webhooks: added, secret shown once, paused, resumed, changed, rotated and deleted', async () => {
    const page = await inDemo('/webhooks');
    await maySeeClipboard(page);
    await press(page, 'Add webhook');
    const add = dialogOf(page, 'Add webhook');
    await textbox(add, 'URL').fill('http://127.0.0.1:9/hook');
    await add.getByRole('checkbox', { name: 'listing.updated' }).uncheck();
    await press(add, 'Add webhook');
    const shown = textbox(page, 'Signing secret');
    const first = await shown.inputValue();
    assert.match(first, /^whsec_/);
    // It was not copied: Escape does not throw it away.
    await page.keyboard.press('Escape');
    await alertOf(page, 'not copied it yet');
    assert.equal(await shown.inputValue(), first);
    await press(page, 'I have saved it');
    const line = row(page.getByRole('table', { name: 'Webhooks' }), '127.0.0.1:9');
    await press(line, 'Pause');
    await sees(line, 'Paused');
    await press(line, 'Resume');
    await sees(line, 'Active');
    await toastOf(page, 'pending events are sent now');
    await press(line, 'Edit');
    const edit = dialogOf(page, 'Edit webhook');
    assert.equal(await edit.getByRole('checkbox', { name: 'listing.updated' }).isChecked(), false);
    await textbox(edit, 'URL').fill('ftp://127.0.0.1:9/other');
    await press(edit, 'Save');
    await alertOf(edit, 'URL must begin with https://.');
    await textbox(edit, 'URL').fill('http://127.0.0.1:9/other');
    await edit.getByRole('checkbox', { name: 'booking.completed' }).uncheck();
    await press(edit, 'Save');
    await sees(line, 'http://127.0.0.1:9/other');
    assert.equal(await line.getByText('booking.completed').count(), 0);
    await press(line, 'Rotate secret');
    await press(page, 'Make a new secret');
    await shown.waitFor();
    assert.notEqual(await shown.inputValue(), first);
    await press(page, 'Copy');
    await sees(page, 'Copied.');
    await page.keyboard.press('Escape');
    await press(line, 'Delete');
    await press(page, 'Delete webhook');
    await closed(line);
  });

  test('have deliveries that are told in words', async () => {
    const { id: webhook } = await hk.webhooks.create({
      url: 'http://127.0.0.1:9/',
      events: ['listing.updated'],
    });
    await hk.spaces.update(id, { price: 46.5 });
    const delivery = async () =>
      (await hk.webhooks.list()).find(({ id }) => id === webhook)!.recent_deliveries[0];
    await until(async () => (await delivery())?.error === 'connection_refused');
    const page = await inDemo('/webhooks');
    const words = page.getByText(/failed, connection refused, next attempt at/).first();
    await words.click();
    await page.getByRole('list', { name: /^Last deliveries to/ }).waitFor();
    await press(page, 'Pause');
    await sees(page, 'failed, connection refused, queued until the webhook is active again');
    assert.equal(await words.count(), 0);
  });
});

test('a host without a space is told on each screen that there is nothing', async () => {
  const page = await open('', WIDE, (await world.addKey(await world.addHost())).key);
  for (const screen of ['today', 'calendar', 'spaces', 'money', 'bookings', 'webhooks'] as const) {
    await goTo(page, screen);
    await page.locator('.empty').first().waitFor();
  }
});

const long = 'Wolfeschlegelsteinhausen-Bergerdorff, Maximiliane';
const PAPER: [name: string, path: string, options: BrowserContextOptions][] = [
  ['Today', '/today', PHONE],
  ['a day', calendar({ date: tomorrow }), WIDE],
  ['a day of all spaces', calendar({ date: tomorrow, space: 'all' }), PHONE],
  ['a week', calendar({ date: tomorrow, view: 'week' }), WIDE],
  ['a week of all spaces', calendar({ date: tomorrow, space: 'all', view: 'week' }), PHONE],
];
describe('on paper', () => {
  for (const [name, path, options] of PAPER)
    test(`${name} is one whole sheet of A4 without navigation`, async () => {
      await book(tomorrow, 6, long).catch(() => undefined);
      const page = await open(path, options);
      await settled(page);
      if (name !== 'Today') await dayCell(page, /, 06:00, booked$|, [1-9]\d* bookings?$/).waitFor();
      const text = await printed(page, `paper ${name}`, 1);
      if (name !== 'a week of all spaces') assert.ok(text.includes(long), text);
      for (const word of ['Sign out', 'Bookings\nMoney', 'Next', 'Notify me'])
        assert.ok(!text.includes(word), word);
    });
});
