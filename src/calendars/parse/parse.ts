import { DAY_MS } from '../../time/units.ts';
import { readEvent, readFreeBusy, uidOf, type CalendarEvent } from './event.ts';
import { mark, markEvents } from './expand.ts';
import { DAYS_BACK, Grid, type BusyDays } from './grid.ts';
import { Budget, Unreadable } from './limits.ts';
import { readLines } from './line.ts';
import { mostPerDay } from './recurrence.ts';
import { sieve } from './sieve.ts';
import { Zones } from './zones.ts';

/** For which space a calendar is read, and when. */
export interface Circumstances {
  readonly spaceId: string;
  readonly timezone: string;
  readonly now: number;
}

/** Something in an event that cannot be used. */
interface Problem {
  readonly uid: string;
  /** The name of the line and what is wrong with it, and never its value, which may be private. */
  readonly line: string;
  /** Whether hours may be missing because of it. */
  readonly hides: boolean;
}

export interface Parsed {
  readonly days: BusyDays;
  /** The dates that were looked at, and which of them is today. */
  readonly range: { readonly from: string; readonly to: string };
  readonly today: string;
  /** How many events the calendar has, and periods of VFREEBUSY. */
  readonly events: number;
  readonly problems: readonly Problem[];
}

/** From the text of a calendar to the hours it blocks of one space; throws Unreadable when it cannot be used. */
export function parseCalendar(text: string, { spaceId, timezone, now }: Circumstances): Parsed {
  const { events, freeBusy, timezones } = sieve(text);
  const grid = new Grid(timezone, now);
  const budget = new Budget();
  const zones = new Zones(timezones, timezone, grid.endsAt + YEAR_MS, budget);
  const problems: Problem[] = [];
  const reportFor = (uid: string) => (line: string, hides: boolean) =>
    void problems.push({ uid, line, hides });

  const series = new Map<string | number, CalendarEvent[]>();
  let written = events.length;
  let understood = 0;
  for (const [index, texts] of events.entries()) {
    const lines = readLines(texts);
    const uid = uidOf(lines);
    const event = isOwn(uid, spaceId) ? 'ours' : readEvent(lines, zones, reportFor(uid));
    if (event !== undefined) understood++;
    if (event === undefined || event === 'ours') continue;
    series.getOrInsertComputed(event.isAlone ? index : uid, () => []).push(event);
  }
  for (const texts of freeBusy) {
    const lines = readLines(texts);
    const { busy, free, periods } = readFreeBusy(lines, zones, reportFor(uidOf(lines)));
    written += periods;
    understood += busy.length + free;
    for (const { start, length } of busy) mark(grid, start, length);
  }
  if (written > 0 && understood === 0) {
    throw new Unreadable(`none of its ${written} events can be understood`);
  }
  for (const members of cheapestFirst([...series.values()])) {
    const report = reportFor(members[0]!.uid);
    try {
      markEvents(grid, budget, members, report);
    } catch {
      // No calendar is known that gets here. If one does, it loses these events and not all of them.
      report('VEVENT', true);
    }
  }
  return {
    days: grid.busyDays(),
    range: { from: grid.dates[0]!, to: grid.dates.at(-1)! },
    today: grid.dates[DAYS_BACK]!,
    events: written,
    problems,
  };
}

const YEAR_MS = 366 * DAY_MS;

/** Those that repeat most often come last: when the budget is used up, they are the ones that go without. */
function cheapestFirst(series: readonly CalendarEvent[][]): CalendarEvent[][] {
  const cost = (members: CalendarEvent[]): number =>
    members.flatMap(({ rules }) => rules).reduce((most, rule) => Math.max(most, mostPerDay(rule)), 0);
  return series
    .map((members) => ({ members, cost: cost(members) }))
    .toSorted((one, other) => one.cost - other.cost)
    .map(({ members }) => members);
}

/** Whether an event comes from our own feed of this space, perhaps by way of another calendar. Its hours are taken already. */
function isOwn(uid: string, spaceId: string): boolean {
  return uid.toLowerCase().endsWith(`@${spaceId}.hourkeep`);
}
