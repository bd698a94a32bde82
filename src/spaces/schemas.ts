import type { Static } from 'typebox';
import {
  component,
  Count,
  Currency,
  Id,
  nullable,
  RepeatedSpaceId,
  Timezone,
} from '../http/input/schemas.ts';
import { Type } from '../http/input/type.ts';
import { SPACE_TEXT_LENGTHS } from './text-lengths.ts';

const OperatingHours = Type.Object(
  {
    start_hour: Type.Integer({ minimum: 0, maximum: 23, description: 'First hour of the day that opens' }),
    end_hour: Type.Integer({ minimum: 1, maximum: 24, description: 'Exclusive: 22 closes at 22:00' }),
  },
  { description: 'Local hours; 0 to 24 is always open' },
);

export const Space = component(
  'Space',
  Type.Object(
    {
      id: Id,
      title: Type.String({ maxLength: SPACE_TEXT_LENGTHS.title }),
      category_slug: Type.String({ maxLength: SPACE_TEXT_LENGTHS.categorySlug }),
      description: nullable(Type.String({ maxLength: SPACE_TEXT_LENGTHS.description })),
      address: Type.String({ maxLength: SPACE_TEXT_LENGTHS.address }),
      area: Type.String({ maxLength: SPACE_TEXT_LENGTHS.area }),
      price_per_hour: Type.Number({ minimum: 0, description: 'In major units of `currency`' }),
      capacity: nullable(Type.Integer({ minimum: 0, maximum: 999_999 })),
      operating_hours: OperatingHours,
      rating: Type.Number({ minimum: 0, maximum: 5 }),
      review_count: Count,
      is_active: Type.Boolean({ description: 'An inactive space takes no bookings' }),
      amenities: Type.Array(Type.String({ maxLength: SPACE_TEXT_LENGTHS.amenity }), {
        maxItems: SPACE_TEXT_LENGTHS.entries,
      }),
      photo_urls: Type.Array(Type.String({ maxLength: SPACE_TEXT_LENGTHS.photoUrl }), {
        maxItems: SPACE_TEXT_LENGTHS.entries,
      }),
      timezone: {
        ...Timezone,
        description: 'IANA name; dates and hours of this space are on its wall clock',
      },
      currency: Currency,
    },
    { description: 'A space that a host rents out by the hour' },
  ),
);

export type Space = Static<typeof Space>;

export const exampleSpace: Space = {
  id: '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01',
  title: 'Riverside Studio',
  category_slug: 'studio',
  description: 'Daylight studio with a white cyclorama',
  address: '12 Wharf Street, Brooklyn, NY',
  area: 'Brooklyn',
  price_per_hour: 45,
  capacity: 12,
  operating_hours: { start_hour: 0, end_hour: 24 },
  rating: 4.8,
  review_count: 127,
  is_active: true,
  amenities: ['wifi', 'parking'],
  photo_urls: ['https://images.example.com/riverside-1.jpg'],
  timezone: 'America/New_York',
  currency: 'USD',
};

export const UpdateListing = component(
  'UpdateListing',
  Type.Object(
    {
      space_id: Type.Optional(RepeatedSpaceId),
      title: Type.Optional(Type.String({ minLength: 1, maxLength: SPACE_TEXT_LENGTHS.title })),
      price: Type.Optional(
        Type.Number({
          minimum: 0,
          description: 'The new `price_per_hour`, with no more decimals than the currency has',
        }),
      ),
      is_active: Type.Optional(Type.Boolean()),
    },
    {
      additionalProperties: false,
      minProperties: 1,
      description: 'At least one of `title`, `price`, `is_active`',
    },
  ),
);

export type UpdateListing = Static<typeof UpdateListing>;
