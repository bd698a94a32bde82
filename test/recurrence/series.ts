import * as fc from 'fast-check';
import type { Answer } from './judge.ts';
import type { Question } from './questions.ts';

/** How a calendar may write a time: without a zone, in UTC, in a named zone, or as a mere date. */
const FORMS = ['floating', 'utc', 'zone', 'date'] as const;
type Form = (typeof FORMS)[number];

interface Written {
  readonly form: Form;
  /** What the clock shows there, as `2027-03-18T10:00:00`. */
  readonly reads: string;
  /** Of the form that names its zone. */
  readonly zone: string;
}

/** A series, or an event that stands in for one of its occurrences. */
interface Timed {
  readonly start: Written;
  /** In days when it starts with a date, else in minutes. */
  readonly lasts: number;
}

interface StandIn extends Timed {
  readonly replaces: Written;
  readonly andFollowing: boolean;
  readonly cancelled: boolean;
}

/** Which hours of a space are busy by a series with exceptions and stand-ins? */
export interface SeriesQuestion {
  /** The zone of the space. */
  readonly space: string;
  readonly rule: string;
  readonly series: Timed;
  readonly exceptions: readonly Written[];
  readonly standIns: readonly StandIn[];
  /** The first and the last date that count. */
  readonly from: string;
  readonly to: string;
}

/** Without Pacific/Chatham: where 3:45 becomes 2:45, hour 3 reaches over a part of hour 2. */
const SPACES = ['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'] as const;
const ZONES = [...SPACES, 'America/St_Johns', 'Pacific/Chatham', 'Asia/Tokyo'] as const;
/** What is imported, less the few days by which an occurrence may move in or out at the ends. */
const COUNTED = { from: '2027-03-06', to: '2028-03-28' };

/**
 * Series with the rules of these questions, whose exceptions and stand-ins are written in every mixture of forms. They
 * name real occurrences: `ask` says when a rule comes true. The same seed makes the same series of the same rules.
 */
export function randomSeries(
  seed: number,
  rules: readonly Question[],
  ask: (questions: readonly Question[]) => readonly Answer[],
): SeriesQuestion[] {
  const ofDays = rules.filter(({ rule }) => !/HOURLY|MINUTELY|SECONDLY/.test(rule));
  const drafts = fc
    .sample(draft(), { seed, numRuns: ofDays.length })
    .map((one, index) => ({ ...one, ...inForm(one.form, ofDays[index]!) }));
  // Asked in UTC, the answers are what the clock of the series shows.
  const answers = ask(drafts.map(({ question }) => ({ ...question, zone: 'UTC' })));
  return drafts.flatMap((one, index) => {
    const answer = answers[index]!;
    return 'refused' in answer || answer.length === 0 ? [] : [finished(one, answer)];
  });
}

function draft() {
  const named = {
    // Which occurrence, as a part of the way from the first to the last.
    place: fc.double({ min: 0, max: 0.99, noNaN: true }),
    form: fc.constantFrom(...FORMS),
    zone: fc.constantFrom(...ZONES),
  };
  const minutes = fc.integer({ min: 1, max: 300 });
  const standIn = fc.record({
    named: fc.record(named),
    form: fc.constantFrom(...FORMS),
    zone: fc.constantFrom(...ZONES),
    shift: fc.oneof(fc.constant(60), fc.integer({ min: -3000, max: 3000 })),
    minutes,
    andFollowing: fc.boolean(),
    cancelled: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  });
  return fc.record({
    space: fc.constantFrom(...SPACES),
    form: fc.constantFrom(...FORMS),
    zone: fc.constantFrom(...ZONES),
    minutes,
    exceptions: fc.array(fc.record(named), { maxLength: 2 }),
    standIns: fc.array(standIn, { minLength: 1, maxLength: 3 }),
  });
}

/** Whole days have no times of the day. */
function inForm(form: Form, question: Question): { question: Question } {
  if (form !== 'date') return { question };
  const rule = question.rule.replaceAll(/;BY(?:HOUR|MINUTE|SECOND)=[^;]*/g, '');
  return { question: { ...question, rule, start: `${question.start.slice(0, 10)}T00:00:00` } };
}

