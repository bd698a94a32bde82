// External calendars: connecting, polling, and the hours that they hold (contract §6, §9).
import { emitHours } from './events.ts';
import { holderOf } from './hours.ts';
import { invalid } from './input.ts';
import type { BusyTime } from './operation.ts';
import type { Call } from './requests.ts';
import { addDays, HOUR, iso, startOf, today } from './time.ts';
import { ANY, fresh, nameOf, type Calendar, type Space, type World } from './world.ts';

const MAX_CALENDARS = 5;
const POLL_EVERY = 15 * 60_000;
const DAYS_AHEAD = 400;

export function shownCalendar({ id, url, status, lastSyncedAt }: Calendar) {
  return {
    id,
    address: `${new URL(url).host}/…${url.slice(-4)}`,
    status,
    last_synced_at: lastSyncedAt === null ? null : iso(lastSyncedAt),
    error: status === 'failing' || status === 'warning' ? ANY : null,
  };
}

/** `webcal:` is read as `https:`, and a host has no case: the same address is the same connection. */
const addressOf = (url: string): string => new URL(url.replace(/^webcal:/i, 'https:')).href;

interface Change {
  calendar: Calendar;
  apply: () => void;
}

/** `instead`: one that the same request disconnects before. */
export function connect(
  world: World,
  space: Space,
  url: string,
  instead: Change | null,
  max = MAX_CALENDARS,
) {
  const address = addressOf(url);
  const others = space.calendars.filter((calendar) => calendar !== instead?.calendar);
  if (others.some((calendar) => calendar.url === address)) return null;
  if (others.length >= max) throw invalid('connect_calendar');
  const calendar: Calendar = {
    id: fresh(world, 'calendar'),
    url: address,
    status: 'waiting',
    lastSyncedAt: null,
    nextPollAt: world.now,
    failures: 0,
    emptySince: null,
    emptyPolls: 0,
    busy: new Set(),
  };
  return { calendar, apply: () => space.calendars.push(calendar) };
}

export function disconnect({ world }: Call, space: Space, id: unknown): Change {
  const name = nameOf(world, id);
  const calendar = space.calendars.find((one) => one.id === name);
  if (calendar === undefined) throw invalid('disconnect_calendar');
  return { calendar, apply: () => remove(world, space, calendar) };
}

/** Its hours are free at once. */
export function remove(world: World, space: Space, calendar: Calendar): void {
  setBusy(world, space, calendar, new Set());
  space.calendars.splice(space.calendars.indexOf(calendar), 1);
}

/** Each date that changed is announced, without the hours that something else holds too or that are over. */
function setBusy(world: World, space: Space, calendar: Calendar, busy: Set<string>): void {
  const others = space.calendars.filter((one) => one !== calendar);
  const changed = [...calendar.busy.symmetricDifference(busy)].filter((hour) => {
    const [date, number] = hour.split(' ') as [string, string];
    return (
      startOf(space.timezone, date, Number(number) + 1) > world.now &&
      holderOf(space, date, Number(number)) === undefined &&
      !others.some((one) => one.busy.has(hour))
    );
  });
  calendar.busy = busy;
  const dates = Object.groupBy(changed, (hour) => hour.slice(0, 10));
  for (const [date, hours] of Object.entries(dates)) {
    const numbers = hours!.map((hour) => Number(hour.slice(11)));
    emitHours(world, space, date, numbers, 'external_calendar');
  }
}

/** Those that are due, where the host is active. */
export function pollDue(world: World): void {
  for (const space of world.spaces.values())
    if (space.account.host.isActive)
      for (const calendar of space.calendars)
        if (calendar.nextPollAt <= world.now) poll(world, space, calendar, true);
}

/** An unreadable feed keeps the last good state; so does a suddenly empty one, until three scheduled polls over an hour agree. */
export function poll(world: World, space: Space, calendar: Calendar, isScheduled: boolean): void {
  const { now } = world;
  const served = world.served.get(calendar.url) ?? 404;
  if (!Array.isArray(served)) {
    calendar.status = 'failing';
    if (isScheduled) calendar.failures++;
    const pauses = world.settings.calendarPauses;
    calendar.nextPollAt = now + (pauses[Math.min(calendar.failures, pauses.length) - 1] ?? POLL_EVERY);
    return;
  }
  Object.assign(calendar, { failures: 0, nextPollAt: now + POLL_EVERY, status: 'ok' });
  const first = addDays(today(now, space.timezone), -1);
  if (served.length === 0 && [...calendar.busy].some((hour) => hour.slice(0, 10) >= first)) {
    calendar.emptySince ??= now;
    if (isScheduled) calendar.emptyPolls++;
    if (calendar.emptyPolls < 3 || now - calendar.emptySince < HOUR) {
      calendar.status = 'warning';
      return;
    }
  }
  Object.assign(calendar, { emptySince: null, emptyPolls: 0, lastSyncedAt: now });
  // What it held before yesterday stays as it was.
  const past = [...calendar.busy].filter((hour) => hour.slice(0, 10) < first);
  setBusy(world, space, calendar, busyHours(space, served, now).union(new Set(past)));
}

/** Every hour that is touched, from yesterday to 400 days ahead. */
function busyHours({ timezone }: Space, times: BusyTime[], now: number): Set<string> {
  const first = addDays(today(now, timezone), -1);
  const last = addDays(today(now, timezone), DAYS_AHEAD);
  const at = (time: string) => (time.length === 10 ? startOf(timezone, time, 0) : Date.parse(time));
  const busy = new Set<string>();
  for (const { start, end } of times) {
    const [from, to] = [at(start), at(end)];
    const begin = today(from, timezone);
    for (let date = begin < first ? first : begin; date <= last; date = addDays(date, 1)) {
      if (startOf(timezone, date, 0) >= to) break;
      for (let hour = 0; hour < 24; hour++) {
        const [begins, ends] = [startOf(timezone, date, hour), startOf(timezone, date, hour + 1)];
        if (begins < ends && begins < to && ends > from) busy.add(`${date} ${hour}`);
      }
    }
  }
  return busy;
}

/** The text of a calendar that is busy then. */
export function ics(times: BusyTime[]): string {
  const compact = (time: string) => time.replace(/[-:]|\.\d+/g, '');
  const value = (time: string) => (time.length === 10 ? `;VALUE=DATE:${compact(time)}` : `:${compact(time)}`);
  const events = times.flatMap(({ start, end }, i) => [
    'BEGIN:VEVENT',
    `UID:${i}-${compact(start)}@elsewhere.example`,
    'DTSTAMP:20260101T000000Z',
    `DTSTART${value(start)}`,
    `DTEND${value(end)}`,
    'SUMMARY:Busy',
    'END:VEVENT',
  ]);
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//elsewhere//EN', ...events, 'END:VCALENDAR'];
  return `${lines.join('\r\n')}\r\n`;
}
