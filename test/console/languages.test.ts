import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, test } from 'node:test';
import english, { type Words } from '../../console/src/languages/en.ts';
import { clock, hourRange, longDate, money, plainClock, plainHours } from '../../console/src/format.ts';
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
});
