// Spaces: the record, reading, and what endpoint 12 and the operator change (contract §4, §6).
import { calendarIn, newCalendar, remove, shownCalendar } from './calendars.ts';
import { emit } from './events.ts';
import * as input from './input.ts';
import { invalid, isObject, type Body, type Check } from './input.ts';
import { minor, shown } from './money.ts';
import type { Answer, Call } from './requests.ts';
import { WEEKDAYS } from './time.ts';
import { fresh, spaceOf, without, type Range, type Rules, type Space, type World } from './world.ts';

export function shownSpace(space: Space): Body {
  const { currency } = space.account.host;
  const listing = without(space, 'account', 'noticeHours', 'feedToken', 'held', 'calendars');
  const external_calendars = space.calendars.map(shownCalendar);
  return shown({ ...listing, rating: 0, review_count: 0, currency, external_calendars }, currency);
}

export const getSpace = (call: Call): Answer => ({ data: { space: shownSpace(spaceOf(call)) } });
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
const isWeek: Check = (value) =>
  isObject(value) &&
  Object.keys(value).toSorted().join() === WEEKDAYS.toSorted().join() &&
  Object.values(value).every(input.nullable(input.isRange));

const FIELDS: Record<string, Check> = {
  space_id: input.text(0, 100),
  title: input.text(1, 200),
  description: input.nullable(input.text(1, 10_000)),
  price: (value) => typeof value === 'number' && value >= 0,
  capacity: input.nullable(input.integer(0, 999_999)),
  operating_hours: input.isRange,
  weekly_hours: input.nullable(isWeek),
  booking_rules: input.nullable(isRules),
  is_active: input.isBoolean,
  amenities: input.listOf(input.text(1, 100), 200),
  photo_urls: input.listOf(input.isUrl(/^https?:/i, 2048), 200),
  rotate_ical_token: input.isTrue,
  connect_calendar: input.isPublicUrl(/^(https|webcal):/i, 2000),
  disconnect_calendar: input.isUuid,
};

/** Where nothing else is said. */
export const NEW_LISTING = {
  id: '',
  title: '',
  category_slug: 'space',
  description: null as string | null,
  address: '',
  area: '',
  price_per_hour: 0,
  capacity: null as number | null,
  operating_hours: { start_hour: 0, end_hour: 24 },
  weekly_hours: null as Record<string, Range | null> | null,
  booking_rules: NO_RULES,
  is_active: true,
  amenities: [] as string[],
  photo_urls: [] as string[],
};
export type Listing = typeof NEW_LISTING & { timezone: string };

export function updateListing(call: Call): Answer {
  const { world } = call;
  const given = input.checkBody(call.body, FIELDS);
  input.checkSpaceId(given, call.rawId);
  if (Object.keys(without(given, 'space_id')).length === 0) throw invalid();
  const { connect_calendar: url, disconnect_calendar: calendarId, rotate_ical_token: rotates } = given;
  const fields = without(given, 'space_id', 'connect_calendar', 'disconnect_calendar', 'rotate_ical_token');
  const wrong = wrongHours(fields);
  if (wrong.length > 0 && world.spaces.get(call.id)?.account !== call.account) throw invalid(...wrong);
  const space = spaceOf(call);
  const listing = merged(space, fields, call.account.host.currency);
  const leaving = calendarId === undefined ? null : calendarIn(world, space, calendarId);
  const coming = url === undefined ? null : newCalendar(world, space, url as string, leaving);
  // Nothing is wrong: now everything happens.
  if (rotates === true) space.feedToken = fresh(world, 'token');
  if (leaving !== null) remove(world, space, leaving);
  if (coming !== null) space.calendars.push(coming);
  change(world, space, listing);
  const shownUrl = rotates === true ? { ical_feed_url: feedUrl(world, space) } : {};
  return { data: { space: shownSpace(space), ...shownUrl } };
}

export const feedUrl = ({ settings }: World, { id, feedToken }: Space): string =>
  `${settings.publicUrl}/api-ical-feed?space_id=${id}&token=${feedToken}`;

const MAX_PRICE = 100_000_000_000;

/** Hours that end before they begin, a week without an open day. */
function wrongHours({ operating_hours: hours, weekly_hours: week }: Body): string[] {
  const open = openDays(week as Listing['weekly_hours']);
  const isWeekWrong = open !== null && (open.length === 0 || !open.every(input.endsAfterStart));
  return [
    ...(hours !== undefined && !input.endsAfterStart(hours as Range) ? ['operating_hours'] : []),
    ...(isWeekWrong ? ['weekly_hours'] : []),
  ];
}

const openDays = (week: Listing['weekly_hours'] | undefined): Range[] | null =>
  week === null || week === undefined ? null : Object.values(week).filter((day) => day !== null);

/** The listing with the given fields (names of the record, but for `price`), where they are right together. */
export function merged<Old extends Listing>(old: Old, given: Body, currency: string): Old {
  const { price, booking_rules: rules, ...rest } = given;
  const amount = price === undefined ? old.price_per_hour : minor(price as number, currency);
  const wrong = [...(amount === null || amount > MAX_PRICE ? ['price'] : []), ...wrongHours(rest)];
  if (wrong.length > 0) throw invalid(...wrong);
  const next: Old = { ...old, ...rest, price_per_hour: amount! };
  if (rules !== undefined)
    next.booking_rules = rules === null ? NO_RULES : { ...old.booking_rules, ...(rules as Rules) };
  const { min_hours, max_hours } = next.booking_rules;
  if (min_hours !== null && max_hours !== null && max_hours < min_hours) wrong.push('booking_rules');
  const open = openDays(next.weekly_hours);
  if (open !== null) {
    // It covers all open days, whatever was sent.
    next.operating_hours = {
      start_hour: Math.min(...open.map(({ start_hour }) => start_hour)),
      end_hour: Math.max(...open.map(({ end_hour }) => end_hour)),
    };
    const sent = rest['operating_hours'];
    if (sent !== undefined && sorted(sent) !== sorted(next.operating_hours)) wrong.push('operating_hours');
    next.weekly_hours = Object.fromEntries(WEEKDAYS.map((day) => [day, next.weekly_hours![day]!]));
  }
  if (wrong.length > 0) throw invalid(...wrong);
  return next;
}

/** With its event. */
export function change(world: World, space: Space, listing: Listing): void {
  const before = shownSpace(space);
  // By another clock its external calendars hold other hours: they are polled at once.
  if (listing.timezone !== space.timezone)
    for (const calendar of space.calendars) calendar.nextPollAt = world.now;
  Object.assign(space, without(listing as Space, 'feedToken', 'calendars'));
  const after = shownSpace(space);
  const changed = Object.keys(after).filter((name) => sorted(after[name]) !== sorted(before[name]));
  if (changed.length > 0) emit(world, space.account, 'listing.updated', { space: after, changed });
}

/** The same text whatever the order of members. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    isObject(one) ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1))) : one,
  );
