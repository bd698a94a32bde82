import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, test } from 'node:test';
import english, { type Words } from '../../console/src/languages/en.ts';
import {
  amountText,
  clock,
  hourRange,
  longDate,
  money,
  plainClock,
  plainHours,
  readAmount,
} from '../../console/src/format.ts';
import type { WebhookDelivery } from '@hourkeep/client';
import { setLocale } from '../../console/src/locale.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'console/src/languages');
const others = readdirSync(FOLDER).filter((name) => name !== 'en.ts');

async function wordsOf(file: string): Promise<Words> {
  return ((await import(join(FOLDER, file))) as { default: Words }).default;
}

/** Words that are the same in more than one language. */
const SHARED = new Set([
  'Live',
  'Walk-in',
  'Test',
  'Webhooks',
  'URL',
  'Status',
  'Offline',
  'Name',
  'optional',
  'Details',
  'Secret',
]);

/** `hours.title`: its words, or the text of the function that says them. */
function leaves(part: object, path = ''): [name: string, text: string][] {
  return Object.entries(part).flatMap(([key, value]: [string, unknown]) => {
    const name = path === '' ? key : `${path}.${key}`;
    if (typeof value === 'string') return [[name, value]];
    if (typeof value === 'function') return [[name, String(value)]];
    return leaves(value as object, name);
  });
}

/** One that nobody has sent yet. */
const DELIVERY: WebhookDelivery = {
  event_id: '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01',
  type: 'booking.created',
  status: 'pending',
  attempts: 0,
  response_status: null,
  error: null,
  last_attempt_at: null,
  next_attempt_at: '2027-03-18T14:20:00.000Z',
};

afterEach(() => setLocale('en'));

