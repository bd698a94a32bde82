import {
  amount,
  component,
  count,
  Currency,
  idOf,
  notBlank,
  RepeatedSpaceId,
  Timezone,
} from '../http/input/schemas.ts';
import { Type, type Static } from '../http/input/type.ts';
import { SPACE_TEXT_LENGTHS } from './text-lengths.ts';

/** The fields of the record that can change. The host changes title, price and is_active, the operator all of them. */
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
      capacity: Type.Nullable(
        Type.Integer({ minimum: 0, maximum: 999_999, description: 'How many people fit in, if known' }),
      ),
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
    },
    {
      additionalProperties: false,
      minProperties: 1,
      description: 'At least one of `title`, `price`, `is_active`',
    },
  ),
);

export type UpdateListing = Static<typeof UpdateListing>;
