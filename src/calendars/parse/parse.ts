import { DAY_MS } from '../../time/units.ts';
import { busyPeriods, readEvent, uidOf, type CalendarEvent } from './event.ts';
import { mark, markEvents } from './expand.ts';
import { DAYS_BACK, Grid, type BusyDays } from './grid.ts';
import { Budget } from './limits.ts';
import { readLines } from './line.ts';
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
  /** Whether it has no event and no VFREEBUSY that says anything. */
  readonly isEmpty: boolean;
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
  for (const [index, texts] of events.entries()) {
    const lines = readLines(texts);
    const uid = uidOf(lines);
    const event = isOwn(uid, spaceId) ? undefined : readEvent(lines, zones, reportFor(uid));
    if (event !== undefined) series.getOrInsertComputed(event.isAlone ? index : uid, () => []).push(event);
  }
  for (const texts of freeBusy) {
    const lines = readLines(texts);
    for (const { start, length } of busyPeriods(lines, zones, reportFor(uidOf(lines))))
      mark(grid, start, length);
  }
  for (const members of [...series.values()].toSorted((a, b) => Number(isDear(a)) - Number(isDear(b)))) {
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
    isEmpty: events.length === 0 && !freeBusy.flat().some((line) => /^FREEBUSY/i.test(line)),
    problems,
  };
}

const YEAR_MS = 366 * DAY_MS;

/** What recurs within a day comes last: when the budget is used up, it is what goes without. */
function isDear(members: readonly CalendarEvent[]): boolean {
  return members.some(({ rules }) => rules.some(({ FREQ }) => /^(SECOND|MINUTE|HOUR)LY$/.test(FREQ)));
}

/** Whether an event comes from our own feed of this space, perhaps by way of another calendar. Its hours are taken already. */
function isOwn(uid: string, spaceId: string): boolean {
  return uid.toLowerCase().endsWith(`@${spaceId}.hourkeep`);
}
