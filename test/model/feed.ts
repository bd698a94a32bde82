// The iCal feed of a space (contract §9): its entries, which `compare` finds in the text.
import { holderOf, range } from './hours.ts';
import { isUuid, Rejection, rejected, type ExpectedResponse } from './input.ts';
import { addDays, iso, startOf, today } from './time.ts';
import { ANY, fresh, isBlock, nameOf, sortBy, type Space, type World } from './world.ts';

const LIMIT = 60;
const WINDOW = 60_000;

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
  isHead: boolean,
): ExpectedResponse {
  const { now } = world;
  const requestId = world.requestId!;
  const common = { 'x-request-id': requestId };
  const space = world.spaces.get(nameOf(world, query.get('space_id')));
  const token = query.get('token');
  const isOnce = query.getAll('space_id').length === 1 && query.getAll('token').length === 1;
  const isOpen =
    isOnce && isUuid(token) && space?.feedToken === nameOf(world, token) && space.account.host.isActive;
  if (!isOpen) return rejected(new Rejection(401, 'INVALID_TOKEN'), common, requestId, isHead);
  const reads = (world.feedReads.get(space.id) ?? []).filter((at) => at > now - WINDOW);
  if (reads.length >= LIMIT) {
    const seconds = Math.ceil((reads[0]! + WINDOW - now) / 1000);
    const error = new Rejection(429, 'RATE_LIMIT_EXCEEDED', undefined, { 'retry-after': String(seconds) });
    return rejected(error, common, requestId, isHead);
  }
  world.feedReads.set(space.id, [...reads, now]);
  const { entries, content } = entriesOf(world, space, now);
  const etag = nameFor(world, 'etag', content);
  if (headers['if-none-match'] !== undefined && world.actual.get(etag) === headers['if-none-match'])
    return { status: 304, headers: { ...common, etag }, body: null };
  const type = 'text/calendar; charset=utf-8';
  return { status: 200, headers: { ...common, etag, 'content-type': type }, body: isHead ? undefined : { entries } };
}

/** The same text has the same tag, and the same booking the same UID. */
function nameFor(world: World, kind: string, of: string): string {
  const key = `${kind} ${of}`;
  if (!world.feedNames.has(key)) world.feedNames.set(key, fresh(world, kind));
  return world.feedNames.get(key)!;
}

/** From 30 days back, each shown whole; adjacent blocked hours with one reason are one entry, also across midnight. */
function entriesOf(world: World, space: Space, now: number): { entries: Entry[]; content: string } {
  const found: { from: number; to: number; date: string; key: string; reason?: string | null }[] = [];
  for (const date of [...space.held.keys()].toSorted()) {
    for (const hour of range(0, 24)) {
      const holder = holderOf(space, date, hour);
      const [from, to] = [startOf(space.timezone, date, hour), startOf(space.timezone, date, hour + 1)];
      const last = found.at(-1);
      if (holder === undefined || from === to) continue;
      if (!isBlock(holder)) {
        if (last?.key !== holder.id) found.push({ from, to: holder.endsAt, date, key: holder.id });
      } else if (last?.to === from && last.reason === holder.reason)
        Object.assign(last, { to, date, key: `${last.key} ${hour} ${holder.serial}` });
      else found.push({ from, to, date, key: `block ${hour} ${holder.serial}`, reason: holder.reason });
    }
  }
  const first = addDays(today(now, space.timezone), -30);
  const shown = found.filter(({ date }) => date >= first);
  const entries = sortBy(shown, ({ from }) => [from]).map(({ from, to, key, reason }): Entry => {
    const isBooking = reason === undefined;
    const uid = isBooking ? nameFor(world, 'uid', key) : ANY;
    return { uid, summary: isBooking ? 'Booked' : 'Blocked', start: iso(from), end: iso(to) };
  });
  return { entries, content: `${space.id} ${space.shown.title} ${shown.map(({ key }) => key).join(', ')}` };
}
