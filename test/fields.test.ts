import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { BOOKING_DETAILS, SPACE_DETAILS } from '../console/src/fields.ts';
import { KEY } from '../src/api-keys/fields.ts';
import { BOOKING, KEPT_BY_MOVES } from '../src/bookings/fields.ts';
import { selectForOperator } from '../src/bookings/sql.ts';
import { seedDemo } from '../src/demo/seed.ts';
import {
  chosen,
  isSettable,
  isShownToHost,
  problemsOf,
  stored,
  type Field,
  type Fields,
} from '../src/fields/fields.ts';
import { HOST } from '../src/hosts/fields.ts';
import { LAST_ID } from '../src/ids/uuid.ts';
import { SPACE } from '../src/spaces/fields.ts';
import { listForOperator } from '../src/spaces/spaces.ts';
import { toOperatorBooking } from '../src/bookings/fields.ts';
import { FIRST_DATE, LAST_DATE } from '../src/time/dates.ts';
import { WEBHOOK } from '../src/webhooks/fields.ts';
import { onBothEngines } from './support/engines.ts';
import { tablesOf } from './support/tables.ts';
import { useWorld } from './support/world.ts';

// A field that is declared in one table reaches the API, events, the audit trail, the command line, apply, export and the agents by
// itself. These tests name it where a person must write something.

const ROOT = join(import.meta.dirname, '..');
const textOf = (...patterns: string[]): string =>
  globSync(patterns, { cwd: ROOT })
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n');

const ofHosts: Record<string, Fields> = { space: SPACE, booking: BOOKING, webhook: WEBHOOK };

/** The name in a request, where that is another one. */
const namesOf = (record: string, is: (field: Field) => boolean): string[] =>
  Object.entries(ofHosts[record]!)
    .filter(([, field]) => is(field))
    .map(([name]) => name);

/** In code: a member, a key or a string of that name. A word in a comment does not count, nor does a function of Math. */
const missing = (names: readonly string[], code: string): string[] =>
  names.filter(
    (name) => !new RegExp(`(?<!Math)[.?'"\`{,]\\s*${name}\\b|\\b${name}\\??['"]?\\s*:`).test(code),
  );

/** What the console leaves out on purpose. */
const NOT_IN_CONSOLE: Record<string, string[]> = {
  // Set by the operator or by guests; the host's screens do not need them to run the day.
  space: ['category_slug', 'rating', 'review_count'],
  booking: [],
  webhook: [],
};

describe('a field that hosts read', () => {
  for (const record of Object.keys(ofHosts)) {
    const shown = namesOf(record, isShownToHost);

    test(`is in the console: ${record}`, () => {
      const absent = missing(shown, textOf('console/src/**/*.{ts,tsx}'));
      assert.deepEqual(absent.toSorted(), NOT_IN_CONSOLE[record]!.toSorted());
    });

    test(`is in every client: ${record}`, () => {
      for (const file of ['client/src/document.ts', 'clients/python/hourkeep/document.py'])
        assert.deepEqual(missing(shown, textOf(file)), [], `${file}: run "npm run prepare"`);
    });

    test(`has an example: ${record}`, () => {
      const fields = Object.entries(ofHosts[record]!).filter(([, field]) => isShownToHost(field));
      // A subscription's example is written by hand, in webhooks/operations.ts.
      const without = record === 'webhook' ? [] : fields.filter(([, field]) => !('example' in field));
      assert.deepEqual(
        without.map(([name]) => name),
        [],
      );
    });
  }
});

/** What the console sets with a control of another kind than a field of a form. */
const OTHER_CONTROL: Record<string, string[]> = {
  space: ['title', 'price_per_hour', 'operating_hours', 'weekly_hours', 'booking_rules', 'is_active'],
  booking: ['start_hour', 'end_hour', 'walk_in', 'idempotency_key', 'replaces'],
  webhook: ['events', 'is_active'],
};

