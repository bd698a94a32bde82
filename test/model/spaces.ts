// Spaces: the record, reading, and what endpoint 12 and the operator change (contract §4, §6).
import { connect, disconnect, shownCalendar } from './calendars.ts';
import { emit } from './events.ts';
import * as input from './input.ts';
import { invalid, isObject, notFound, type Body, type Check } from './input.ts';
import { major, minor } from './money.ts';
import type { Answer, Call } from './requests.ts';
import { WEEKDAYS } from './time.ts';
import { isGuardedUrl } from './webhooks.ts';
import { fresh, type Range, type Rules, type Space, type World } from './world.ts';

export function shownSpace({ id, shown, price, timezone, account, calendars }: Space) {
  return {
    id,
    ...shown,
    price_per_hour: major(price, account.host.currency),
    rating: 0,
    review_count: 0,
    timezone,
    currency: account.host.currency,
    external_calendars: calendars.map(shownCalendar),
  };
}

function find({ world, account, id }: Call): Space {
  const space = world.spaces.get(id);
  if (space?.account !== account) throw notFound();
  return space;
}

export const getSpace = (call: Call): Answer => ({ data: { space: shownSpace(find(call)) } });
export const listSpaces = ({ account }: Call): Answer => ({
  data: { spaces: account.spaces.map(shownSpace) },
});

export const NO_RULES: Rules = { min_hours: null, max_hours: null, lead_hours: null, horizon_days: null };
const RULES: Record<string, Check> = {
  min_hours: input.nullable(input.integer(1, 24)),
  max_hours: input.nullable(input.integer(1, 24)),
  lead_hours: input.nullable(input.integer(0, 8760)),
  horizon_days: input.nullable(input.integer(0, 3650)),
};
const isRules: Check = (value) =>
  isObject(value) &&
  Object.keys(value).length > 0 &&
  Object.entries(value).every(([name, rule]) => RULES[name]?.(rule) ?? false);
/** That it ends after it starts is looked at later, with the space. */
const isHours: Check = (value) =>
  isObject(value) && input.isRange({ ...value, start_hour: 0 }) && input.START_HOUR(value['start_hour']);
const isWeek: Check = (value) =>
  isObject(value) &&
  Object.keys(value).toSorted().join() === WEEKDAYS.toSorted().join() &&
  Object.values(value).every(input.nullable(isHours));

const FIELDS: Record<string, Check> = {
  space_id: input.text(0, 100),
  title: input.text(1, 200),
  description: input.nullable(input.text(1, 10_000)),
  price: (value) => typeof value === 'number' && value >= 0,
  capacity: input.nullable(input.integer(0, 999_999)),
  operating_hours: isHours,
  weekly_hours: input.nullable(isWeek),
  booking_rules: input.nullable(isRules),
  is_active: input.isBoolean,
  amenities: input.listOf(input.text(1, 100), 0, 200),
  photo_urls: input.listOf(input.isUrl(/^https?:/i, 2048), 0, 200),
  rotate_ical_token: input.isTrue,
  connect_calendar: isGuardedUrl(/^(https|webcal):/i, 2000),
  disconnect_calendar: input.isUuid,
};

/** The smallest range that covers all open days. */
export function cover(week: Record<string, Range | null>): Range {
  const open = Object.values(week).filter((day) => day !== null);
  return {
    start_hour: Math.min(...open.map(({ start_hour }) => start_hour)),
    end_hour: Math.max(...open.map(({ end_hour }) => end_hour)),
  };
}

/** Hours that end before they begin, a week without an open day. */
function wrongHours({ operating_hours: hours, weekly_hours: week }: Body): string[] {
  const days = Object.values((week ?? {}) as Body).filter((day) => day !== null);
  const isWeekWrong = (week ?? null) !== null && (days.length === 0 || !days.every(input.isRange));
  return [
    ...(hours !== undefined && !input.isRange(hours) ? ['operating_hours'] : []),
    ...(isWeekWrong ? ['weekly_hours'] : []),
  ];
}

const MAX_PRICE = 100_000_000_000;

export function updateListing(call: Call): Answer {
  const { world } = call;
  const given = input.checkBody(call.body, FIELDS, []);
  input.checkSpaceId(given, call.rawId);
  const { space_id: _, rotate_ical_token: rotate, ...changes } = given;
  if (Object.keys({ ...changes, ...(rotate === true ? { rotate } : {}) }).length === 0) throw invalid();
  const { connect_calendar: url, disconnect_calendar: calendarId, ...fields } = changes;
  const wrong = wrongHours(fields);
  const space = world.spaces.get(call.id);
  if (space?.account !== call.account) throw wrong.length > 0 ? invalid(...wrong) : notFound();
  const apply = change(space, fields);
  const disconnected = calendarId === undefined ? null : disconnect(call, space, calendarId);
  const connected = url === undefined ? null : connect(world, space, url as string, disconnected);
  // Nothing is wrong: now everything happens.
  const feedToken = rotate === true ? fresh(world, 'token') : null;
  if (feedToken !== null) space.feedToken = feedToken;
  disconnected?.apply();
  connected?.apply();
  apply(world);
  const data = { space: shownSpace(space) };
  return { data: feedToken === null ? data : { ...data, ical_feed_url: feedUrl(world, space) } };
}

export const feedUrl = ({ settings }: World, { id, feedToken }: Space): string =>
  `${settings.publicUrl}/api-ical-feed?space_id=${id}&token=${feedToken}`;

type Changed = (world: World) => void;

/** Checks the fields (names of the record, but for `price`) together, and returns what changes them. */
export function change(space: Space, given: Body, timezone = space.timezone): Changed {
  const { price, booking_rules: rules, ...rest } = given;
  const { currency } = space.account.host;
  const amount = price === undefined ? space.price : minor(price as number, currency);
  const wrong = [...(amount === null || amount > MAX_PRICE ? ['price'] : []), ...wrongHours(rest)];
  if (wrong.length > 0) throw invalid(...wrong);
  const next: Space['shown'] = { ...space.shown, ...rest };
  if (rules !== undefined)
    next.booking_rules = rules === null ? NO_RULES : { ...space.shown.booking_rules, ...(rules as Rules) };
  const { min_hours, max_hours } = next.booking_rules;
  if (min_hours !== null && max_hours !== null && max_hours < min_hours) throw invalid();
  if (next.weekly_hours !== null) {
    const covered = cover(next.weekly_hours);
    const sent = rest['operating_hours'] as Range | undefined;
    if (sent !== undefined && (sent.start_hour !== covered.start_hour || sent.end_hour !== covered.end_hour))
      throw invalid('operating_hours');
    next.operating_hours = covered;
    next.weekly_hours = Object.fromEntries(WEEKDAYS.map((day) => [day, next.weekly_hours![day]!]));
  }
  return (world) => {
    const before = shownSpace(space) as Body;
    Object.assign(space, { shown: next, price: amount!, timezone });
    const after = shownSpace(space) as Body;
    const changed = Object.keys(after).filter((name) => text(after[name]) !== text(before[name]));
    if (changed.length > 0) emit(world, space.account, 'listing.updated', { space: after, changed });
  };
}

/** The same whatever the order of its members. */
function text(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    isObject(one) ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1))) : one,
  );
}
