import { DAY_MS } from '../../time/units.ts';
import type { CalendarEvent, OccurrenceId, Report } from './event.ts';
import type { Grid } from './grid.ts';
import { NotUnderstood, type Budget } from './limits.ts';
import { occurrences } from './recurrence.ts';
import type { Length, When } from './value.ts';
import { dayOf, utc, type Wall } from '../../time/wall-clock.ts';

/** More than any wall clock differs from UTC, so that readings of all zones can be compared with instants roughly. */
const ZONE_MARGIN_MS = 2 * DAY_MS;

/**
 * Marks the hours of all events with one UID: a series, and the events that stand in for some of its occurrences
 * (they have a RECURRENCE-ID).
 */
export function markEvents(
  grid: Grid,
  budget: Budget,
  events: readonly CalendarEvent[],
  report: Report,
): void {
  const current = withoutOutdated(events);
  const series = current.filter((event) => !isStandIn(event));
  // Exporters write `RECURRENCE-ID:19700101T070000Z` into series. Where it names no occurrence, its rule counts.
  const isStray = (event: StandIn): boolean =>
    (event.rules.length > 0 || event.extraDates.length > 0) &&
    !series.some((one) => hasOccurrence(one, event.replaces, budget));
  const { standIns = [], strays = [] } = Object.groupBy(current.filter(isStandIn), (event) =>
    isStray(event) ? 'strays' : 'standIns',
  );
  for (const event of standIns) {
    if (event.blocks) mark(grid, event.start, event.length);
    if (event.rules.length > 0) report('RRULE (of a single occurrence)', event.blocks);
    if (event.extraDates.length > 0) report('RDATE (of a single occurrence)', event.blocks);
  }
  for (const event of [...series, ...strays]) markSeries(grid, budget, event, standIns, report);
}

type StandIn = CalendarEvent & { readonly replaces: OccurrenceId };

function isStandIn(event: CalendarEvent): event is StandIn {
  return event.replaces !== undefined;
}

/** Of two versions of an event the one with the higher SEQUENCE counts. With equal ones both do, so that no hour is missing. */
function withoutOutdated(events: readonly CalendarEvent[]): readonly CalendarEvent[] {
  const series = events.find((event) => !isStandIn(event)) ?? events[0]!;
  const versions = Map.groupBy(
    events,
    ({ replaces }) => replaces && instantOf(inSeries(replaces, series.start)),
  );
  return [...versions.values()].flatMap((same) => {
    const newest = Math.max(...same.map(({ sequence }) => sequence));
    return same.filter(({ sequence }) => sequence === newest);
  });
}

/** Whether a series has the occurrence that a RECURRENCE-ID names. When its rule costs too much to follow: yes. */
function hasOccurrence(series: CalendarEvent, id: OccurrenceId, budget: Budget): boolean {
  const isMeant = exceptions([id], series.start);
  const around = namedReading(id, series.start);
  const range = { from: around - DAY_MS, to: around + DAY_MS };
  let isFound = false;
  const look = ({ start }: Pick<CalendarEvent, 'start'>): void => void (isFound ||= isMeant(start));
  eachOccurrence(series, range, budget, look, () => (isFound = true));
  return isFound;
}

/** An event's start, its extra dates and what its rules make, the latter within a range of readings of its clock. */
function eachOccurrence(
  { start, length, extraDates, rules }: CalendarEvent,
  range: { from: Wall; to: Wall },
  budget: Budget,
  take: (occurrence: { start: When; length: Length }) => void,
  report: Report,
): void {
  take({ start, length });
  extraDates.forEach(take);
  for (const rule of rules) {
    try {
      for (const wall of occurrences(rule, start, range, budget)) take({ start: { ...start, wall }, length });
    } catch (error) {
      if (!(error instanceof NotUnderstood)) throw error;
      report(`RRULE (${error.message})`, true);
    }
  }
}

function markSeries(
  grid: Grid,
  budget: Budget,
  event: CalendarEvent,
  standIns: readonly StandIn[],
  report: Report,
): void {
  const changes = standIns
    .filter(({ andFollowing }) => andFollowing)
    .map((standIn) => changeOf(standIn, event.start))
    .toSorted((one, other) => other.from - one.from);
  if (!event.blocks && changes.length === 0) return;
  const range = reachOf(grid, event, changes);
  const isInRange = ({ wall }: { wall: Wall }): boolean => wall >= range.from && wall <= range.to;
  const excepted = [...event.exceptDates, ...standIns.map(({ replaces }) => replaces)];
  const isExcepted = exceptions(excepted.filter(isInRange), event.start);

  const markOne = ({ start, length }: { start: When; length: Length }): void => {
    if (!isInRange(start) || isExcepted(start)) return;
    const reading = readingOf(start, event.start);
    const change = changes.find(({ from }) => from <= reading);
    if (change === undefined) {
      if (event.blocks) mark(grid, start, length);
    } else if (change.blocks) {
      mark(grid, change.move(reading), change.length);
    }
  };
  eachOccurrence(event, range, budget, markOne, report);
}

