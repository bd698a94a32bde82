import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { insertManyBookings } from '../support/many-bookings.ts';
import type { Space } from '@hourkeep/client';
import german from '../../console/src/languages/de.ts';
import english, { type Words } from '../../console/src/languages/en.ts';
import * as invitations from '../../src/api-keys/invitations.ts';
import type { DemoFile } from '../../src/demo/demo.ts';
import { useCalendarServer } from '../support/calendar-server.ts';
import { operator } from '../support/operator.ts';
import { violations } from './chromium.ts';
import {
  assertRequires,
  cell,
  daysFromNow,
  described,
  goTo,
  invite,
  keepPicture,
  signIn,
  startDemo,
  startHosted,
  visit,
  WIDE,
} from './console-support.ts';

// npm run test:browser: spaces, money and webhooks in the console.

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const NINE_TO_TEN = { start_hour: 9, end_hour: 22 };

const { world, hostId, asHost } = await startHosted([]);
const { service, demo } = await startDemo();
const calendars = useCalendarServer();

describe('an invitation', () => {
  test('becomes a key that is shown once, and signs in with it', async () => {
    await world.addSpace(hostId, { title: 'Riverside Studio' });
    const page = await visit(world.url, (await invite(world, hostId)).path);
    await page.getByRole('button', { name: 'Make my key' }).waitFor();
    assert.match(page.url(), /\/console\/welcome$/);
    assert.deepEqual(await violations(page), []);
    await keepPicture(page, 'welcome');
    await page.getByRole('button', { name: 'Make my key' }).click();
    const key = page.getByRole('textbox', { name: 'Your key' });
    await page.getByRole('status', { name: 'Environment' }).waitFor();
    const text = await key.inputValue();
    assert.match(text, /^hk_live_\w{36}$/);
    assert.match(page.url(), /\/console\/today$/);
    assert.deepEqual(await violations(page), []);
    await keepPicture(page, 'new-key');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').waitFor();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), text);
    // On every screen, until the person has it.
    await goTo(page, 'Spaces');
    assert.equal(await key.inputValue(), text);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await key.waitFor({ state: 'detached' });
    assert.equal(
      await page.evaluate('sessionStorage.length + localStorage.length + document.cookie.length'),
      0,
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, text);
  });

  test('that was used, is too old, was withdrawn or is not known says so in plain words', async () => {
    const used = await invite(world, hostId);
    const token = used.path.split('#')[1];
    await world.call('POST', '/console/claim', { body: { token } });
    const old = await invite(world, hostId, { linkMs: 1 });
    const withdrawn = await invite(world, hostId);
    await world.ctx.db.transaction((tx) =>
      invitations.revokeOrWithdraw(tx, world.clock.now(), operator, withdrawn.id),
    );
    world.clock.advance({ seconds: 1 });
    for (const [path, words] of [
      [used.path, 'This link has been used'],
      [old.path, 'This link has expired.'],
      [withdrawn.path, 'Your operator has withdrawn this link.'],
      ['/welcome#nonsense', 'Unknown link.'],
    ] as const) {
      const page = await visit(world.url, path);
      await page.getByRole('button', { name: 'Make my key' }).click();
      const alert = page.getByRole('alert').filter({ hasText: words });
      await alert.waitFor();
      assert.match((await alert.textContent()) ?? '', /Request id [\w-]{8,}/);
      assert.deepEqual(await violations(page), []);
      await page.context().close();
    }
  });

  test('without the end of its link asks for the whole of it', async () => {
    const page = await visit(world.url, '/welcome');
    await page.getByRole('alert').filter({ hasText: 'The end of the link is missing.' }).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.goto(`${world.url}/console${(await invite(world, hostId)).path}`);
    await page.getByRole('button', { name: 'Make my key' }).waitFor();
    assert.match(page.url(), /\/console\/welcome$/);
  });
});