type Draft = (ReturnType<typeof draft> extends fc.Arbitrary<infer T> ? T : never) & { question: Question };

function finished(one: Draft, answer: readonly string[]): SeriesQuestion {
  const { space, question } = one;
  const clock = clockOf(one, space);
  const occurrence = (place: number): Temporal.PlainDateTime =>
    Temporal.PlainDateTime.from(answer[Math.floor(place * answer.length)]!.replace(/Z$/, ''));

  const name = ({ place, form, zone }: Draft['exceptions'][number]): Written => {
    const reading = occurrence(place);
    // A time without a zone is on the clock of the series; for whole days any zone names midnight there.
    const isAsSeriesReads =
      form === 'floating' || form === 'date' || (form === 'zone' && one.form === 'date');
    if (isAsSeriesReads) return { form, zone, reads: iso(reading) };
    return { form, zone, reads: onClock(reading, clock, clockOf({ form, zone }, space)) };
  };
  const dateOf = ({ named }: Draft['standIns'][number]): string => iso(occurrence(named.place)).slice(0, 10);
  // Nobody can say which of two changes of one occurrence counts.
  const standIns = one.standIns.filter(
    (standIn, index) => one.standIns.findIndex((other) => dateOf(other) === dateOf(standIn)) === index,
  );
  return {
    space,
    rule: question.rule,
    series: {
      start: { form: one.form, zone: one.zone, reads: question.start },
      lasts: lasting(one.form, one.minutes),
    },
    exceptions: one.exceptions.map(name),
    standIns: standIns.map(({ named, form, zone, shift, minutes, andFollowing, cancelled }) => {
      const moved = occurrence(named.place).add({ minutes: shift });
      const reads = onClock(moved, clock, form === 'date' ? clock : clockOf({ form, zone }, space));
      return {
        replaces: name(named),
        start: { form, zone, reads },
        lasts: lasting(form, minutes),
        andFollowing,
        cancelled,
      };
    }),
    ...COUNTED,
  };
}

function lasting(form: Form, minutes: number): number {
  return form === 'date' ? 1 + (minutes % 2) : minutes;
}

/** On whose clock a time is written: a date or a time without a zone, on that of the space. */
function clockOf({ form, zone }: Pick<Written, 'form' | 'zone'>, space: string): string {
  if (form === 'utc') return 'UTC';
  return form === 'zone' ? zone : space;
}

function onClock(reading: Temporal.PlainDateTime, from: string, to: string): string {
  return iso(reading.toZonedDateTime(from).withTimeZone(to).toPlainDateTime());
}

function iso(reading: Temporal.PlainDateTime): string {
  return reading.toString({ smallestUnit: 'second' });
}

/** The series as a calendar has it. */
export function calendarText({ rule, series, exceptions, standIns }: SeriesQuestion): string {
  const events = [
    [
      property('DTSTART', series.start),
      duration(series),
      `RRULE:${rule}`,
      ...exceptions.map((one) => property('EXDATE', one)),
    ],
    ...standIns.map((standIn) => [
      property(`RECURRENCE-ID${standIn.andFollowing ? ';RANGE=THISANDFUTURE' : ''}`, standIn.replaces),
      property('DTSTART', standIn.start),
      duration(standIn),
      ...(standIn.cancelled ? ['STATUS:CANCELLED'] : []),
    ]),
  ];
  const lines = events.flatMap((event) => ['BEGIN:VEVENT', 'UID:series', ...event, 'END:VEVENT']);
  return ['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR', ''].join('\r\n');
}

function property(name: string, { form, reads, zone }: Written): string {
  const basic = reads.replaceAll(/[-:]/g, '');
  if (form === 'date') return `${name};VALUE=DATE:${basic.slice(0, 8)}`;
  return form === 'zone' ? `${name};TZID=${zone}:${basic}` : `${name}:${basic}${form === 'utc' ? 'Z' : ''}`;
}

function duration({ start, lasts }: Timed): string {
  return `DURATION:P${start.form === 'date' ? `${lasts}D` : `T${lasts}M`}`;
}
