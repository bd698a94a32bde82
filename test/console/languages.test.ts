import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
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
import { setLocale } from '../../console/src/locale.ts';

const FOLDER = join(import.meta.dirname, '../../console/src/languages');
const others = readdirSync(FOLDER).filter((name) => name !== 'en.ts');

/** Words that are the same in more than one language. */
const SHARED = new Set(['Live', 'Test', 'Webhooks', 'URL', 'Status']);

/** `hours.title`: its words, or the text of the function that says them. */
function leaves(part: object, path = ''): [name: string, text: string][] {
  return Object.entries(part).flatMap(([key, value]: [string, unknown]) => {
    const name = path === '' ? key : `${path}.${key}`;
    if (typeof value === 'string') return [[name, value]];
    if (typeof value === 'function') return [[name, String(value)]];
    return leaves(value as object, name);
  });
}

afterEach(() => setLocale('en'));

describe('the console’s languages', () => {
  const source = new Map(leaves(english));

  for (const file of others) {
    test(`${file} says everything that English says, and nothing by accident in English`, async () => {
      const { default: words } = (await import(join(FOLDER, file))) as { default: Words };
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
