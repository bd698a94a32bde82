// The iCal feed of a space (contract §9): its entries, which are looked for in the text.
import type { ExpectedResponse } from '../simulate/operation.ts';
import { holderOf, isBooking, range } from './hours.ts';
import { isUuid, Rejection } from './input.ts';
import { count, NONE_YET } from './limit.ts';
import { addDays, iso, MINUTE, startOf, today } from './time.ts';
import { ANY, fresh, nameOf, type Space, type World } from './world.ts';

const LIMIT = 60;

export interface Entry {
  uid: string;
  summary: 'Booked' | 'Blocked';
  start: string;
  end: string;
}

export function feed(
  world: World,
  query: URLSearchParams,
  headers: Record<string, string>,
): ExpectedResponse {
  const { now } = world;
  const space = world.spaces.get(nameOf(world, query.get('space_id')));
  const token = query.get('token');
  const isOnce = query.getAll('space_id').length === 1 && query.getAll('token').length === 1;
  const isRight = isOnce && isUuid(token) && space?.feedToken === nameOf(world, token);
  if (!isRight || !space.account.host.isActive) throw new Rejection('INVALID_TOKEN');
  const reads = world.feedReads.get(space.id) ?? { ...NONE_YET };
  world.feedReads.set(space.id, reads);
  if (!count(reads, LIMIT, now)) {
    const seconds = Math.ceil((reads.times[0]! + MINUTE - reads.latest) / 1000);
    throw new Rejection('RATE_LIMIT_EXCEEDED', undefined, { 'retry-after': String(seconds) });
  }
  const { entries, content } = entriesOf(world, space, now);
  const etag = nameFor(world, 'etag', content);
  const isKnown =
    headers['if-none-match'] !== undefined && world.actual.get(etag) === headers['if-none-match'];
  if (isKnown) return { status: 304, headers: { etag }, body: null };
  return {
    status: 200,
    headers: { etag, 'content-type': 'text/calendar; charset=utf-8' },
    body: { entries },
  };
}

/** The same text has the same tag, and the same booking the same UID. */
function nameFor(world: World, kind: string, of: string): string {
  const key = `${kind} ${of}`;
  if (!world.feedNames.has(key)) world.feedNames.set(key, fresh(world, kind));
  return world.feedNames.get(key)!;
}

interface Found {
  from: number;
  to: number;
  date: string;
  /** Tells this entry, as it is, from others. */
  key: string;
  /** Of a block. */
  reason?: string | null;
}

/** In any order. From 30 days back, each shown whole; adjacent blocked hours with one reason are one entry, also across midnight. */
function entriesOf(world: World, space: Space, now: number): { entries: Entry[]; content: string } {
  const found: Found[] = [];
  for (const date of [...space.held.keys()].toSorted()) {
    for (const hour of range(0, 24)) {
      const holder = holderOf(space, date, hour);
      const last = found.at(-1);
      if (holder === undefined) continue;
      if (isBooking(holder)) {
        const { id: key, starts_at: from, ends_at: to } = holder;
        if (last?.key !== key) found.push({ from, to, date, key });
        continue;
      }
      const [from, to] = [startOf(space.timezone, date, hour), startOf(space.timezone, date, hour + 1)];
      if (from === to) continue;
      if (last?.to === from && last.reason === holder.reason)
        Object.assign(last, { to, date, key: `${last.key} ${hour} ${holder.serial}` });
      else found.push({ from, to, date, key: `block ${hour} ${holder.serial}`, reason: holder.reason });
    }
  }
  const first = addDays(today(now, space.timezone), -30);
  const shown = found.filter(({ date }) => date >= first);
  const entries = shown.map(({ from, to, key, reason }): Entry => {
    const times = { start: iso(from), end: iso(to) };
    if (reason !== undefined) return { uid: ANY, summary: 'Blocked', ...times };
    return { uid: nameFor(world, 'uid', key), summary: 'Booked', ...times };
  });
  return {
    entries,
    content: `${space.id} ${space.title} ${shown.map(({ key, from, to }) => `${key} ${from} ${to}`).join(', ')}`,
  };
}
