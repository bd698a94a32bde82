import { parseCalendar, type Parsed } from '../../src/calendars/parse/parse.ts';

export const NOW = Date.parse('2027-03-01T12:00:00Z');

/** Busy hours by date, as ranges with an exclusive end: `{'2027-03-18': '9-11 14-15'}`. */
export type BusyHours = Record<string, string>;

export function parse(text: string, timezone = 'America/New_York'): Parsed {
  return parseCalendar(text, { spaceId: 'a-space', timezone, now: NOW });
}

export function busyHours(parsed: Parsed): BusyHours {
  return Object.fromEntries([...parsed.days].map(([date, mask]) => [date, ranges(mask)]));
}

/** A calendar of events, each the lines between its BEGIN and END. */
export function calendarOf(...events: readonly (readonly string[])[]): string {
  return wrapped(events.flatMap((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']));
}

export function wrapped(lines: readonly string[]): string {
  const all = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...lines, 'END:VCALENDAR'];
  return all.map((line) => `${line}\r\n`).join('');
}

function ranges(mask: number): string {
  const found: string[] = [];
  for (let hour = 0; hour < 24; hour++) {
    if ((mask & (1 << hour)) === 0) continue;
    const start = hour;
    while ((mask & (1 << (hour + 1))) !== 0) hour++;
    found.push(`${start}-${hour + 1}`);
  }
  return found.join(' ');
}
