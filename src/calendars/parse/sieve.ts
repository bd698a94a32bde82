import { MAX_DEPTH, MAX_EVENTS, MAX_LINE_LENGTH, MAX_TIMEZONES, Unreadable } from './limits.ts';

/** The parts of a calendar that say when somebody is busy, each a complete component for the parser. */
export interface Sieved {
  readonly events: readonly string[];
  readonly timezones: readonly string[];
}

/**
 * Takes a calendar apart and keeps the few lines that matter. Everything else (descriptions, attendees,
 * attachments, alarms) is most of the text, is nobody's business here, and is where exporters make their
 * mistakes: left out, it costs no memory and breaks nothing. The structure must be whole, though: an answer
 * that was cut off anywhere is refused.
 */
export function sieve(text: string): Sieved {
  const open: string[] = [];
  const events: string[] = [];
  const timezones: string[] = [];
  let calendars = 0;
  let lines: string[] = [];

  for (const line of contentLines(text)) {
    const name = /^[A-Za-z0-9-]+(?=[:;])/.exec(line)?.[0].toUpperCase() ?? '';
    if (name === 'BEGIN') {
      open.push(valueOf(line));
      if (open[0] !== 'VCALENDAR') throw new Unreadable('the answer is not an iCalendar');
      if (open.length > MAX_DEPTH) throw new Unreadable('the calendar is nested too deeply');
      if (keptProperties(open) !== undefined) lines.push(line);
    } else if (name === 'END') {
      if (valueOf(line) !== open.at(-1)) throw new Unreadable('the calendar’s parts do not close');
      if (keptProperties(open) !== undefined) lines.push(line);
      if (open.length === 2) {
        if (open[1] === 'VEVENT') events.push(lines.join('\r\n'));
        if (open[1] === 'VTIMEZONE') timezones.push(lines.join('\r\n'));
        lines = [];
      }
      if (open.length === 1) calendars++;
      open.pop();
    } else if (open.length === 0) {
      // Stray text in front makes it something else, an error page perhaps; behind, it does no harm.
      if (calendars === 0) throw new Unreadable('the answer is not an iCalendar');
    } else if (keptProperties(open)?.has(name)) {
      if (line.length > MAX_LINE_LENGTH) throw new Unreadable('the calendar has a line that is too long');
      lines.push(line.replace(BARE_DATE, '$1;VALUE=DATE$2'));
    }
    if (events.length > MAX_EVENTS) throw new Unreadable(`the calendar has more than ${MAX_EVENTS} events`);
    if (timezones.length > MAX_TIMEZONES) throw new Unreadable('the calendar defines too many timezones');
  }
  if (open.length > 0) throw new Unreadable('the calendar ends in the middle');
  if (calendars === 0) throw new Unreadable('the answer is empty');
  return { events, timezones };
}

/** A date that does not say it is one: the parser would look for a time in it. */
const BARE_DATE = /^(DTSTART|DTEND|RECURRENCE-ID|EXDATE|RDATE)((?:;TZID=[^:]*)?:[\d,]+)$/i;

const EVENT_PROPERTIES = new Set([
  'UID',
  'SEQUENCE',
  'RECURRENCE-ID',
  'STATUS',
  'TRANSP',
  'DTSTART',
  'DTEND',
  'DURATION',
  'RRULE',
  'RDATE',
  'EXDATE',
]);
const TIMEZONE_PROPERTIES = new Set(['TZID', 'X-LIC-LOCATION']);
const OFFSET_PROPERTIES = new Set(['DTSTART', 'TZOFFSETFROM', 'TZOFFSETTO', 'RRULE', 'RDATE']);

/** Which properties count in the component that is open now; undefined where none does. */
function keptProperties(open: readonly string[]): ReadonlySet<string> | undefined {
  const [, outer, inner] = open;
  if (open.length === 2 && outer === 'VEVENT') return EVENT_PROPERTIES;
  if (open.length === 2 && outer === 'VTIMEZONE') return TIMEZONE_PROPERTIES;
  const isOffset = inner === 'STANDARD' || inner === 'DAYLIGHT';
  return open.length === 3 && outer === 'VTIMEZONE' && isOffset ? OFFSET_PROPERTIES : undefined;
}

function valueOf(line: string): string {
  return line
    .slice(line.indexOf(':') + 1)
    .trim()
    .toUpperCase();
}

/** Lines as they were before they were folded; empty ones are left out. */
function* contentLines(text: string): Generator<string> {
  let line = '';
  // A byte order mark is no part of the text.
  let from = text.startsWith('\uFEFF') ? 1 : 0;
  while (from < text.length) {
    const newline = text.indexOf('\n', from);
    const end = newline === -1 ? text.length : newline;
    const piece = text.slice(from, text[end - 1] === '\r' ? end - 1 : end);
    from = end + 1;
    if (piece.startsWith(' ') || piece.startsWith('\t')) {
      line += piece.slice(1);
      continue;
    }
    if (line.trim() !== '') yield line;
    line = piece;
  }
  if (line.trim() !== '') yield line;
}
