import ical, {
  escape,
  ICalEventBusyStatus,
  ICalEventStatus,
  ICalEventTransparency,
  type ICalEventData,
} from 'ical-generator';
import { inSlices } from '../db/long-reads.ts';

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

/** Writing them takes half a millisecond. */
const ENTRIES_AT_ONCE = 30;
const END = 'END:VCALENDAR';

/** The same entries give the same bytes, so that the ETag is stable: nothing here depends on the present time. */
export async function render(
  space: { id: string; title: string },
  entries: readonly Entry[],
): Promise<string> {
  const beginning = write(space, []).slice(0, -END.length);
  const events = await inSlices(entries, ENTRIES_AT_ONCE, (some) =>
    write(space, some).slice(beginning.length, -END.length),
  );
  // The library leaves the last line without its end.
  return `${beginning}${events.join('')}${END}\r\n`;
}

/** A whole calendar. Its events stand between the calendar's own lines, which are always the same, and its last one. */
function write(space: { id: string; title: string }, entries: readonly Entry[]): string {
  const calendar = ical({
    prodId: { company: 'Hourkeep', product: 'Calendar feed' },
    scale: 'gregorian',
    // The library escapes what belongs to events, but writes the calendar's name as it is given.
    name: escape(oneLine(space.title), false),
    ttl: REFRESH_SECONDS,
    events: entries.map((entry) => toEvent(space.id, entry)),
  });
  return calendar.toString();
}

/**
 * The part after the @ names the space, so that a space that imports its own feed recognises it and blocks nothing.
 */
function toEvent(spaceId: string, entry: Entry): ICalEventData {
  const changedAt = new Date(entry.changedAt);
  return {
    id: `${entry.id}@${spaceId}.hourkeep`,
    sequence: entry.revision,
    stamp: changedAt,
    lastModified: changedAt,
    start: new Date(entry.startsAt),
    end: new Date(entry.endsAt),
    summary: entry.summary,
    status: ICalEventStatus.CONFIRMED,
    transparency: ICalEventTransparency.OPAQUE,
    busystatus: ICalEventBusyStatus.BUSY,
  };
}

/** A title may hold control characters, an iCalendar text may not. */
function oneLine(title: string): string {
  return title.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