describe('the console’s languages', () => {
  const source = new Map(leaves(english));

  for (const file of others) {
    test(`${file} says everything that English says, and nothing by accident in English`, async () => {
      const words = await wordsOf(file);
      const said = leaves(words);
      assert.deepEqual(
        said.map(([name]) => name),
        [...source.keys()],
        'the same names in the same order',
      );
      // The states' own names stand in the legend beside their words.
      const isName = (name: string): boolean => /^calendar\.legend\.\d\.0$/.test(name);
      const same = said.filter(
        ([name, text]) => !isName(name) && text === source.get(name) && !SHARED.has(text),
      );
      assert.deepEqual(same, []);
      assert.deepEqual(
        said.filter(([, text]) => text.trim() === ''),
        [],
      );
    });
  }

  test('every problem that is translated is one that the API still words like that', () => {
    const code = globSync('src/**/*.ts', { cwd: ROOT })
      .filter((file) => !file.endsWith('.test.ts'))
      .map((file) => readFileSync(join(ROOT, file), 'utf8'))
      .join('\n');
    // A number of hours or days stands in the code as one value.
    const isSaid = (problem: string): boolean =>
      new RegExp(
        problem
          .split(/#(?: hours| days)?/)
          .map(RegExp.escape)
          .join('(?:\\d+|\\$\\{.*?\\})'),
      ).test(code);
    assert.deepEqual(
      Object.keys(english.refusals.problems).filter((problem) => !isSaid(problem)),
      [],
    );
  });

  test('dates, clocks and money are written as each language writes them', () => {
    const written = (locale: string): string[] => {
      setLocale(locale);
      return [
        longDate('2027-03-18'),
        clock(9),
        hourRange({ start_hour: 22, end_hour: 24 }),
        money(1250.5, 'USD'),
      ].map((text) => text.replaceAll(/\s/g, ' '));
    };
    assert.deepEqual(written('en'), ['Thursday, March 18, 2027', '9 AM', '10 PM – 12 AM', '$1,250.50']);
    assert.deepEqual(written('en-GB'), ['Thursday, 18 March 2027', '09:00', '22:00–24:00', 'US$1,250.50']);
    assert.deepEqual(written('de'), ['Donnerstag, 18. März 2027', '09:00', '22:00–24:00', '1.250,50 $']);
    assert.deepEqual(written('es'), ['jueves, 18 de marzo de 2027', '09:00', '22:00–24:00', '1250,50 US$']);
  });

  test('what waits for a webhook that is not active is promised for no time', async () => {
    const all = [english, ...(await Promise.all(others.map(wordsOf)))];
    const delivery = { ...DELIVERY, attempts: 1, response_status: 503 };
    const told = (isActive: boolean) =>
      all.map(({ webhooks }) => webhooks.inWords(delivery, () => '2:20 PM', isActive));
    assert.deepEqual(told(true), [
      'failed, returned 503, next attempt at 2:20 PM',
      'fehlgeschlagen, Antwort 503, nächster Versuch: 2:20 PM',
      'fallido, respuesta 503, próximo intento: 2:20 PM',
    ]);
    assert.deepEqual(told(false), [
      'failed, returned 503, queued until the webhook is active again',
      'fehlgeschlagen, Antwort 503, in der Warteschlange, bis der Webhook wieder aktiv ist',
      'fallido, respuesta 503, en cola hasta que el webhook vuelva a estar activo',
    ]);
    assert.equal(english.webhooks.inWords(DELIVERY, String, true), 'queued');
    assert.equal(
      english.webhooks.inWords(DELIVERY, String, false),
      'queued until the webhook is active again',
    );
  });

  test('cells and files have the 24-hour clock in every language', () => {
    for (const locale of ['en', 'de', 'es']) {
      setLocale(locale);
      assert.equal(plainClock(9), '09:00');
      assert.equal(plainHours({ start_hour: 22, end_hour: 24 }), '22:00–24:00');
    }
  });

  for (const [locale, currency, text, amount] of [
    ['en', 'USD', '45', 45],
    ['en', 'USD', '1,250', 1250],
    ['en', 'USD', ' 1,234,567.5 ', 1_234_567.5],
    ['en', 'USD', '1250.50', 1250.5],
    ['en', 'USD', '1.250', undefined],
    ['en', 'USD', '12,50', undefined],
    ['en', 'USD', '1,25', undefined],
    ['en', 'USD', '1,2500', undefined],
    ['en', 'USD', '1234,567', undefined],
    ['en', 'USD', '.5', undefined],
    ['en', 'USD', '5.', undefined],
    ['en', 'USD', '', undefined],
    ['en', 'USD', '-5', undefined],
    ['en', 'USD', '+5', undefined],
    ['en', 'USD', '1e3', undefined],
    ['en', 'USD', '0x10', undefined],
    ['en', 'USD', '$45', undefined],
    ['en', 'USD', '45 USD', undefined],
    ['en', 'USD', 'Infinity', undefined],
    ['en', 'USD', '٤٥', undefined],
    ['en', 'KWD', '1.250', 1.25],
    ['en', 'JPY', '1,250', 1250],
    ['en', 'JPY', '1250.5', undefined],
    ['de', 'USD', '1,250', undefined],
    ['de', 'USD', '1.250', 1250],
    ['de', 'USD', '1.250,5', 1250.5],
    ['de', 'USD', '1250,50', 1250.5],
    ['de', 'USD', '1250.50', undefined],
    ['de-CH', 'CHF', '1’250.50', 1250.5],
    ['de-AT', 'EUR', '1 250,50', 1250.5],
    ['es', 'EUR', '1.250,50', 1250.5],
    ['es', 'EUR', '1,250', undefined],
  ] as const) {
    test(`“${text}” is ${amount ?? 'no amount'} in ${currency} for ${locale}`, () => {
      setLocale(locale);
      assert.equal(readAmount(text, currency), amount);
    });
  }

  test('an amount that is shown can be read again', () => {
    for (const locale of ['en', 'en-IN', 'de', 'de-AT', 'de-CH', 'es', 'es-MX']) {
      setLocale(locale);
      for (const amount of [0, 7, 45.5, 999.99, 1250, 12_345.67]) {
        assert.equal(readAmount(amountText(amount, 'USD'), 'USD'), amount, `${amount} in ${locale}`);
      }
    }
  });
});
