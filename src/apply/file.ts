import { SCOPES } from '../api-keys/scopes.ts';
import { SETTLEMENT_MODES } from '../hosts/hosts.ts';
import { amount, NOT_BLANK, Timezone } from '../http/input/schemas.ts';
import { Type, type Schema, type Static } from '../http/input/type.ts';
import { ENVIRONMENTS } from '../ids/api-key.ts';
import { SPACE_TEXT_LENGTHS as LONGEST } from '../spaces/text-lengths.ts';

// The file that `apply` reads and `export` prints. Names and units are those of `host show --json` and `space show --json`.

/** No field that is not known: a misspelt one would be dropped in silence. */
const CLOSED = { additionalProperties: false };

const text = (description: string, maxLength?: number): Schema<string> =>
  Type.String({ pattern: NOT_BLANK, ...(maxLength === undefined ? {} : { maxLength }), description });

const refOf = (what: string, among: string): Schema<string> =>
  text(`Your own name for the ${what}, unique among ${among}; or its id, where it has none`, 200);

const Environment = Type.Enum(ENVIRONMENTS, { description: 'Cannot change later; production unless given' });

const Calendar = Type.Object(
  {
    ref: refOf('calendar', 'those of its space'),
    url: Type.Optional(text('The iCal address; may be left out for a calendar that is there', 2000)),
  },
  CLOSED,
);

const Space = Type.Object(
  {
    ref: refOf('space', 'those of its host'),
    environment: Type.Optional(Environment),
    title: text('As guests see it', LONGEST.title),
    price_per_hour: amount('In major units of the host’s currency'),
    timezone: Type.Optional({ ...Timezone, description: 'IANA name; the host’s unless given' }),
    operating_hours: Type.Optional(
      Type.Object(
        {
          start_hour: Type.Integer({ minimum: 0, maximum: 23, description: 'First hour that is open' }),
          end_hour: Type.Integer({ minimum: 1, maximum: 24, description: 'Closing hour' }),
        },
        { ...CLOSED, description: 'Local hours; always open unless given' },
      ),
    ),
    category_slug: Type.Optional(text('Kind of space, such as studio', LONGEST.categorySlug)),
    description: Type.Optional(Type.Nullable(text('Words about the space', LONGEST.description))),
    address: Type.Optional(Type.String({ maxLength: LONGEST.address, description: 'Street and town' })),
    area: Type.Optional(Type.String({ maxLength: LONGEST.area, description: 'Part of town' })),
    capacity: Type.Optional(
      Type.Nullable(Type.Integer({ minimum: 0, maximum: 999_999, description: 'How many people fit in' })),
    ),
    cancellation_notice_hours: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 999_999, description: 'Latest cancellation before the start' }),
    ),
    is_active: Type.Optional(Type.Boolean({ description: 'Whether it takes bookings' })),
    amenities: Type.Optional(
      Type.Array(text('Such as wifi', LONGEST.amenity), { maxItems: LONGEST.entries }),
    ),
    photo_urls: Type.Optional(
      Type.Array(text('Address of a picture', LONGEST.photoUrl), { maxItems: LONGEST.entries }),
    ),
    calendars: Type.Optional(Type.Array(Calendar, { description: 'Foreign calendars that block its hours' })),
  },
  CLOSED,
);

const Key = Type.Object(
  {
    ref: refOf('key', 'those of its host'),
    environment: Type.Optional(Environment),
    name: text('What it is for'),
    scopes: Type.Optional(
      Type.Array(Type.Enum(SCOPES), {
        minItems: 1,
        uniqueItems: true,
        description: 'What it may do; all unless given. Cannot change later',
      }),
    ),
    expires_at: Type.Optional(
      Type.Nullable(Type.String({ description: 'RFC 3339 with a zone; null: never' })),
    ),
    invite: Type.Optional(
      Type.Boolean({ description: 'The host makes the key from a link that is printed, instead of the key' }),
    ),
  },
  CLOSED,
);

const Host = Type.Object(
  {
    ref: refOf('host', 'all hosts'),
    name: text('As you know them'),
    email: Type.String({ description: 'Nobody books their own space with it' }),
    timezone: { ...Timezone, description: 'IANA name; decides which month it is in reports' },
    currency: Type.String({ description: 'ISO 4217; all their prices are in it' }),
    commission_rate: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'The platform’s share; 0.1 unless given' }),
    ),
    settlement_modes: Type.Optional(
      Type.Array(Type.Enum(SETTLEMENT_MODES), {
        minItems: 1,
        uniqueItems: true,
        description: 'Which modes bookings may use; all unless given',
      }),
    ),
    max_booking_value: Type.Optional(
      Type.Nullable(amount('Most expensive booking, in major units; null: as BOOKING_MAX_VALUE says')),
    ),
    spaces: Type.Optional(Type.Array(Space)),
    keys: Type.Optional(Type.Array(Key)),
  },
  CLOSED,
);

export const File = Type.Object({ hosts: Type.Array(Host) }, CLOSED);

export type HostEntry = Static<typeof Host>;
export type SpaceEntry = Static<typeof Space>;
export type CalendarEntry = Static<typeof Calendar>;
export type KeyEntry = Static<typeof Key>;
export type File = Static<typeof File>;

/** For editors and for whoever writes such files by program. */
export const JSON_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'What hourkeep apply reads',
  ...File,
};
