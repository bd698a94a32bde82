import * as fc from 'fast-check';

/** When does a rule that began then come true between these readings of the clock of a zone? */
export interface Question {
  readonly rule: string;
  readonly start: string;
  readonly from: string;
  readonly to: string;
  readonly zone: string;
}

/** Random rules that RFC 5545 allows. The same seed asks the same questions. */
export function randomQuestions(seed: number, count: number): Question[] {
  return fc.sample(question(), { seed, numRuns: count });
}

const WINDOW_START = Date.UTC(2027, 1, 28);
const DAY_MS = 86_400_000;
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
const ZONES = [
  'America/New_York',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Pacific/Chatham',
  'UTC',
] as const;

/** How many days are looked at, and how long before them a rule may have begun: dateutil counts every step. */
const REACH = {
  YEARLY: { days: 402, back: 15_000 },
  MONTHLY: { days: 402, back: 15_000 },
  WEEKLY: { days: 402, back: 15_000 },
  DAILY: { days: 402, back: 15_000 },
  HOURLY: { days: 120, back: 200 },
  MINUTELY: { days: 10, back: 2 },
  SECONDLY: { days: 1, back: 0 },
} as const;
type Frequency = keyof typeof REACH;

/** As calendars have them, more or less. */
const FREQUENCIES: readonly Frequency[] = [
  ...(['YEARLY', 'YEARLY', 'YEARLY', 'MONTHLY', 'MONTHLY', 'MONTHLY', 'WEEKLY', 'WEEKLY'] as const),
  ...(['DAILY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY'] as const),
];

function question(): fc.Arbitrary<Question> {
  return fc.constantFrom(...FREQUENCIES).chain((freq) => {
    const { days, back } = REACH[freq];
    return fc
      .record({
        parts: byParts(freq),
        interval: fc.oneof(
          fc.constant(freq === 'SECONDLY' ? 3 : 1),
          fc.integer({ min: 3, max: 60 }),
          fc.constantFrom(4, 3, freq === 'SECONDLY' ? 5 : 2),
        ),
        wkst: maybe(fc.constantFrom(...WEEKDAYS)),
        end: fc.oneof(
          fc.constant(undefined),
          fc.integer({ min: 1, max: 40 }).map((n) => `COUNT=${n}`),
          fc.integer({ min: 41, max: 4000 }).map((n) => `COUNT=${n}`),
          fc
            .integer({ min: 0, max: days })
            .map((n) => `UNTIL=${basic(WINDOW_START + n * DAY_MS + DAY_MS / 2)}`),
        ),
        // Many begin in the window or shortly before it.
        ago: fc.oneof(
          fc.integer({ min: -Math.floor(days / 3), max: Math.min(back, 400) }),
          fc.integer({ min: 0, max: back }),
        ),
        second: fc.oneof(
          fc.integer({ min: 0, max: 47 }).map((n) => n * 1800),
          fc.integer({ min: 0, max: 86_399 }),
        ),
        zone: fc.constantFrom(...ZONES),
      })
      .map(({ parts, interval, wkst, end, ago, second, zone }) => ({
        rule: [
          `FREQ=${freq}`,
          ...(interval === 1 ? [] : [`INTERVAL=${interval}`]),
          ...parts,
          ...(wkst === undefined ? [] : [`WKST=${wkst}`]),
          ...(end === undefined ? [] : [end]),
        ].join(';'),
        start: iso(WINDOW_START - ago * DAY_MS + second * 1000),
        from: iso(WINDOW_START),
        to: iso(WINDOW_START + days * DAY_MS),
        zone,
      }));
  });
}

/** The BY… parts that may stand together, as RFC 5545's table has them. */
function byParts(freq: Frequency): fc.Arbitrary<string[]> {
  const isSubDaily = freq === 'HOURLY' || freq === 'MINUTELY' || freq === 'SECONDLY';
  const never = fc.constant(undefined);
  return fc
    .record({
      BYMONTH: maybe(numbers(1, 12, isSubDaily ? 9 : 4)),
      // dateutil overlooks that week 1, counted from the end, may begin in December.
      BYWEEKNO: freq === 'YEARLY' ? maybe(numbers(-51, 53, 4)) : never,
      BYYEARDAY: freq === 'YEARLY' || freq === 'HOURLY' ? maybe(numbers(-366, 366, 9)) : never,
      BYMONTHDAY: freq === 'WEEKLY' ? never : maybe(numbers(-31, 31, isSubDaily ? 20 : 5)),
      BYDAY: maybe(weekdays(freq)),
      BYHOUR: maybe(numbers(0, 23, 3)),
      BYMINUTE: maybe(numbers(0, 59, 3)),
      BYSECOND: maybe(numbers(0, 59, 2)),
      // dateutil lets the first week begin with the start, and counts from there.
      BYSETPOS: maybe(numbers(-6, freq === 'WEEKLY' ? -1 : 6, 2)),
    })
    .map(({ BYSETPOS, BYDAY, ...others }) => {
      // With weeks by number, a weekday may have none; and a set is a set of something.
      const byDay = others.BYWEEKNO === undefined ? BYDAY : BYDAY?.replaceAll(/[-\d]/g, '');
      const parts = Object.entries({ ...others, BYDAY: byDay }).filter(([, list]) => list !== undefined);
      if (parts.length > 0 && BYSETPOS !== undefined) parts.push(['BYSETPOS', BYSETPOS]);
      return parts.map(([name, list]) => `${name}=${list}`);
    });
}

/**
 * All with a number or none: dateutil takes `MO,2TU` for Mondays that are second Tuesdays, the standard for Mondays
 * and second Tuesdays.
 */
function weekdays(freq: Frequency): fc.Arbitrary<string> {
  const names = fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1, maxLength: 5 });
  const plain = names.map((list) => list.join(','));
  if (freq !== 'MONTHLY' && freq !== 'YEARLY') return plain;
  const most = freq === 'MONTHLY' ? 5 : 53;
  const number = fc.integer({ min: -most, max: most }).filter((n) => n !== 0);
  return fc.oneof(
    plain,
    names
      .chain((list) => fc.tuple(...list.map((day) => number.map((n) => `${n}${day}`))))
      .map((list) => list.join(',')),
  );
}

function maybe<T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  const none = { weight: 3, arbitrary: fc.constant(undefined) };
  return fc.oneof(none, { weight: 1, arbitrary: some });
}

function numbers(min: number, max: number, most: number): fc.Arbitrary<string> {
  const one = fc.integer({ min, max }).filter((n) => min >= 0 || n !== 0);
  return fc.uniqueArray(one, { minLength: 1, maxLength: most }).map((list) => list.join(','));
}

function iso(wall: number): string {
  return new Date(wall).toISOString().slice(0, 19);
}

function basic(wall: number): string {
  return iso(wall).replaceAll(/[-:]/g, '');
}
