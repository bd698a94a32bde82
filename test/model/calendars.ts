// External calendars: connecting, polling, and the hours that they hold (contract §6, §9).
import type { BusyTime } from '../simulate/operation.ts';
import { emitHours } from './events.ts';
import { holderOf } from './hours.ts';
import { invalid } from './input.ts';
import { addDays, HOUR, startOf, today } from './time.ts';
import { actualOf, ANY, fresh, nameOf, sortBy, type Calendar, type Space, type World } from './world.ts';

const MAX_CALENDARS = 5;
const POLL_EVERY = 15 * 60_000;
const DAYS_AHEAD = 400;

export const shownCalendar = ({ id, url, status, last_synced_at }: Calendar) => ({
  id,
  address: `${new URL(url).host}/…${url.slice(-4)}`,
  status,
  last_synced_at,
  error: status === 'failing' || status === 'warning' ? ANY : null,
});

/** Null where it is connected already. `leaving`: one that the same request disconnects before. */
export function newCalendar(
  world: World,
  space: Space,
  address: string,
  leaving: Calendar | null,
  max = MAX_CALENDARS,
): Calendar | null {
  // `webcal:` is read as `https:`, and a host has no case.
  const url = new URL(address.replace(/^webcal:/i, 'https:')).href;
  const others = space.calendars.filter((calendar) => calendar !== leaving);
  if (others.some((calendar) => calendar.url === url)) return null;
  if (others.length >= max) throw invalid('connect_calendar');
  return {
    id: fresh(world, 'calendar'),
    url,
    status: 'waiting',
    last_synced_at: null,
    nextPollAt: world.now,
    failures: 0,
    emptySince: null,
    emptyPolls: 0,
    busy: new Set(),
  };
}

export function calendarIn(world: World, space: Space, id: unknown): Calendar {
  const calendar = space.calendars.find((one) => one.id === nameOf(world, id));
  if (calendar === undefined) throw invalid('disconnect_calendar');
  return calendar;
}

/** Its hours are free at once. */
export function remove(world: World, space: Space, calendar: Calendar): void {
  setBusy(world, space, calendar, new Set());
  space.calendars.splice(space.calendars.indexOf(calendar), 1);
}

/** Each date that changed is announced, without the hours that something else holds too or that are over. */
function setBusy(world: World, space: Space, calendar: Calendar, busy: Set<string>): void {
  const others = space.calendars.filter((one) => one !== calendar);
  const changed = [...calendar.busy.symmetricDifference(busy)].map((key) => ({
    key,
    date: key.slice(0, 10),
    hour: Number(key.slice(11)),
  }));
  calendar.busy = busy;
  const told = changed.filter(
    ({ key, date, hour }) =>
      startOf(space.timezone, date, hour + 1) > world.now &&
      holderOf(space, date, hour) === undefined &&
      !others.some((one) => one.busy.has(key)),
  );
  for (const [date, hours] of Map.groupBy(told, (one) => one.date))
    emitHours(
      world,
      space,
      date,
      hours.map(({ hour }) => hour),
      'external_calendar',
    );
}

/** Those that are due, where the host is active. Where two become free or busy at once, the order decides which hours are announced. */
export function pollDue(world: World): void {
  const due = [...world.spaces.values()]
    .filter(({ account }) => account.host.isActive)
    .flatMap((space) => space.calendars.map((calendar) => ({ space, calendar })))
    .filter(({ calendar }) => calendar.nextPollAt <= world.now);
  const inOrder = sortBy(due, ({ calendar: { id, status, nextPollAt } }) => [
    status === 'waiting' ? 0 : 1,
    nextPollAt,
    actualOf(world, id),
  ]);
  if (world.pollsTurned) inOrder.reverse();
  world.pollsTurned = false;
  for (const { space, calendar } of inOrder) poll(world, space, calendar, true);
}

/** An unreadable feed keeps the last good state; so does a suddenly empty one, until three scheduled polls over an hour agree. */
export function poll(world: World, space: Space, calendar: Calendar, isScheduled: boolean): void {
  const { now, settings } = world;
  const served = world.served.get(calendar.url) ?? 404;
  if (!Array.isArray(served)) {
    calendar.status = 'failing';
    if (isScheduled) calendar.failures++;
    const pauses = settings.calendarPauses;
    calendar.nextPollAt = now + (pauses[Math.min(calendar.failures, pauses.length) - 1] ?? POLL_EVERY);
    return;
  }
  Object.assign(calendar, { failures: 0, nextPollAt: now + POLL_EVERY, status: 'ok' });
  const first = addDays(today(now, space.timezone), -1);
  if (served.length === 0 && [...calendar.busy].some((hour) => hour.slice(0, 10) > first)) {
    if (isScheduled) {
      calendar.emptySince ??= now;
      calendar.emptyPolls++;
    }
    if (calendar.emptyPolls < 3 || now - calendar.emptySince! < HOUR) {
      calendar.status = 'warning';
      return;
    }
  }
  Object.assign(calendar, { emptySince: null, emptyPolls: 0, last_synced_at: now });
  // What it held before yesterday stays as it was.
  const past = [...calendar.busy].filter((hour) => hour.slice(0, 10) < first);
  setBusy(world, space, calendar, busyHours(space, served, first).union(new Set(past)));
}

/** Every hour that is touched, from yesterday to 400 days ahead. */
function busyHours({ timezone }: Space, times: BusyTime[], first: string): Set<string> {
  const last = addDays(first, 1 + DAYS_AHEAD);
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
