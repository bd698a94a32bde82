import {
  chosen,
  exampleOf,
  isSettable,
  isShownToHost,
  type ChangesOf,
  type Fields,
  type HostRecordOf,
  type NewOf,
  type RecordOf,
  type RowOf,
} from '../fields/fields.ts';
import {
  anyText,
  currency,
  hours,
  hundredths,
  id,
  integer,
  mayBeEmpty,
  money,
  nullable,
  oneOf,
  text,
  texts,
  timezone,
  webUrl,
  word,
  yesOrNo,
} from '../fields/kinds.ts';
import { NO_RULES } from '../hours/schedule.ts';
import { MAX_TITLE_LENGTH } from '../http/input/schemas.ts';
import { ENVIRONMENTS } from '../ids/api-key.ts';
import { bookingRules, weeklyHours } from './opening.ts';

const MAX_ENTRIES = 200;

/** Every field of a space. The select of `sql.ts` names the table of spaces `s` and that of hosts `h`. */
export const SPACE = {
  id: { ...id('the space'), example: '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01' },
  host_id: { ...id('the host'), shownTo: 'operator' },
  host_name: { ...text('Name of the host', 200), shownTo: 'operator', from: 'h.name' },
  environment: { ...oneOf('Where the space is', ENVIRONMENTS), shownTo: 'operator' },
  title: {
    ...anyText('Name of the space', MAX_TITLE_LENGTH),
    setBy: 'host',
    flag: '--title <title>',
    help: 'as guests see it',
    example: 'Riverside Studio',
  },
  category_slug: {
    ...anyText('Kind of space, such as `studio`', 100),
    setBy: 'operator',
    initial: 'space',
    flag: '--category <slug>',
    help: 'such as studio or meeting-room',
    example: 'studio',
  },
  description: {
    ...nullable(anyText('Description of the space', 10_000)),
    setBy: 'host',
    initial: null,
    flag: '--description <text>',
    help: 'a few sentences',
    example: 'Daylight studio with a white cyclorama',
  },
  address: {
    ...mayBeEmpty('Postal address', 500),
    setBy: 'operator',
    initial: '',
    flag: '--address <address>',
    help: 'street and town',
    example: '12 Wharf Street, Brooklyn, NY',
  },
  area: {
    ...mayBeEmpty('Part of town', 200),
    setBy: 'operator',
    initial: '',
    flag: '--area <area>',
    help: 'the neighbourhood',
    example: 'Brooklyn',
  },
  price_per_hour: {
    ...money('Price of one hour, in major units of `currency`'),
    setBy: 'host',
    as: 'price',
    flag: '--price <amount>',
    help: 'per hour, in the host’s currency',
    example: 45,
  },
  capacity: {
    ...nullable(integer('How many people it holds, if known', 0, 999_999)),
    setBy: 'host',
    initial: null,
    flag: '--capacity <people>',
    help: 'how many fit in',
    example: 12,
  },
  operating_hours: {
    ...hours(
      'Local hours; 0 to 24 is always open. With `weekly_hours`: the smallest range that covers all open days',
      ['open_hour', 'close_hour'],
    ),
    setBy: 'host',
    initial: { start_hour: 0, end_hour: 24 },
    flag: '--hours <from-to>',
    help: 'operating hours, such as 9-22',
    example: { start_hour: 0, end_hour: 24 },
  },
  weekly_hours: {
    ...weeklyHours(
      'Local hours by weekday, each day’s or null for a day that is closed; null: the same `operating_hours` every day',
    ),
    setBy: 'host',
    initial: null,
    flag: '--weekly-hours <days>',
    help: 'hours by weekday, such as mon-fri=9-22,sat=11-20; days not named are closed',
    example: null,
  },
  booking_rules: {
    ...bookingRules('Rules for new bookings'),
    setBy: 'host',
    initial: NO_RULES,
    flag: '--booking-rules <rules>',
    help: 'rules such as min_hours=2,lead_hours=24; also max_hours and horizon_days',
    example: { min_hours: 2, max_hours: null, lead_hours: 1, horizon_days: 365 },
  },
  rating: {
    ...hundredths('Average rating by guests, 0 to 5', 5, 'rating_hundredths'),
    initial: 0,
    example: 4.8,
  },
  review_count: {
    ...integer('Number of reviews', 0, Number.MAX_SAFE_INTEGER),
    initial: 0,
    example: 127,
  },
  is_active: {
    ...yesOrNo('Whether the space takes bookings'),
    setBy: 'host',
    initial: true,
    flag: '--active',
    help: 'takes bookings',
    offFlag: '--inactive',
    offHelp: 'takes no bookings; those it has stay',
    example: true,
  },
  amenities: {
    ...texts('What the space offers, such as `wifi`', word(100), MAX_ENTRIES),
    setBy: 'host',
    initial: [],
    flag: '--amenities <list>',
    help: 'comma-separated',
    example: ['wifi', 'parking'],
  },
  photo_urls: {
    ...texts('URLs of pictures', webUrl(2048), MAX_ENTRIES),
    setBy: 'host',
    initial: [],
    flag: '--photos <urls>',
    help: 'comma-separated',
    example: ['https://images.example.com/riverside-1.jpg'],
  },
  timezone: {
    ...timezone('IANA timezone, such as Europe/Vienna: dates and hours are local times in it'),
    setBy: 'operator',
    initial: undefined,
    flag: '--timezone <zone>',
    help: 'IANA name; the host’s for a new space, and changed only while nothing lies ahead',
    example: 'America/New_York',
  },
  currency: {
    ...currency('ISO 4217; amounts are in its major units'),
    from: 'h.currency',
    example: 'USD',
  },
  cancellation_notice_hours: {
    ...integer('Latest cancellation before the start, in hours', 0, 999_999),
    setBy: 'operator',
    shownTo: 'operator',
    initial: 0,
    flag: '--cancellation-notice <hours>',
    help: 'latest cancellation before the start',
  },
  ref: { ...nullable(text('The operator’s own name for it', 200)), shownTo: 'operator' },
} as const satisfies Fields;

export type SpaceRow = RowOf<typeof SPACE>;
/** A space as the operator reads it. */
export type OperatorSpace = RecordOf<typeof SPACE>;
/** A space as its host reads it, without its external calendars. */
export type Listing = HostRecordOf<typeof SPACE>;
/** What is given for a new space; a timezone only where it is not the host's. */
export type NewSpace = NewOf<typeof SPACE>;
/** With what guests say about it, which only demo data and tests give. */
export type SeededSpace = NewSpace & Partial<Pick<OperatorSpace, 'rating' | 'review_count'>>;
export type SpaceChanges = ChangesOf<typeof SPACE>;

const listing = chosen(SPACE, isShownToHost);
export const LISTING = Object.keys(listing) as (keyof Listing)[];
/** What `listing.updated` can name: what somebody can change. The currency changes with the host's. */
export const LISTING_FIELDS = LISTING.filter((name) => isSettable(listing[name]!) || name === 'currency');
export const exampleListing = exampleOf(SPACE);
