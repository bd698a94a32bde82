import ical, { escape } from 'ical-generator';
import { toTimestamp } from '../time/clock.ts';

export interface Entry {
  /** Unique and lasting within the space. */
  readonly id: string;
  readonly summary: 'Booked' | 'Blocked';
  readonly startsAt: number;
  readonly endsAt: number;
  readonly revision: number;
  readonly changedAt: number;
}

/** How often calendar programs are asked to refresh. */
const REFRESH_SECONDS = 15 * 60;

/** A line of an entry that is longer goes on in the next one: its UID, which has 83 to 89 characters. */
const LONGEST_LINE = 74;

/** What stands behind the entries. */
export const END = 'END:VCALENDAR\r\n';

/** What stands in front of the entries. */
export function beginning(title: string): string {
  const empty = ical({
    prodId: { company: 'Hourkeep', product: 'Calendar feed' },
    scale: 'gregorian',
    // The library escapes what belongs to events, but writes the calendar's name as it is given.
    name: escape(oneLine(title), false),
    ttl: REFRESH_SECONDS,
  });
  return empty.toString().slice(0, -'END:VCALENDAR'.length);
}

/**
 * Written by hand: 2 µs where the library takes 17, and anybody with the address may ask for thousands. The same entry gives
 * the same bytes, so that the ETag is stable: nothing here depends on the present time.
 *
 * The part after the @ names the space, so that a space that imports its own feed recognises it and blocks nothing.
 */
export function writeEntry(spaceId: string, entry: Entry): string {
  const changedAt = stamp(entry.changedAt);
  const uid = `UID:${entry.id}@${spaceId}.hourkeep`;
  return `BEGIN:VEVENT\r
${uid.slice(0, LONGEST_LINE)}\r
 ${uid.slice(LONGEST_LINE)}\r
SEQUENCE:${entry.revision}\r
DTSTAMP:${changedAt}\r
DTSTART:${stamp(entry.startsAt)}\r
DTEND:${stamp(entry.endsAt)}\r
SUMMARY:${entry.summary}\r
TRANSP:OPAQUE\r
STATUS:CONFIRMED\r
X-MICROSOFT-CDO-BUSYSTATUS:BUSY\r
LAST-MODIFIED:${changedAt}\r
END:VEVENT\r
`;
}

/** YYYYMMDDTHHMMSSZ */
function stamp(epochMs: number): string {
  const time = toTimestamp(epochMs);
  const date = time.slice(0, 4) + time.slice(5, 7) + time.slice(8, 'YYYY-MM-DDTHH'.length);
  return `${date}${time.slice(14, 16)}${time.slice(17, 19)}Z`;
}

/** A title may hold control characters, an iCalendar text may not. */
function oneLine(title: string): string {
  return title.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
