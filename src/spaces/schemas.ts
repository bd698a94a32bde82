import {
  amount,
  component,
  count,
  Currency,
  idOf,
  notBlank,
  RepeatedSpaceId,
  timestamp,
  Timezone,
  WEB_ADDRESS,
} from '../http/input/schemas.ts';
import { Type, type Static } from '../http/input/type.ts';
import { SPACE_TEXT_LENGTHS } from './text-lengths.ts';

/** The fields of the record whose changes are announced. The operator changes all of them, the host those of `UpdateListing`. */
export const LISTING_FIELDS = [
  'title',
  'category_slug',
  'description',
  'address',
  'area',
  'price_per_hour',
  'capacity',
  'operating_hours',
  'is_active',
  'amenities',
  'photo_urls',
  'timezone',
  'currency',
] as const;

const OperatingHours = Type.Object(
  {
    start_hour: Type.Integer({ minimum: 0, maximum: 23, description: 'First hour of the day that is open' }),
    end_hour: Type.Integer({ minimum: 1, maximum: 24, description: 'Closing hour: 22 closes at 22:00' }),
  },
  { description: 'Local hours; 0 to 24 is always open' },
);

const Capacity = Type.Nullable(
  Type.Integer({ minimum: 0, maximum: 999_999, description: 'How many people fit in, if known' }),
);

const CALENDAR_STATUSES = ['waiting', 'ok', 'warning', 'failing'] as const;

const ExternalCalendar = component(
  'ExternalCalendar',
  Type.Object(
    {
      id: idOf('the connection'),
      address: Type.String({
        maxLength: 2010,
        description:
          'Its server and its last four characters. The rest is not shown: it often holds a password',
      }),
      status: Type.Enum(CALENDAR_STATUSES, {
        description:
          '`waiting` to be read for the first time; `warning`: read, but not all of it was understood; `failing`: could not be read, the hours of the last time stay',
      }),
      last_synced_at: Type.Nullable(timestamp('When it was last read')),
      error: Type.Nullable(Type.String({ maxLength: 2000, description: 'What is wrong with it, in words' })),
    },
    { description: 'A calendar whose events block hours of a space' },
  ),
);

export type ExternalCalendar = Static<typeof ExternalCalendar>;

export const Space = component(
  'Space',
  Type.Object(
    {
      id: idOf('the space'),
      title: Type.String({ maxLength: SPACE_TEXT_LENGTHS.title, description: 'Name of the space' }),
      category_slug: Type.String({
        maxLength: SPACE_TEXT_LENGTHS.categorySlug,
        description: 'Kind of space, such as `studio`',
      }),
      description: Type.Nullable(
        Type.String({ maxLength: SPACE_TEXT_LENGTHS.description, description: 'Words about the space' }),
      ),
      address: Type.String({ maxLength: SPACE_TEXT_LENGTHS.address, description: 'Postal address' }),
      area: Type.String({ maxLength: SPACE_TEXT_LENGTHS.area, description: 'Part of town' }),
      price_per_hour: amount('Price of one hour, in major units of `currency`'),
      capacity: Capacity,
      operating_hours: OperatingHours,
      rating: Type.Number({ minimum: 0, maximum: 5, description: 'Average rating by guests, 0 to 5' }),
      review_count: count('Number of reviews'),
      is_active: Type.Boolean({ description: 'An inactive space takes no bookings' }),
      amenities: Type.Array(Type.String({ maxLength: SPACE_TEXT_LENGTHS.amenity }), {
        maxItems: SPACE_TEXT_LENGTHS.entries,
        description: 'What the space offers, such as `wifi`',
      }),
      photo_urls: Type.Array(Type.String({ maxLength: SPACE_TEXT_LENGTHS.photoUrl }), {
        maxItems: SPACE_TEXT_LENGTHS.entries,
        description: 'Addresses of pictures',
      }),
      timezone: Timezone,
      currency: Currency,
      external_calendars: Type.Array(ExternalCalendar, {
        description: 'Calendars whose events block hours of this space, oldest first',
      }),
    },
    { description: 'A space that a host rents out by the hour' },
  ),
);

export type Space = Static<typeof Space>;

export const UpdateListing = component(
  'UpdateListing',
  Type.Object(
    {
      space_id: Type.Optional(RepeatedSpaceId),
      title: Type.Optional(
        notBlank(
          Type.String({
            minLength: 1,
            maxLength: SPACE_TEXT_LENGTHS.title,
            description: 'New name of the space',
          }),
        ),
      ),
      price: Type.Optional(amount('New `price_per_hour`, with no more decimals than the currency has')),
      is_active: Type.Optional(Type.Boolean({ description: 'Whether the space takes bookings' })),
      description: Type.Optional(
        Type.Nullable(
          notBlank(
            Type.String({ maxLength: SPACE_TEXT_LENGTHS.description, description: 'Words about the space' }),
          ),
        ),
      ),
      operating_hours: Type.Optional({ ...OperatingHours, additionalProperties: false }),
      capacity: Type.Optional(Capacity),
      amenities: Type.Optional(
        Type.Array(
          notBlank(Type.String({ maxLength: SPACE_TEXT_LENGTHS.amenity, description: 'Such as `wifi`' })),
          { maxItems: SPACE_TEXT_LENGTHS.entries, description: 'What the space offers: all of it' },
        ),
      ),
      photo_urls: Type.Optional(
        Type.Array(Type.String({ maxLength: SPACE_TEXT_LENGTHS.photoUrl, pattern: WEB_ADDRESS }), {
          maxItems: SPACE_TEXT_LENGTHS.entries,
          description: 'Addresses of pictures: all of them',
        }),
      ),
      rotate_ical_token: Type.Optional(
        Type.Literal(true, {
          description:
            'Make a new address of the calendar feed, answered once as `ical_feed_url`; the old one is refused from then on',
        }),
      ),
      connect_calendar: Type.Optional(
        Type.String({
          maxLength: 2000,
          description:
            'The iCal address of a calendar whose events are to block hours: https or webcal, on the public internet. Read within seconds, then every 15 minutes. At most five a space; one that is connected stays as it is',
        }),
      ),
      disconnect_calendar: Type.Optional({
        ...idOf('the connection'),
        description: 'The id of a connection in `external_calendars` to end; its hours are free at once',
      }),
    },
    {
      additionalProperties: false,
      minProperties: 1,
      description:
        'At least one of these fields beside `space_id`. Several are changed all together or not at all, and a calendar is disconnected before another is connected',
    },
  ),
);

export type UpdateListing = Static<typeof UpdateListing>;

export const UpdatedListing = Type.Object({
  space: Space,
  ical_feed_url: Type.Optional(
    Type.String({
      maxLength: 2500,
      description: 'The new address of the calendar feed, after `rotate_ical_token`. Shown this once',
    }),
  ),
});