type Change = ReturnType<typeof changeOf>;

/**
 * What a RECURRENCE-ID with RANGE=THISANDFUTURE does to its series: `from` when on it changes the occurrences, and `by` how much it
 * moves them, at least roughly, both as the clock of the series shows it. The change may be written in another zone than the series (UTC
 * is common): 9:00 in New York that moves by an hour is at 10:00 in New York all year round. Where times become dates, whole days
 * are counted.
 */
function changeOf({ replaces, start, length, blocks }: StandIn, series: When) {
  const from = namedReading(replaces, series);
  const by = start.isDate ? (dayOf(start.wall) - dayOf(from)) * DAY_MS : readingOf(start, series) - from;
  const move = (wall: Wall): When =>
    start.isDate
      ? { ...start, wall: dayOf(wall) * DAY_MS + by }
      : { wall: wall + by, isDate: false, zone: series.zone };
  return { from, by, move, length, blocks };
}

/** Between which readings of its clock a series must be followed: what begins earlier or later touches no hour of the grid. */
function reachOf(grid: Grid, event: CalendarEvent, changes: readonly Change[]): { from: number; to: number } {
  const shift = Math.max(0, ...changes.map(({ by }) => Math.abs(by)));
  const longest = [event, ...event.extraDates, ...changes].reduce(
    (most, { length }) => Math.max(most, roughMs(length)),
    0,
  );
  return {
    from: grid.startsAt - shift - longest - ZONE_MARGIN_MS,
    to: grid.endsAt + shift + ZONE_MARGIN_MS,
  };
}

/** Which occurrences of a series are meant by EXDATEs and RECURRENCE-IDs. A mere date means all that begin on that day. */
function exceptions(list: readonly OccurrenceId[], series: When): (occurrence: When) => boolean {
  const { day = [], instant = [] } = Object.groupBy(list, (id) =>
    id.isDate || series.isDate ? 'day' : 'instant',
  );
  const days = new Set(day.map((id) => dayOf(namedReading(id, series))));
  const instants = new Set(instant.map((id) => instantOf(inSeries(id, series))));
  return (occurrence) =>
    (days.size > 0 && days.has(dayOf(readingOf(occurrence, series)))) ||
    (instants.size > 0 && !occurrence.isDate && instants.has(instantOf(occurrence)));
}

/** The occurrence that is named, as the clock of the series shows it. */
function namedReading(id: OccurrenceId, series: When): Wall {
  // A date names the occurrence of that day; it begins when the series begins, as far as one can tell without its rule.
  if (id.isDate) return series.isDate ? id.wall : id.wall + (series.wall - dayOf(series.wall) * DAY_MS);
  if (!series.isDate) return readingOf(inSeries(id, series), series);
  // Of whole days: midnight in UTC may be another date at the space, and midnight elsewhere is the date as it is written.
  const wall = id.zone === utc ? series.zone.toWall(id.wall) : id.wall;
  return dayOf(wall) * DAY_MS;
}

function inSeries(id: OccurrenceId, series: When): When {
  return { ...id, zone: id.zone ?? series.zone };
}

/** What the clock of the series shows at a time. A date is the same date everywhere. */
function readingOf(when: When, series: When): Wall {
  return when.isDate || when.zone === series.zone ? when.wall : series.zone.toWall(instantOf(when));
}

/** Marks the hours of one event that does not repeat, or of one occurrence. */
export function mark(grid: Grid, start: When, length: Length): void {
  // Most occurrences of an old calendar are long over. They are dropped before a zone is asked, which takes longer.
  if (start.wall + roughMs(length) < grid.startsAt - ZONE_MARGIN_MS) return;
  if (start.wall > grid.endsAt + ZONE_MARGIN_MS) return;
  const from = instantOf(start);
  const days = Math.min(length.days, Math.ceil((grid.endsAt - from) / DAY_MS) + 3);
  const afterDays = days > 0 ? start.zone.toInstant(start.wall + days * DAY_MS) : from;
  grid.mark(from, afterDays + length.ms);
}

function instantOf(when: When): number {
  return when.zone.toInstant(when.wall);
}

function roughMs(length: Length): number {
  return length.days * DAY_MS + length.ms;
}