describe('a field that hosts set', () => {
  for (const record of Object.keys(ofHosts)) {
    const set = namesOf(record, ({ setBy }) => setBy === 'host');

    test(`is in a guide: ${record}`, () => {
      const guides = textOf('docs/guides/*.md');
      assert.deepEqual(
        set.filter((name) => !guides.includes(`\`${name}\``)),
        [],
      );
    });

    test(`has an input in a form of the console: ${record}`, () => {
      const code = textOf('console/src/**/*.tsx');
      const details = Object.keys({ ...SPACE_DETAILS, ...BOOKING_DETAILS });
      const without = set.filter(
        (name) => !details.includes(name) && !new RegExp(`(?:field|optional)\\('${name}'`).test(code),
      );
      assert.deepEqual(without, OTHER_CONTROL[record]);
    });
  }
});

test('what a move keeps of a booking is what the guide says, and what the console books again', () => {
  const [, said = ''] = /Only (.*) are kept if omitted/.exec(textOf('docs/guides/bookings.md')) ?? [];
  assert.deepEqual(said.match(/\w+(?=`)/g)?.toSorted(), KEPT_BY_MOVES.toSorted());
  assert.deepEqual(Object.keys(BOOKING_DETAILS).toSorted(), KEPT_BY_MOVES.toSorted());
});

test('no schema takes control characters but those that did before there was `text`', () => {
  const taking = Object.entries<Fields>({ ...ofHosts, host: HOST, key: KEY }).map(([record, fields]) => {
    const isTaking = (field: Field) => isSettable(field) && problemsOf(field, 'a\u0007b').length === 0;
    return [record, Object.keys(chosen(fields, isTaking))];
  });
  assert.deepEqual(Object.fromEntries(taking), {
    space: ['title', 'category_slug', 'description', 'address', 'area'],
    // Rules after the schema judge a settlement mode, and the URL of a webhook.
    booking: ['guest_name', 'guest_phone', 'settlement_mode'],
    webhook: ['url', 'description'],
    host: ['name'],
    key: ['name'],
  });
});

describe('a field that operators set', () => {
  for (const [record, fields] of Object.entries({ space: SPACE, host: HOST, key: KEY }))
    test(`has a flag and a sentence of help: ${record}`, () => {
      const set = Object.entries<Field>(fields).filter(([, field]) => isSettable(field));
      assert.deepEqual(
        set.filter(([, { flag, help }]) => flag === undefined || help === undefined).map(([name]) => name),
        [],
      );
    });
});

onBothEngines('the demo', (engine) => {
  const world = useWorld(engine);

  test('has a value of its own for every field that somebody can set, in a space and in a booking', async () => {
    const { db, clock } = world.ctx;
    await db.transaction((tx) => seedDemo(tx, clock.now(), world.ctx.secrets, world.url));
    const spaces = await listForOperator(db);
    const values = [null, null, null, null, null, FIRST_DATE, LAST_DATE, LAST_ID, 10_000];
    const bookings = (await db.all(selectForOperator, values)).map(toOperatorBooking);
    assert.deepEqual(
      { space: unset(SPACE, spaces), booking: unset(BOOKING, bookings) },
      { space: ['cancellation_notice_hours'], booking: ['replaces'] },
    );
  });

  /** Fields that have their initial value everywhere. */
  function unset(fields: Fields, records: readonly object[]): string[] {
    return Object.entries(fields)
      .filter(([, field]) => isSettable(field) && 'initial' in field)
      .filter(([name, { initial }]) =>
        records.every((record) => {
          const value = (record as Record<string, unknown>)[name];
          return JSON.stringify(value) === JSON.stringify(initial);
        }),
      )
      .map(([name]) => name);
  }
});

onBothEngines('a column', (engine) => {
  const world = useWorld(engine);
  /** Columns that no record shows: secrets, hashes and times that only statements read. */
  const elsewhere: Record<string, string[]> = {
    spaces: ['block_revision', 'created_at', 'updated_at'],
    hosts: [],
    api_keys: ['hash'],
    webhooks: ['deleted_at', 'has_pending'],
    bookings: [],
  };
  const tables: [string, Fields][] = [
    ['spaces', SPACE],
    ['hosts', HOST],
    ['api_keys', KEY],
    ['webhooks', WEBHOOK],
    ['bookings', BOOKING],
  ];

  for (const [table, fields] of tables)
    test(`of ${table} is declared in its table of fields`, async () => {
      const columns = (await tablesOf(world)).get(table)!;
      const declared = [...stored(fields).columns, ...elsewhere[table]!];
      assert.deepEqual(columns.toSorted(), declared.toSorted());
    });
});
