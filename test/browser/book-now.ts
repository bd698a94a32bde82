import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Page, Response } from 'playwright-core';
import { Hourkeep, type Booking } from '../../client/src/index.ts';
import { freePort } from '../support/cluster.ts';
import { nextJune } from '../support/clock.ts';
import { installClients } from '../support/installed-clients.ts';
import { makeFolder } from '../support/process.ts';
import { until } from '../support/until.ts';
import { openWindow } from './browser.ts';
import { violations } from './chromium.ts';
import { demo, service } from './demo.ts';

// npm run test:browser: the server and the page of docs/guides/book-now.md, as they stand.

const GUIDE = readFileSync(join(import.meta.dirname, '../../docs/guides/book-now.md'), 'utf8');
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(GUIDE)![1]!;

const date = nextJune(12);
const key = demo.keys.sandbox;
const space = demo.spaces.find(({ environment }) => environment === 'sandbox')!.id;
const hk = new Hourkeep({ apiKey: key, baseUrl: service.url });
const folder = makeFolder();
const sites: ChildProcess[] = [];
let address: string;
before(async () => {
  installClients(folder.path);
  writeFileSync(join(folder.path, 'server.mjs'), block('js'));
  writeFileSync(join(folder.path, 'page.html'), block('html'));
  address = await startSite({});
});
after(async () => {
  for (const site of sites) {
    site.kill();
    await once(site, 'exit');
  }
  folder.remove();
});

async function startSite(settings: Record<string, string>): Promise<string> {
  const port = String(await freePort());
  const env = {
    PATH: process.env['PATH'],
    HOURKEEP_URL: service.url,
    HOURKEEP_API_KEY: key,
    SPACE: space,
    PORT: port,
  };
  const site = spawn(process.execPath, ['server.mjs'], {
    cwd: folder.path,
    env: { ...env, ...settings },
  });
  sites.push(site);
  const [said] = (await once(site.stdout, 'data')) as [Buffer];
  return said.toString().trim();
}

/** A guest at the form, whose page must never get to see the key. */
async function visit(use: (page: Page) => Promise<void>, expected?: RegExp, at = address): Promise<void> {
  const page = await openWindow(at, { viewport: { width: 390, height: 844 } }, expected);
  const seen: Promise<string>[] = [];
  // An answer that is on its way when the page is closed has no text.
  const textOf = (response: Response) => response.text().catch(() => '');
  page.on('response', (response) => seen.push(textOf(response)));
  await page.goto(at);
  await page.getByLabel('Date').fill(date);
  await page.getByRole('option').first().waitFor({ state: 'attached' });
  await use(page);
  assert.doesNotMatch((await Promise.all(seen)).join('\n'), /hk_test_|hk_live_/);
}
const hours = (page: Page) =>
  page
    .locator('option:not([value=""])')
    .evaluateAll((all) => all.map((each) => Number(each.getAttribute('value'))));
const fill = async (page: Page, hour: number, email: string) => {
  await page.getByLabel('Hour').selectOption(String(hour));
  await page.getByLabel('Your name').fill('Ada Miller');
  await page.getByLabel('Your email').fill(email);
};
const order = (page: Page) => page.getByRole('button', { name: 'Book now' }).click();
const bookings = async (email: string) => (await hk.bookings.list({ guest: email })).bookings;

test('shows the hours that are free, and is accessible', async () => {
  const { slots } = await hk.availability.get(space, date);
  await visit(async (page) => {
    assert.deepEqual(
      await hours(page),
      slots.filter((slot) => slot.available).map(({ hour }) => hour),
    );
    assert.deepEqual(await violations(page), []);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
  });
});

test('books an hour, says so, and offers it no more', async () => {
  await visit(async (page) => {
    await fill(page, 10, 'one@example.com');
    await order(page);
    await page
      .getByRole('status')
      .filter({ hasText: `Booked: ${date} at 10:00` })
      .waitFor();
    await page.locator('option[value="10"]').waitFor({ state: 'detached' });
  });
  const [booking] = await bookings('one@example.com');
  assert.deepEqual([booking?.date, booking?.start_hour, booking?.end_hour], [date, 10, 11]);
});

