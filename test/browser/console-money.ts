import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import german from '../../console/src/languages/de.ts';
import english, { type Words } from '../../console/src/languages/en.ts';
import spanish from '../../console/src/languages/es.ts';
import { openDesk } from '../support/booking.ts';
import { engines } from '../support/engines.ts';
import { insertManyBookings } from '../support/many-bookings.ts';
import { passTo, playExample, table } from '../support/worked-example.ts';
import { startWorld } from '../support/world.ts';
import { exported, opener, press, printed, sees, textbox, WIDE } from './console-support.ts';

// npm run test:browser: a month's statement in the console, on paper and as a file. The month is that of the guide's worked example.

const world = await startWorld(engines[0]!);
const desk = await playExample(world);
after(() => world.close());

const open = opener(world.url, desk.key);
async function atMonth(month: string, options = WIDE, key = desk.key): Promise<Page> {
  const page = await open(`/money?month=${month}`, options, key);
  await page.getByRole('article').waitFor();
  return page;
}
const LANGUAGES: [locale: string, words: Words][] = [
  ['en-US', english],
  ['de-DE', german],
  ['es-ES', spanish],
];

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
  const page = await atMonth('2027-04');
  await page.getByRole('img', { name: 'Earnings by month' }).waitFor();
  await page.getByRole('table', { name: 'Earnings by month' }).waitFor();
  assert.deepEqual(await rowsOf(page, 'Balance'), [
    `Opening balance ${amountOf('opening_balance', 'April')}`,
    `Earned, paid to the platform (after commission) ${amountOf('payout_due', 'April')}`,
    `Commission on bookings paid to you ${amountOf('commission_due', 'April', -1)}`,
    `Adjustments ${amountOf('adjustments', 'April')}`,
    `Payouts ${amountOf('payouts', 'April', -1)}`,
    `Closing balance ${amountOf('closing_balance', 'April')}`,
  ]);
  await sees(page, 'The platform owes you €92.99 at the end of April 2027.');
  await sees(page, /^Closed on May 1, 2027\./);
  const adjustments = await rowsOf(page, 'Adjustments');
  assert.match(adjustments[1]!, /^April 8, 2027 Late payment March 2027 [\da-f-]{36} €98\.46$/);
  assert.match(adjustments[2]!, /^April 9, 2027 Refund to the guest March 2027 [\da-f-]{36} €0\.00$/);
  assert.deepEqual((await rowsOf(page, 'Payouts')).slice(1), [
    'Tue, Apr 6, 2027 From the platform to you SEPA 4711 -€71.10',
  ]);
  assert.equal((await rowsOf(page, 'Bookings of the report')).length, 2);
});

test('of the month before stays as it was closed, and an open month says so', async () => {
  const page = await atMonth('2027-03');
  await sees(page, 'The platform owes you €71.10 at the end of March 2027.');
  await sees(
    page,
    '1 guest cancelled after paying: €54.70 was still to be refunded when the month was closed.',
  );
  await press(page, 'Next month');
  await press(page, 'Next month');
  await sees(page, 'Still open: these figures can change.');
  await sees(page, 'There are no API bookings in May 2027.');
  assert.equal((await rowsOf(page, 'Balance'))[0], `Opening balance ${amountOf('closing_balance', 'April')}`);
});

test('is of a month that is written in several ways; what cannot be read is marked and changes nothing', async () => {
  const page = await atMonth('2026-01');
  const month = textbox(page, 'Month');
  for (const [written, name] of [
    ['March 2026', 'March 2026'],
    ['05/2026', 'May 2026'],
  ] as const) {
    await month.fill(written);
    await sees(page, `There are no API bookings in ${name}.`);
  }
  await month.fill('2026-13');
  await sees(page, 'Enter a month, for example 2027-03 or March 2027.');
  assert.equal(await month.getAttribute('aria-invalid'), 'true');
  await sees(page, 'There are no API bookings in May 2026.');
  assert.match(page.url(), /month=2026-05$/);
});

for (const [locale, words] of LANGUAGES)
  test(`fits one sheet of paper in ${locale}`, async () => {
    const paper = await printed(await atMonth('2027-04', { ...WIDE, locale }), `statement ${locale}`, 1);
    const { statement } = words.money;
    for (const text of [statement.closing, statement.kinds.payment_confirmed, 'SEPA 4711'])
      assert.ok(paper.includes(text), `${text} in ${paper}`);
    for (const text of [`${words.screens.bookings}\n${words.screens.money}`, words.exportCsv, words.signOut])
      assert.ok(!paper.includes(text), text);
  });

test('has pages on the screen, and every line on paper', async () => {
  const busy = await world.addHost();
  await world.addSpace(busy, { title: 'Riverside Studio' });
  const days = Array.from({ length: 10 }, (_, day) => `2027-03-${String(day + 10)}`);
  const of = { hostId: busy, environment: 'production', days, perDay: 12, today: '2027-05-02' } as const;
  await insertManyBookings(world.ctx.db, of);
  const page = await atMonth('2027-03', WIDE, (await world.addKey(busy)).key);
  const rows = page.getByRole('table', { name: 'Bookings of the report' }).getByRole('row');
  const first = page.getByText(/^Page 1, \d+ in all$/);
  const lines = Number(/, (\d+) in/.exec(await first.innerText())![1]);
  assert.ok(lines > 100 && lines < 150, `${lines} lines make three pages`);
  assert.equal(await rows.count(), 51);
  await press(page, 'Next page');
  await press(page, 'Next page');
  await sees(page, `Page 3, ${lines} in all`);
  assert.equal(await rows.count(), lines - 100 + 1);
  assert.ok(await page.getByRole('button', { name: 'Next page' }).isDisabled());
  await page.evaluate("dispatchEvent(new Event('beforeprint'))");
  assert.equal(await rows.count(), lines + 1);
  await page.evaluate("dispatchEvent(new Event('afterprint'))");
  await sees(page, `Page 3, ${lines} in all`);
});

test('is exported with padded amounts, ids, month and totals, and adds up there too', async () => {
  const [head, ...rows] = (await exported(await atMonth('2027-04'))).trim().split('\r\n');
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
  const { made, key } = await openDesk(
    world,
    { currency: 'KRW', max_booking_value: 99_000_000 },
    { price_per_hour: 1_250_000 },
  );
  await made({ date: '2027-05-20', start_hour: 8, end_hour: 20 });
  await passTo(world, '2027-06-02T12:00:00Z');
  const shorts = [/^13\.5M$/, /^13,5\sMio\.$/, /^13,5\sM$/];
  for (const [index, [locale, { money }]] of LANGUAGES.entries()) {
    const page = await atMonth('2027-05', { viewport: { width: 1024, height: 800 }, locale }, key);
    for (const part of [money.parts.last_month, money.parts.lifetime]) {
      const figure = page.getByRole('region', { name: part }).locator('.figure');
      const wide = await figure.evaluate((element) => element.scrollWidth - element.clientWidth);
      assert.ok(wide <= 0, `${await figure.innerText()}: ${wide} px too wide in ${locale}`);
    }
    const chart = page.getByRole('img', { name: money.byMonth, exact: true });
    const said = await chart.locator('text').allTextContents();
    assert.equal(said.filter((text) => shorts[index]!.test(text)).length, 1, said.join());
    const verdict = await page.locator('.verdict').innerText();
    const balance = await page.locator('tfoot td').innerText();
    assert.ok(verdict.includes(balance.replace('-', '')), `${verdict} beside ${balance}`);
  }
});
