import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import german from '../../console/src/languages/de.ts';
import english, { type Words } from '../../console/src/languages/en.ts';
import spanish from '../../console/src/languages/es.ts';
import { openDesk } from '../support/booking.ts';
import { engines } from '../support/engines.ts';
import { insertManyBookings } from '../support/many-bookings.ts';
import { passTo, playExample, table } from '../support/worked-example.ts';
import { startWorld } from '../support/world.ts';
import { violations } from './chromium.ts';
import { assertFits, keepPicture, PHONE, signIn, visit, WIDE } from './console-support.ts';

// npm run test:browser: a month's statement in the console, on paper and as a file. The month is that of the guide's worked example.

const world = await startWorld(engines[0]!);
const desk = await playExample(world);
after(() => world.close());

async function atMonth(
  month: string,
  options: BrowserContextOptions = WIDE,
  key = desk.key,
  words: Words = english,
): Promise<{ page: Page }> {
  const page = await visit(world.url, `/money?month=${month}`, options);
  await signIn(page, key, false, words);
  await page.getByRole('article').waitFor();
  return { page };
}

/** An amount of the guide's table, as the console writes it in English. */
const amountOf = (field: string, name: string, sign = 1): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'EUR' }).format(
    Number(table('field').find((row) => row['field'] === field)![name]) * sign || 0,
  );