describe('money', () => {
  test('says of both numbers of a month what they count', async () => {
    const { page } = await asHost('/money');
    await page.getByText(/^These four count all your bookings/).waitFor();
    await page.getByText(/^This counts only bookings made through the API/).waitFor();
  });

  test('a month is read in several ways, and what cannot be read is marked and changes nothing', async () => {
    const { page } = await asHost('/money?month=2026-01');
    const box = page.getByRole('textbox', { name: 'Month' });
    await page.getByText('There are no API bookings in January 2026.').waitFor();
    await box.fill('March 2026');
    await page.getByText('There are no API bookings in March 2026.').waitFor();
    await box.fill('05/2026');
    await page.getByText('There are no API bookings in May 2026.').waitFor();
    await box.fill('2026-13');
    await page.getByText('Enter a month, for example 2027-03 or March 2027.').waitFor();
    assert.equal(await box.getAttribute('aria-invalid'), 'true');
    assert.deepEqual(await violations(page), []);
    await page.getByText('There are no API bookings in May 2026.').waitFor();
    assert.match(page.url(), /month=2026-05$/);
  });

  test('a long report has pages', async () => {
    const busy = await world.addHost();
    await world.addSpace(busy);
    const days = Array.from({ length: 10 }, (_, day) => `2026-03-${String(day + 10)}`);
    await insertManyBookings(world.ctx.db, {
      hostId: busy,
      environment: 'production',
      days,
      perDay: 12,
      today: daysFromNow(0),
    });
    const { key: busyKey } = await world.addKey(busy);
    const path = '/api-settlement-report/api/v1/settlement/report?month=2026-03';
    const { body } = await world.call('GET', path, { key: busyKey });
    const lines = (body.data as { lines: unknown[] }).lines.length;
    assert.ok(lines > 100 && lines < 150, `${lines} lines make three pages`);
    const options = { ...WIDE, viewport: { width: 1000, height: 800 } };
    const { page } = await asHost('/money?month=2026-03', options, busyKey);
    const rows = page.getByRole('table', { name: 'Bookings of the report' }).getByRole('row');
    await page.getByText(`Page 1, ${lines} in all`).waitFor();
    assert.equal(await rows.count(), 51);
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText(`Page 3, ${lines} in all`).waitFor();
    assert.equal(await rows.count(), lines - 100 + 1);
    assert.ok(await page.getByRole('button', { name: 'Next page' }).isDisabled());
    await keepPicture(page, 'long-report');
  });
});

test('what is required is told at its field before anything is sent', async () => {
  await world.addSpace(hostId, { title: 'Garden Room' });
  const out = await visit(world.url);
  await assertRequires(out, 'API key', 'Sign in');
  {
    const { page } = await asHost('/webhooks');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await assertRequires(page, 'URL', 'Add webhook');
  }
  {
    const { page } = await asHost('/spaces');
    await page.getByRole('button', { name: 'External calendars, Garden Room' }).click();
    await assertRequires(page, 'Calendar address', 'Connect');
  }
});