test('pressed twice, it is booked once', async () => {
  await visit(async (page) => {
    await fill(page, 12, 'twice@example.com');
    await page.getByRole('button', { name: 'Book now' }).dblclick();
    await page.getByRole('status').filter({ hasText: 'Booked' }).waitFor();
    await page.locator('option[value="12"]').waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('alert').textContent(), '');
  });
  assert.equal((await bookings('twice@example.com')).length, 1);
});

test('when somebody is faster it says so, shows what is left, and keeps what was typed', async () => {
  await visit(async (page) => {
    await fill(page, 14, 'slow@example.com');
    const guest = { guest_name: 'Ben Okafor', guest_email: 'fast@example.com' };
    await hk.bookings.create({ space_id: space, date, start_hour: 14, end_hour: 15, ...guest });
    await order(page);
    await page.getByRole('alert').filter({ hasText: 'Somebody was faster' }).waitFor();
    await page.locator('option[value="14"]').waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Your email').inputValue(), 'slow@example.com');
    assert.deepEqual(await violations(page), []);
    await fill(page, 15, 'slow@example.com');
    await order(page);
    await page.getByRole('status').filter({ hasText: 'at 15:00' }).waitFor();
  }, /409/);
  assert.equal((await bookings('slow@example.com')).length, 1);
});

test('after a lost answer, the same order again is the same booking', async () => {
  await visit(async (page) => {
    await fill(page, 19, 'lost@example.com');
    await page.route('**/book', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await order(page);
    await page.getByRole('alert').filter({ hasText: 'The connection was lost' }).waitFor();
    await page.unroute('**/book');
    await order(page);
    await page.getByRole('status').filter({ hasText: 'at 19:00' }).waitFor();
    // Another order of the same guest.
    await fill(page, 20, 'lost@example.com');
    await order(page);
    await page.getByRole('status').filter({ hasText: 'at 20:00' }).waitFor();
  }, /ERR_FAILED/);
  assert.deepEqual(
    (await bookings('lost@example.com')).map(({ start_hour }) => start_hour),
    [19, 20],
  );
});

test('the sandbox’s guest of conflicts meets one', async () => {
  await visit(async (page) => {
    await fill(page, 17, 'conflict@sandbox.test');
    await order(page);
    await page.getByRole('alert').filter({ hasText: 'Somebody was faster' }).waitFor();
  }, /409/);
});

describe('where the guest pays the platform', () => {
  let paidOnline: string;
  before(async () => {
    paidOnline = await startSite({ PAID_TO: 'platform_settled' });
  });
  /** The page's time passes, the service's does not. */
  const timePasses = async (page: Page) => {
    await page.getByText(/Held for you: [12]:\d\d to pay/).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.clock.runFor('03:00');
  };

  test('it counts down, and then says that the booking is paid', async () => {
    await visit(
      async (page) => {
        await page.clock.install();
        await fill(page, 8, 'pay@sandbox.test');
        await order(page);
        await until(async () => (await bookings('pay@'))[0]?.payment_status === 'confirmed');
        await timePasses(page);
        await page.getByRole('status').filter({ hasText: 'Paid. See you!' }).waitFor();
      },
      undefined,
      paidOnline,
    );
  });

  test('it says that the hour is free again when nobody has paid', async () => {
    await visit(
      async (page) => {
        await page.clock.install();
        await fill(page, 9, 'late@example.com');
        await order(page);
        await page.getByRole('status').filter({ hasText: 'at 9:00' }).waitFor();
        const [{ id }] = (await bookings('late@example.com')) as [Booking];
        await hk.bookings.cancel(id, { reason: 'Not paid in time' });
        await timePasses(page);
        await page.getByRole('alert').filter({ hasText: 'the hour is free again' }).waitFor();
      },
      undefined,
      paidOnline,
    );
  });
});

test('what is not a booking is refused in the words of the site', async () => {
  const post = (body: string) => fetch(`${address}/book`, { method: 'POST', body });
  const nonsense = await post('{');
  assert.deepEqual([nonsense.status, await nonsense.json()], [400, { message: 'That was not a booking.' }]);
  assert.equal((await post(JSON.stringify({ date, hour: 18, name: '', email: 'x' }))).status, 422);
  assert.equal((await post('x'.repeat(20_000))).status, 400);
  assert.equal((await post('null')).status, 400);
  assert.equal((await fetch(`${address}//`)).status, 404);
  assert.equal((await fetch(`${address}/bookings`)).status, 404);
});