const rowsOf = async (page: Page, name: string): Promise<string[]> => {
  const rows = page.getByRole('table', { name, exact: true }).getByRole('row');
  return (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
};

test('adds up from the opening to the closing balance, and says who owes whom what', async () => {
  const { page } = await atMonth('2027-04');
  assert.deepEqual(await rowsOf(page, 'Balance'), [
    `Opening balance ${amountOf('opening_balance', 'April')}`,
    `Earned, paid to the platform (after commission) ${amountOf('payout_due', 'April')}`,
    `Commission on bookings paid to you ${amountOf('commission_due', 'April', -1)}`,
    `Adjustments ${amountOf('adjustments', 'April')}`,
    `Payouts ${amountOf('payouts', 'April', -1)}`,
    `Closing balance ${amountOf('closing_balance', 'April')}`,
  ]);
  await page.getByText('The platform owes you €92.99 at the end of April 2027.').waitFor();
  await page.getByText(/^Closed on May 1, 2027\./).waitFor();
  const adjustments = await rowsOf(page, 'Adjustments');
  assert.match(adjustments[1]!, /^April 8, 2027 Late payment March 2027 [\da-f-]{36} €98\.46$/);
  assert.match(adjustments[2]!, /^April 9, 2027 Refund to the guest March 2027 [\da-f-]{36} €0\.00$/);
  assert.deepEqual((await rowsOf(page, 'Payouts')).slice(1), [
    'Tue, Apr 6, 2027 From the platform to you SEPA 4711 -€71.10',
  ]);
  assert.equal((await rowsOf(page, 'Bookings of the report')).length, 2);
  await keepPicture(page, 'statement-wide');
});

test('of the month before stays as it was closed, and an open month says so', async () => {
  const { page } = await atMonth('2027-03');
  await page.getByText('The platform owes you €71.10 at the end of March 2027.').waitFor();
  await page
    .getByText('1 guest cancelled after paying: €54.70 was still to be refunded when the month was closed.')
    .waitFor();
  await page.getByRole('button', { name: 'Next month' }).click();
  await page.getByRole('button', { name: 'Next month' }).click();
  await page.getByText('Still open: these figures can change.').waitFor();
  await page.getByText('There are no API bookings in May 2027.').waitFor();
  assert.equal((await rowsOf(page, 'Balance'))[0], `Opening balance ${amountOf('closing_balance', 'April')}`);
});

/** How many pages it has on A4, and the folder of SHOTS keeps it. */
async function print(page: Page, name: string): Promise<number> {
  const pdf = await page.pdf({ preferCSSPageSize: true });
  const folder = process.env['SHOTS'];
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.pdf`), pdf);
  }
  return [...pdf.toString('latin1').matchAll(/\/Type\s*\/Page\b/g)].length;
}

/** What is on the paper, and nothing that sticks out of it. */
async function onPaper(page: Page): Promise<string> {
  await page.emulateMedia({ media: 'print' });
  // A4 without its margins, in CSS pixels.
  await page.setViewportSize({ width: 703, height: 1032 });
  await assertFits(page, 'the paper');
  const cut = await page.evaluate(`[...document.querySelectorAll('.statement *')]
        .filter((each) => each.getBoundingClientRect().right > innerWidth || each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0)
        .map((each) => each.outerHTML.slice(0, 100))`);
  assert.deepEqual(cut, []);
  return page.locator('body').innerText();
}

for (const [locale, words] of [
  ['en-US', english],
  ['de-DE', german],
  ['es-ES', spanish],
] as [string, Words][])
  test(`fits a phone and one sheet of paper, and axe finds nothing, in ${locale}`, async () => {
    for (const [size, options] of [
      ['phone', PHONE],
      ['wide', { viewport: { width: 1360, height: 900 } }],
    ] as const) {
      const page = await visit(world.url, '/money?month=2027-04', {
        ...options,
        locale,
      });
      await page.getByRole('textbox', { name: words.signIn.apiKey }).fill(desk.key);
      await page.getByRole('button', { name: words.signIn.signIn }).click();
      await page.getByRole('article').waitFor();
      assert.deepEqual(await violations(page), []);
      await assertFits(page, `${locale} ${size}`);
      await page.getByRole('article').scrollIntoViewIfNeeded();
      const folder = process.env['SHOTS'];
      if (folder !== undefined)
        await page.screenshot({ path: join(folder, `statement-${locale}-${size}.png`), fullPage: true });
      assert.equal(await print(page, `statement-${locale}-${size}`), 1);
      const paper = await onPaper(page);
      for (const text of [
        words.money.statement.closing,
        words.money.statement.kinds.payment_confirmed,
        'SEPA 4711',
      ])
        assert.ok(paper.includes(text), `${text} in ${paper}`);
      for (const text of [
        words.screens.bookings + '\n' + words.screens.money,
        words.exportCsv,
        words.signOut,
      ])
        assert.ok(!paper.includes(text), text);
      await page.context().close();
    }
  });

test('prints every line, also those that the screen shows on other pages', async () => {
  const busy = await world.addHost();
  await world.addSpace(busy, { title: 'Riverside Studio' });
  const days = Array.from({ length: 10 }, (_, day) => `2027-03-${String(day + 10)}`);
  const of = { hostId: busy, environment: 'production', days, perDay: 12, today: '2027-05-02' } as const;
  await insertManyBookings(world.ctx.db, of);
  const { key } = await world.addKey(busy);
  const { page } = await atMonth('2027-03', WIDE, key);
  await page.getByText(/^Page 1, \d+ in all$/).waitFor();
  const rows = page.getByRole('table', { name: 'Bookings of the report' }).getByRole('row');
  assert.equal(await rows.count(), 51);
  const inAll = Number(/, (\d+) in/.exec(await page.getByText(/^Page 1/).innerText())![1]);
  await page.evaluate("window.dispatchEvent(new Event('beforeprint'))");
  assert.equal(await rows.count(), inAll + 1);
  await page.evaluate("window.dispatchEvent(new Event('afterprint'))");
  await page.getByText(/^Page 1, \d+ in all$/).waitFor();
  assert.ok((await print(page, 'statement-long')) > 1);
});

test('is exported with padded amounts, ids, month and totals, and adds up there too', async () => {
  const { page } = await atMonth('2027-04');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  const [head, ...rows] = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\r\n');
  const names = head!.replace('\uFEFF', '').split(',');
  const cells = rows.map((row) => {
    const values = row.split(',');
    return Object.fromEntries(names.map((name, index) => [name, values[index]!]));
  });
  assert.deepEqual(
    cells.map((row) => [row['Entry'], row['Amount'], row['Month']]),
    [
      ['booking', '-5.47', '2027-04'],
      ['payment_confirmed', '98.46', '2027-04'],
      ['refunded', '0.00', '2027-04'],
      ['total', '92.99', '2027-04'],
      ['opening_balance', '71.10', '2027-04'],
      ['payout', '-71.10', '2027-04'],
      ['closing_balance', '92.99', '2027-04'],
    ],
  );
  const [line, late] = cells;
  assert.deepEqual(
    [line!['Gross'], line!['Commission'], line!['Net'], line!['Space id'], late!['Booking month']],
    ['54.70', '5.47', '49.23', desk.spaceId, '2027-03'],
  );
  assert.match(late!['Booking']!, /^[\da-f-]{36}$/);
});

test('has room for amounts of many digits, writes them in one way, and says them in the chart', async () => {
  const { book, key } = await openDesk(
    world,
    { currency: 'KRW', max_booking_value: 99_000_000 },
    { price_per_hour: 1_250_000 },
  );
  const made = await book({ date: '2027-05-20', start_hour: 8, end_hour: 20 });
  assert.equal(made.status, 200, made.text);
  await passTo(world, '2027-06-02T12:00:00Z');
  for (const [locale, words, short] of [
    ['en-US', english, /^13\.5M$/],
    ['de-DE', german, /^13,5\sMio\.$/],
    ['es-ES', spanish, /^13,5\sM$/],
  ] as const) {
    const options = { viewport: { width: 1024, height: 800 }, locale };
    const page = await visit(world.url, '/money?month=2027-05', options);
    await page.getByRole('textbox', { name: words.signIn.apiKey }).fill(key);
    await page.getByRole('button', { name: words.signIn.signIn }).click();
    await page.getByRole('article').waitFor();
    for (const part of [words.money.parts.last_month, words.money.parts.lifetime]) {
      const figure = page.getByRole('region', { name: part }).locator('.figure');
      const [wide, room] = (await figure.evaluate((element) => [
        element.scrollWidth,
        element.clientWidth,
      ])) as [number, number];
      assert.ok(wide <= room, `${await figure.innerText()}: ${wide} px of ${room} px in ${locale}`);
    }
    const chart = page.getByRole('img', { name: words.money.byMonth, exact: true });
    const said = await chart.locator('text').allTextContents();
    assert.equal(said.filter((text) => short.test(text)).length, 1, said.join());
    const verdict = await page.locator('.verdict').innerText();
    const balance = await page.locator('tfoot td').innerText();
    assert.ok(verdict.includes(balance.replace('-', '')), `${verdict} beside ${balance}`);
    await keepPicture(page, `money-krw-${locale}`);
    await page.context().close();
  }
});
