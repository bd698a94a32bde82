import { MAX_EVENTS, Unreadable } from './limits.ts';

export interface SievedZone {
  readonly lines: readonly string[];
  /** Its STANDARD and DAYLIGHT parts. */
  readonly parts: readonly (readonly string[])[];
}

/**
 * Takes a calendar apart and keeps the few lines that say when somebody is busy. The rest (descriptions, attendees,
 * attachments, alarms) is most of the text, is private, and is where exporters make their mistakes. Every BEGIN must have
 * its END, so that an answer that was cut off is refused. Events count wherever they stand, also in a calendar inside a
 * calendar.
 */
export function sieve(text: string) {
  const open: Component[] = [];
  const events: string[][] = [];
  const freeBusy: string[][] = [];
  const timezones: SievedZone[] = [];
  let calendars = 0;

  for (const line of contentLines(text)) {
    const name = /^[A-Za-z0-9-]+(?=[:;])/.exec(line)?.[0].toUpperCase() ?? '';
    const current = open.at(-1);
    if (name === 'BEGIN') {
      const component: Component = { name: valueOf(line), lines: [], parts: [] };
      if (current === undefined && component.name !== 'VCALENDAR') throw new Unreadable(NO_CALENDAR);
      open.push(component);
    } else if (name === 'END') {
      if (current === undefined || valueOf(line) !== current.name) {
        throw new Unreadable('the calendar’s parts do not close');
      }
      open.pop();
      if (open.length === 0) calendars++;
      // What is inside a VPOLL is offered for a vote: nobody is busy then.
      const isOffered = (): boolean => open.some(({ name: outer }) => outer === 'VPOLL');
      if (current.name === 'VEVENT' && !isOffered()) events.push(current.lines);
      if (current.name === 'VFREEBUSY' && !isOffered()) freeBusy.push(current.lines);
      if (current.name === 'VTIMEZONE') timezones.push(current);
      if (current.name === 'STANDARD' || current.name === 'DAYLIGHT') open.at(-1)?.parts.push(current.lines);
    } else if (current === undefined) {
      // Text before the calendar means that it is something else, perhaps an error page. Text behind it does no harm.
      if (calendars === 0) throw new Unreadable(NO_CALENDAR);
    } else if (KEPT[current.name]?.has(name)) {
      current.lines.push(line);
    }
    if (events.length + freeBusy.length > MAX_EVENTS)
      throw new Unreadable(`the calendar has more than ${MAX_EVENTS} events`);
  }
  if (open.length > 0) throw new Unreadable('the calendar ends in the middle');
  if (calendars === 0) throw new Unreadable('the response is empty');
  return { events, freeBusy, timezones };
}

const NO_CALENDAR = 'the response is not an iCalendar';

interface Component {
  readonly name: string;
  readonly lines: string[];
  readonly parts: string[][];
}

const names = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const CHANGE = names('DTSTART TZOFFSETFROM TZOFFSETTO RRULE RDATE');

/** Which properties count, by the component that has them. */
const KEPT: Readonly<Record<string, ReadonlySet<string>>> = {
  VEVENT: names('UID SEQUENCE RECURRENCE-ID STATUS TRANSP DTSTART DTEND DURATION RRULE RDATE EXDATE'),
  VFREEBUSY: names('UID FREEBUSY'),
  VTIMEZONE: names('TZID'),
  STANDARD: CHANGE,
  DAYLIGHT: CHANGE,
};

function valueOf(line: string): string {
  const value = line.slice(line.indexOf(':') + 1);
  return value.trim().toUpperCase();
}

/**
 * The lines of a text, but for empty ones. Long ones are folded: what begins with a space or tab continues the line before. Lines end
 * with LF, CR LF, a mere CR, or CR CR LF, which comes from files that were converted twice.
 */
function contentLines(text: string): string[] {
  const whole = text.trim().replaceAll(/(?:\r{0,3}\n|\r)[ \t]/g, '');
  return whole.split(/[\r\n]+/).filter((line) => line !== '');
}
