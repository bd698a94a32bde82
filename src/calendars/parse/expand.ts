import { DAY_MS } from '../../time/units.ts';
import type { Budget } from './budget.ts';
import type { CalendarEvent, Report } from './event.ts';
import type { Grid } from './grid.ts';
import { NotUnderstood } from './limits.ts';
import { occurrences } from './recurrence.ts';
import type { Length } from './value.ts';
import { dayOf } from './wall.ts';
import { utc, type When } from './zone.ts';

/** Wall clocks are never further than this from UTC, whatever the zone. */
const ZONE_MARGIN_MS = 2 * DAY_MS;

/**
 * Marks the hours of everything that shares a UID: an event with its occurrences, and the events that stand in
 * for some of them.
 */
export function markEvents(
  grid: Grid,
  budget: Budget,
  events: readonly CalendarEvent[],
  report: Report,
): void {
  const current = withoutOutdated(events);
  const standIns = current.filter(isStandIn);
  for (const event of current) {
    if (!isStandIn(event)) markSeries(grid, budget, event, standIns, report);
    else if (event.blocks) mark(grid, event.start, event.length);
  }
}

type StandIn = CalendarEvent & { readonly replaces: When };

function isStandIn(event: CalendarEvent): event is StandIn {
  return event.replaces !== undefined;
}

/** Of two versions of one thing the higher SEQUENCE counts. Of equal ones both do: rather that than a gap. */
function withoutOutdated(events: readonly CalendarEvent[]): readonly CalendarEvent[] {
  if (events.length === 1) return events;
  const newest = new Map<number | undefined, number>();
  const identity = ({ replaces }: CalendarEvent) =>
    replaces === undefined ? undefined : instantOf(replaces);
  for (const event of events) {
    const known = newest.get(identity(event)) ?? 0;
    newest.set(identity(event), Math.max(known, event.sequence));
  }
  return events.filter((event) => event.sequence >= newest.get(identity(event))!);
}

function markSeries(
  grid: Grid,
  budget: Budget,
  event: CalendarEvent,
  standIns: readonly StandIn[],
  report: Report,
): void {
  const laterFirst = standIns
    .filter((standIn) => standIn.andFollowing)
    .toSorted((a, b) => instantOf(b.replaces) - instantOf(a.replaces));
  if (!event.blocks && laterFirst.length === 0) return;
  const range = reachOf(grid, event, laterFirst);
  const isInRange = ({ wall }: When): boolean => wall >= range.from && wall <= range.to;
  const excepted = [...event.exceptDates, ...standIns.map(({ replaces }) => replaces)];
  const isExcepted = exceptions(excepted.filter(isInRange), event.start);

  const markOne = (start: When, length: Length): void => {
    if (!isInRange(start) || isExcepted(start)) return;
    const change = laterFirst.find(({ replaces }) => instantOf(replaces) <= instantOf(start));
    if (change === undefined) {
      if (event.blocks) mark(grid, start, length);
    } else if (change.blocks) {
      mark(grid, { ...change.start, wall: start.wall + shiftOf(change) }, change.length);
    }
  };
  markOne(event.start, event.length);
  for (const { start, length } of event.extraDates) markOne(start, length);
  for (const rule of event.rules) {
    try {
      for (const wall of occurrences(rule, event.start, range, budget)) {
        markOne({ ...event.start, wall }, event.length);
      }
    } catch (error) {
      if (!(error instanceof NotUnderstood)) throw error;
      report(`RRULE (${error.message})`, true);
    }
  }
}

/** Between which readings an occurrence may begin that touches the grid, wherever it may have been moved. */
function reachOf(
  grid: Grid,
  event: CalendarEvent,
  changes: readonly StandIn[],
): { from: number; to: number } {
  const shift = changes.reduce((most, change) => Math.max(most, Math.abs(shiftOf(change))), 0);
  const longest = [event, ...event.extraDates, ...changes].reduce(
    (most, { length }) => Math.max(most, roughMs(length)),
    0,
  );
  return {
    from: grid.startsAt - shift - longest - ZONE_MARGIN_MS,
    to: grid.endsAt + shift + ZONE_MARGIN_MS,
  };
}

/** Which occurrences are left out. A mere date leaves out whatever begins on that day. */
function exceptions(list: readonly When[], start: When): (occurrence: When) => boolean {
  if (list.length === 0) return () => false;
  const days = new Set<number>();
  const instants = new Set<number>();
  for (const when of list) {
    if (when.isDate) days.add(dayOf(when.wall));
    else if (!start.isDate) instants.add(instantOf(when));
    else days.add(dayOf(when.zone === utc ? start.zone.toWall(when.wall) : when.wall));
  }
  return (occurrence) =>
    days.has(dayOf(occurrence.wall)) || (!occurrence.isDate && instants.has(instantOf(occurrence)));
}

function mark(grid: Grid, start: When, length: Length): void {
  // Most of a long history ends here, before any zone is asked.
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

function shiftOf(change: StandIn): number {
  return change.start.wall - change.replaces.wall;
}
