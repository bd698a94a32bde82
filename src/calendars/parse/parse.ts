import ICAL from 'ical.js';
import { readEvent, type CalendarEvent } from './event.ts';
import { markEvents } from './expand.ts';
import { DAYS_BACK, Grid, type BusyDays } from './grid.ts';
import { Unreadable } from './limits.ts';
import { newBudget } from './recurrence.ts';
import { sieve } from './sieve.ts';
import { ianaZone, Zones } from './zones.ts';

/** For which space a calendar is read, and when. */
export interface Circumstances {
  readonly spaceId: string;
  readonly timezone: string;
  readonly now: number;
}

export interface Parsed {
  readonly days: BusyDays;
  /** The dates that were looked at, and which of them is today. */
  readonly range: { readonly from: string; readonly to: string };
  readonly today: string;
  /** How many events the calendar has, and how many of them made no sense. */
  readonly events: number;
  readonly unreadable: number;
}

/** From the text of a calendar to the hours it blocks of one space; throws Unreadable when it cannot be used. */
export function parseCalendar(text: string, { spaceId, timezone, now }: Circumstances): Parsed {
  const { events, timezones } = sieve(text);
  const spaceZone = ianaZone(timezone);
  const zones = new Zones(readTimezones(timezones), spaceZone);
  const byUid = new Map<string, CalendarEvent[]>();
  let unreadable = 0;
  for (const [index, event] of events.entries()) {
    try {
      const read = readEvent(event, zones, spaceZone);
      if (isOwn(read.uid, spaceId)) continue;
      const uid = read.uid === '' ? `no UID ${index}` : read.uid;
      byUid.getOrInsertComputed(uid, () => []).push(read);
    } catch {
      unreadable++;
    }
  }
  const grid = new Grid(timezone, now);
  const budget = newBudget();
  for (const series of byUid.values()) {
    try {
      markEvents(grid, budget, series);
    } catch (error) {
      if (error instanceof Unreadable) throw error;
      unreadable += series.length;
    }
  }
  if (unreadable > 0 && unreadable === events.length) {
    throw new Unreadable(`none of its ${events.length} events can be understood`);
  }
  return {
    days: grid.busyDays(),
    range: { from: grid.dates[0]!, to: grid.dates.at(-1)! },
    today: grid.dates[DAYS_BACK]!,
    events: events.length,
    unreadable,
  };
}

/** What our own feed of this space says, by whatever way it came back: it is known here already. */
function isOwn(uid: string, spaceId: string): boolean {
  return uid.toLowerCase().endsWith(`@${spaceId}.hourkeep`);
}

/** A definition that makes no sense is as good as none: its name may still say enough. */
function readTimezones(texts: readonly string[]): ICAL.Component[] {
  return texts.flatMap((text) => {
    try {
      return [new ICAL.Component(ICAL.parse(text))];
    } catch {
      return [];
    }
  });
}
