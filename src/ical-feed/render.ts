import ical, {
  escape,
  ICalEventBusyStatus,
  ICalEventStatus,
  ICalEventTransparency,
  type ICalEventData,
} from 'ical-generator';

export interface Entry {
  /** Unique and lasting within the space. */
  readonly id: string;
  readonly summary: 'Booked' | 'Blocked';
  readonly startsAt: number;
  readonly endsAt: number;
  readonly revision: number;
  readonly changedAt: number;
}

/** How often programs that ask are told to look again. */
const REFRESH_SECONDS = 15 * 60;

/** The same entries give the same bytes: nothing in here is of the moment it is made. */
export function render(space: { id: string; title: string }, entries: readonly Entry[]): string {
  const calendar = ical({
    prodId: { company: 'Hourkeep', product: 'Calendar feed' },
    scale: 'gregorian',
    // The library escapes what belongs to events, but writes the calendar's name as it is given.
    name: escape(oneLine(space.title), false),
    ttl: REFRESH_SECONDS,
    events: entries.map((entry) => toEvent(space.id, entry)),
  });
  // It also leaves the last line without its end.
  return `${calendar.toString()}\r\n`;
}

/**
 * The part behind the @ says whose calendar it is, so that a Hourkeep which is given its own feed to import
 * recognises it.
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

/** A title may hold any character; a calendar's name, like every iCalendar text, no control characters. */
function oneLine(title: string): string {
  return title.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