describe('spaces', () => {
  async function inDemo(
    options: BrowserContextOptions = WIDE,
    words: Words = english,
  ): Promise<{ page: Page }> {
    const page = await visit(service.url, '/spaces', options);
    await signIn(page, demo.keys.production, false, words);
    return { page };
  }

  const spaceOf = async (id: string): Promise<Space> => {
    const answer = await fetch(`${service.url}/api-listings/api/v1/spaces/${id}`, {
      headers: { authorization: `Bearer ${demo.keys.production}` },
    });
    return ((await answer.json()) as { data: { space: Space } }).data.space;
  };

  test('a price is saved as it is written, told in the toast, and can be taken back', async () => {
    const [{ id, title }] = demo.spaces as [DemoFile['spaces'][number]];
    const { price_per_hour: before } = await spaceOf(id);
    const { page } = await inDemo();
    const price = page.getByRole('textbox', { name: `Price per hour, ${title}` });
    await price.fill('1,250');
    await price.press('Enter');
    const saved = page.getByRole('status').filter({ hasText: `Saved ${title}: $1,250.00 per hour.` });
    await saved.waitFor();
    assert.equal((await spaceOf(id)).price_per_hour, 1250);
    assert.equal(await price.inputValue(), '1,250');
    await keepPicture(page, 'price-saved');
    assert.deepEqual(await violations(page), []);
    await saved.getByRole('button', { name: 'Undo' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: `$${before.toFixed(2)} per hour` })
      .waitFor();
    assert.equal((await spaceOf(id)).price_per_hour, before);
  });

  test('a price that the language does not write like that is refused, and nothing is sent', async () => {
    const [{ id, title }] = demo.spaces as [DemoFile['spaces'][number]];
    const { price_per_hour: before } = await spaceOf(id);
    {
      const { page } = await inDemo();
      const price = page.getByRole('textbox', { name: `Price per hour, ${title}` });
      const sent: string[] = [];
      page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.url()));
      for (const wrong of ['1.250', 'forty', '-5', '']) {
        await price.fill(wrong);
        await page.getByRole('button', { name: `Save, ${title}` }).click();
        await page.getByRole('alert').filter({ hasText: 'for example 1,250.50.' }).waitFor();
        assert.equal(await price.getAttribute('aria-invalid'), 'true');
        assert.equal(await price.inputValue(), wrong);
      }
      assert.deepEqual(await violations(page), []);
      assert.deepEqual(sent, []);
      await price.press('Escape');
      await page.getByRole('alert').waitFor({ state: 'detached' });
    }
    {
      const { page } = await inDemo({ ...WIDE, locale: 'de-DE' }, german);
      const price = page.getByRole('textbox', { name: `${german.spaces.price}, ${title}` });
      await price.fill('1,250');
      await price.press('Enter');
      await page.getByRole('alert').filter({ hasText: 'zum Beispiel 1.250,50' }).waitFor();
      assert.equal((await spaceOf(id)).price_per_hour, before);
      await price.fill('1.250');
      await price.press('Enter');
      await page
        .getByRole('status')
        .filter({ hasText: /1\.250,00\s\$ pro Stunde/ })
        .waitFor();
      await page.getByRole('button', { name: german.undo }).click();
      await page
        .getByRole('status')
        .filter({ hasText: /45,50\s\$|45,00\s\$/ })
        .waitFor();
    }
  });

  test('deactivating names the bookings ahead and asks', async () => {
    const space = demo.spaces[0]!;
    const date = daysFromNow(12);
    await fetch(`${service.url}/api-create-booking/api/v1/bookings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.keys.production}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        space_id: space.id,
        date,
        start_hour: 10,
        end_hour: 12,
        guest_name: 'Ada Miller',
        guest_email: 'ada@example.com',
      }),
    });
    const { page } = await inDemo();
    const active = page.getByRole('checkbox', { name: `Active, ${space.title}` });
    await active.click();
    const dialog = page.getByRole('dialog', { name: 'Deactivate' });
    await dialog.getByText(/bookings lie ahead and stay:$/).waitFor();
    await dialog.getByRole('listitem').first().waitFor();
    assert.deepEqual(await violations(page), []);
    await keepPicture(page, 'deactivate');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.ok((await spaceOf(space.id)).is_active);
    await active.click();
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByRole('status').filter({ hasText: 'takes no bookings' }).waitFor();
    assert.ok(!(await spaceOf(space.id)).is_active);
    await page.getByRole('button', { name: 'Undo' }).click();
    await active.and(page.locator(':checked')).waitFor();
  });

  test('description, opening hours, capacity, amenities and photos are changed', async () => {
    const space = demo.spaces[0]!;
    const { page } = await inDemo();
    await page.getByRole('button', { name: `Details, ${space.title}` }).click();
    const dialog = page.getByRole('dialog', { name: 'Details' });
    await dialog.getByRole('textbox', { name: 'Description' }).fill('Light, and a piano.');
    // Its two fields say 12 AM and 12 AM.
    const allDay = dialog.getByText('Open all day.');
    await allDay.waitFor();
    await dialog.getByRole('combobox', { name: 'Opens' }).selectOption('9 AM');
    await allDay.waitFor({ state: 'detached' });
    await dialog.getByRole('combobox', { name: 'Closes' }).selectOption('8 AM');
    await dialog.getByRole('textbox', { name: 'Capacity' }).fill('a few');
    await dialog.getByRole('textbox', { name: 'Amenities' }).fill('wifi\n\n piano ');
    await dialog.getByRole('textbox', { name: 'Photos' }).fill('https://img.example/1.jpg\nnonsense');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'Capacity must be a whole number' }).waitFor();
    await dialog.getByRole('textbox', { name: 'Capacity' }).fill('14');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog
      .getByRole('alert')
      .filter({ hasText: 'Photo 2 must be a URL that begins with https://.' })
      .waitFor();
    await dialog.getByRole('textbox', { name: 'Photos' }).fill('https://img.example/1.jpg');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'Closes must be later than Opens.' }).waitFor();
    assert.deepEqual(await violations(page), []);
    await keepPicture(page, 'details');
    await dialog.getByRole('combobox', { name: 'Closes' }).selectOption('10 PM');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });

    const { description, operating_hours, capacity, amenities, photo_urls } = await spaceOf(space.id);
    assert.deepEqual(
      { description, operating_hours, capacity, amenities, photo_urls },
      {
        description: 'Light, and a piano.',
        operating_hours: { start_hour: 9, end_hour: 22 },
        capacity: 14,
        amenities: ['wifi', 'piano'],
        photo_urls: ['https://img.example/1.jpg'],
      },
    );
  });

  test('opening hours by weekday and booking rules are set, and what is wrong is told at its field', async () => {
    const space = demo.spaces[1]!;
    const { page } = await inDemo();
    await page.getByRole('button', { name: `Details, ${space.title}` }).click();
    const dialog = page.getByRole('dialog', { name: 'Details' });
    const hours = dialog.getByRole('group', { name: 'Opening hours' });
    const open = (day: string) => hours.getByRole('checkbox', { name: day });
    const at = (day: string, end: string) => hours.getByRole('combobox', { name: `${day}, ${end}` });
    const rule = (name: string) => dialog.getByRole('textbox', { name });
    const save = dialog.getByRole('button', { name: 'Save' });
    await hours.getByRole('radio', { name: 'Same hours every day' }).check();
    await hours.getByRole('combobox', { name: 'Opens' }).selectOption('9 AM');
    await hours.getByRole('combobox', { name: 'Closes' }).selectOption('10 PM');
    await save.click();
    await dialog.waitFor({ state: 'detached' });
    const saved = await spaceOf(space.id);
    assert.deepEqual([saved.weekly_hours, saved.operating_hours], [null, NINE_TO_TEN]);

    await page.getByRole('button', { name: `Details, ${space.title}` }).click();
    // Each day begins with the hours of every day.
    await hours.getByRole('radio', { name: 'By weekday' }).check();
    for (const day of DAYS) await open(day).uncheck();
    await save.click();
    await dialog.getByRole('alert').filter({ hasText: 'at least one day must be open' }).waitFor();
    assert.equal(await described(hours), 'Opening hours: at least one day must be open.');
    for (const day of DAYS.slice(0, 6)) await open(day).check();
    await at('Saturday', 'Opens').selectOption('11 AM');
    await at('Saturday', 'Closes').selectOption('8 AM');
    await save.click();
    await dialog.getByRole('alert').filter({ hasText: 'Saturday: Closes must be later' }).waitFor();
    assert.equal(await described(at('Saturday', 'Closes')), 'Saturday: Closes must be later than Opens.');
    assert.equal(await at('Friday', 'Closes').getAttribute('aria-invalid'), null);
    assert.deepEqual(await violations(page), []);
    await keepPicture(page, 'weekly-hours');
    await at('Saturday', 'Closes').selectOption('8 PM');

    await rule('Minimum length (hours)').fill('3');
    await rule('Maximum length (hours)').fill('2');
    await rule('Book ahead at most (days)').fill('many');
    await save.click();
    await dialog.getByRole('alert').filter({ hasText: 'must be a whole number' }).waitFor();
    await rule('Book ahead at most (days)').fill('4000');
    await save.click();
    await dialog.getByRole('alert').filter({ hasText: 'must be 3650 or less' }).waitFor();
    assert.equal(
      await described(rule('Book ahead at most (days)')),
      'Book ahead at most (days) must be 3650 or less.',
    );
    await rule('Book ahead at most (days)').fill('365');
    await save.click();
    await dialog.getByRole('alert').filter({ hasText: 'must not be below' }).waitFor();
    assert.equal(
      await described(rule('Maximum length (hours)')),
      'Maximum length must not be below minimum length, 3.',
    );
    assert.equal(await rule('Minimum length (hours)').getAttribute('aria-invalid'), null);
    assert.deepEqual(await violations(page), []);
    await keepPicture(page, 'booking-rules');
    await rule('Maximum length (hours)').fill('');
    await save.click();
    await dialog.waitFor({ state: 'detached' });
    const card = page.getByRole('listitem').filter({ has: page.getByLabel(`Title, ${space.title}`) });
    await card.getByText('Sun closed, Mon–Fri 9 AM – 10 PM, Sat 11 AM – 8 PM').waitFor();

    // A day that is closed is so in the calendar, and the rule is told in words.
    const sunday = daysFromNow(207 - new Date(daysFromNow(200)).getUTCDay());
    const monday = daysFromNow(208 - new Date(daysFromNow(200)).getUTCDay());
    await page.goto(`${service.url}/console/calendar?space=${space.id}&view=day&date=${sunday}`);
    await cell(page, sunday, 10, 'closed').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await cell(page, monday, 8, 'closed').waitFor();
    await cell(page, monday, 21, 'available').click();
    const form = page.getByRole('dialog', { name: 'Hours' });
    await form.getByRole('textbox', { name: 'Guest name' }).fill('Ada Miller');
    await form.getByRole('textbox', { name: 'Guest email' }).fill('ada@guest.example');
    await form.getByRole('button', { name: 'Book hours' }).click();
    const told = form.getByRole('alert');
    await told.filter({ hasText: 'A booking of this space must have at least 3 hours.' }).waitFor();

    const { weekly_hours, operating_hours, booking_rules } = await spaceOf(space.id);
    assert.deepEqual(weekly_hours, {
      monday: NINE_TO_TEN,
      tuesday: NINE_TO_TEN,
      wednesday: NINE_TO_TEN,
      thursday: NINE_TO_TEN,
      friday: NINE_TO_TEN,
      saturday: { start_hour: 11, end_hour: 20 },
      sunday: null,
    });
    assert.deepEqual(operating_hours, NINE_TO_TEN);
    assert.deepEqual(
      { min: booking_rules.min_hours, max: booking_rules.max_hours, days: booking_rules.horizon_days },
      { min: 3, max: null, days: 365 },
    );
  });

  test('a calendar feed gets a new address, shown once, and the old one ends', async () => {
    const space = demo.spaces[0]!;
    const { page } = await inDemo();
    const make = async (): Promise<string> => {
      await page.getByRole('button', { name: `Calendar feed, ${space.title}` }).click();
      const dialog = page.getByRole('dialog', { name: 'Calendar feed' });
      await dialog.getByText(/The old address ends at once/).waitFor();
      assert.deepEqual(await violations(page), []);
      await dialog.getByRole('button', { name: 'Make a new address' }).click();
      const address = await dialog.getByRole('textbox', { name: 'Feed address' }).inputValue();
      for (const app of ['Google Calendar:', 'Apple Calendar:', 'Outlook:'])
        await dialog.getByText(app).waitFor();
      assert.deepEqual(await violations(page), []);
      await keepPicture(page, 'feed');
      // A browser that forbids it: then it is selected, and copying by hand counts.
      await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("forbidden"))');
      await dialog.getByRole('button', { name: 'Copy' }).click();
      await dialog.getByText('It is selected: copy it with your keyboard or menu.').waitFor();
      await dialog.getByRole('textbox', { name: 'Feed address' }).press('ControlOrMeta+c');
      await dialog.getByText('Copied.').waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      return address;
    };
    const first = await make();
    assert.equal((await fetch(first)).status, 200);
    const second = await make();
    assert.equal((await fetch(first)).status, 401);
    assert.equal((await fetch(second)).status, 200);
  });

  test('an external calendar is connected, tells its state in words, and is disconnected', async () => {
    const space = demo.spaces[0]!;
    calendars.serveEvents(`10:00-12:00 on ${daysFromNow(30)}`);
    const { page } = await inDemo();
    await page.getByRole('button', { name: `External calendars, ${space.title}` }).click();
    const dialog = page.getByRole('dialog', { name: 'External calendars' });
    await dialog.getByText('No external calendars yet.').waitFor();
    const address = dialog.getByRole('textbox', { name: 'Calendar address' });
    await address.fill('not an address');
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    await dialog
      .getByRole('alert')
      .filter({ hasText: 'Calendar address must not contain spaces.' })
      .waitFor();
    assert.equal(await address.inputValue(), 'not an address');
    await address.fill(`${calendars.url}/feed.ics`);
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    await dialog.getByText(/^Synced at .*: its hours are blocked here\.$/).waitFor();
    await dialog.getByText(/…\.ics$/).waitFor();
    assert.deepEqual(await violations(page), []);
    await keepPicture(page, 'outside');
    await dialog.getByRole('button', { name: /^Disconnect/ }).click();
    await dialog.getByText('No external calendars yet.').waitFor();
    assert.deepEqual((await spaceOf(space.id)).external_calendars, []);
  });
});
