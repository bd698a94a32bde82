import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Mistakes, planFor } from '../apply/steps.ts';
import type { Fields } from '../fields/fields.ts';
import { fieldErrors } from '../http/input/validation.ts';
import { SPACE } from '../spaces/fields.ts';
import { UpdateListing } from '../spaces/schemas.ts';
import { field } from './options.ts';

// One value, three ways in: a request, an option, a file of apply. They say the same about it.

type Name = 'title' | 'description' | 'capacity' | 'operating_hours' | 'amenities' | 'photo_urls';

const values: [name: Name, what: string, value: unknown, option: string, problem?: string][] = [
  ['title', 'of 150 emoji', '😀'.repeat(150), '😀'.repeat(150)],
  ['title', 'of 201 emoji', '😀'.repeat(201), '😀'.repeat(201), 'must have at most 200 characters'],
  ['title', 'of white space', '\u3000', '\u3000', 'must not be blank'],
  ['title', 'with U+0000', 'a\0b', 'a\0b', 'must not contain NUL characters or lone surrogates'],
  [
    'description',
    'with half a character',
    '\ud83d',
    '\ud83d',
    'must not contain NUL characters or lone surrogates',
  ],
  ['capacity', 'of half a person', 1.5, '1.5', 'must be a whole number or null'],
  ['operating_hours', 'that end too late', { start_hour: 9, end_hour: 25 }, '9-25', 'must be 24 or less'],
  ['amenities', 'of one word', ['wifi'], 'wifi'],
  [
    'photo_urls',
    'of no URL',
    ['not a url'],
    'not a url',
    'must be a URL such as https://images.example.com/1.jpg',
  ],
  ['photo_urls', 'of a URL', ['https://images.example.com/1.jpg'], 'https://images.example.com/1.jpg'],
];

test('an option in another form than its help shows is told the form', () => {
  const said = (name: keyof typeof SPACE, text: string) =>
    rejection(() => field((SPACE as Fields)[name]!)(text));
  assert.equal(said('operating_hours', 'all day'), 'It must be operating hours, such as 9-22.');
  assert.match(said('weekly_hours', 'all week')!, /^It must be hours by weekday, such as mon-fri=9-22,/);
  assert.match(said('booking_rules', 'none')!, /^It must be rules such as min_hours=2,lead_hours=24/);
  assert.equal(said('booking_rules', 'min_hours=25'), 'min_hours must be 24 or less.');
});

describe('a request, an option and a file', () => {
  for (const [name, what, value, option, problem] of values)
    test(`${problem === undefined ? 'accept' : 'reject'} ${name} ${what}`, () => {
      const [byRequest] = fieldErrors(UpdateListing, { [name]: value }, 'body');
      assert.equal(byRequest?.message, problem);
      assert.equal(
        rejection(() => field((SPACE as Fields)[name]!)(option)),
        problem && `${memberIn(byRequest!.field)} ${problem}.`,
      );
      const space = { ref: 's', title: 'Attic', price_per_hour: 45, [name]: value };
      const place = { email: 'h@example.com', timezone: 'Europe/Vienna', currency: 'EUR' };
      const file = { hosts: [{ ref: 'h', name: 'Host', ...place, spaces: [space] }] };
      const mistakes = new Mistakes();
      planFor(new Map(), { now: 0, canInvite: true }, file, mistakes);
      const byFile = rejection(() => mistakes.refuse());
      assert.equal(byFile, problem && `hosts[0] (h).spaces[0].${placeOf(byRequest!.field)} ${problem}`);
    });
});

/** `operating_hours.end_hour` → `end_hour`; of a list or a value without members: It. */
function memberIn(field: string): string {
  const member = field.split('.')[1] ?? '';
  return /^[a-z]/.test(member) ? member : 'It';
}

function rejection(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** `photo_urls.0` → `photo_urls[0]` */
function placeOf(path: string): string {
  return path.replaceAll(/\.(\d+)/g, '[$1]');
}
