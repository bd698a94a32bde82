// The catalogue of events. It needs the records of bookings and spaces: what an event carries is what the API answers.
import { Booking } from '../bookings/schemas.ts';
import { hoursOfDay, idOf, LocalDate } from '../http/input/schemas.ts';
import { Type, type Static } from '../http/input/type.ts';
import { LISTING_FIELDS } from '../spaces/fields.ts';
import { Space } from '../spaces/schemas.ts';

export const EVENT_TYPES = [
  'booking.created',
  'booking.cancelled',
  'booking.completed',
  'availability.changed',
  'listing.updated',
  'payment.confirmed',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

const AvailabilityCause = Type.Enum(
  ['booking_created', 'booking_cancelled', 'block_created', 'block_deleted', 'external_calendar'],
  { description: 'What changed the hours' },
);

export type AvailabilityCause = Static<typeof AvailabilityCause>;

const OneBooking = Type.Object(
  { booking: Booking },
  { description: 'The booking, as it was right after the event' },
);

/** The `data` of each event: what may be appended, and what the document says about deliveries. */
export const EVENT_DATA = {
  'booking.created': OneBooking,
  'booking.cancelled': OneBooking,
  'booking.completed': OneBooking,
  'availability.changed': Type.Object(
    {
      space_id: idOf('the space'),
      date: LocalDate,
      hours: hoursOfDay('The hours that were taken or freed'),
      cause: AvailabilityCause,
    },
    { description: 'The hours of one date' },
  ),
  'listing.updated': Type.Object(
    {
      space: Space,
      changed: Type.Array(Type.Enum(LISTING_FIELDS), {
        maxItems: LISTING_FIELDS.length,
        description: 'The fields that have a new value',
      }),
    },
    { description: 'The space, as it was right after the event' },
  ),
  'payment.confirmed': OneBooking,
} satisfies Record<EventType, unknown>;

/** Where an event has a booking, and so a guest: the name in its data. */
export const BOOKING_IN = {
  'booking.created': 'booking',
  'booking.cancelled': 'booking',
  'booking.completed': 'booking',
  'availability.changed': null,
  'listing.updated': null,
  'payment.confirmed': 'booking',
} as const satisfies { [Name in EventType]: EventData[Name] extends { booking: object } ? 'booking' : null };

/** What each event tells. */
export type EventData = { [Name in EventType]: Static<(typeof EVENT_DATA)[Name]> };
