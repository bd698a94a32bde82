import { exampleBooking, exampleCancelled } from '../bookings/operations.ts';
import { Booking } from '../bookings/schemas.ts';
import { AVAILABILITY_CAUSES, type EventType } from '../events/events.ts';
import { component, hoursOfDay, idOf, LocalDate, timestamp } from '../http/input/schemas.ts';
import { Type, type Schema } from '../http/input/type.ts';
import type { WebhookDocument } from '../http/openapi/webhooks.ts';
import { ENVIRONMENTS } from '../ids/api-key.ts';
import { LISTING_FIELDS } from '../spaces/fields.ts';
import { exampleSpace } from '../spaces/operations.ts';
import { Space } from '../spaces/schemas.ts';

const OneBooking = Type.Object(
  { booking: Booking },
  { description: 'The booking, as it was right after the event' },
);
export const HoursOfDate = Type.Object(
  {
    space_id: idOf('the space'),
    date: LocalDate,
    hours: hoursOfDay('The hours that were taken or freed'),
    cause: Type.Enum(AVAILABILITY_CAUSES, { description: 'What changed the hours' }),
  },
  { description: 'The hours of one date' },
);
export const ChangedSpace = Type.Object(
  {
    space: Space,
    changed: Type.Array(Type.Enum(LISTING_FIELDS), {
      maxItems: LISTING_FIELDS.length,
      description: 'The fields that have a new value',
    }),
  },
  { description: 'The space, as it was right after the event' },
);

/** The six deliveries as the OpenAPI document describes them. */
export const webhookDocuments: readonly WebhookDocument[] = [
  delivery('booking.created', 'BookingCreatedEvent', OneBooking, {
    description: 'A booking was created, through this API or on the platform’s own site.',
    example: { booking: exampleBooking },
  }),
  delivery('booking.cancelled', 'BookingCancelledEvent', OneBooking, {
    description: 'A booking was cancelled; its hours are free again.',
    example: { booking: exampleCancelled },
  }),
  delivery('booking.completed', 'BookingCompletedEvent', OneBooking, {
    description: 'The end of a confirmed booking has passed.',
    example: {
      booking: { ...exampleBooking, status: 'completed', updated_at: '2027-03-18T16:00:03.000Z' },
    },
  }),
  delivery('availability.changed', 'AvailabilityChangedEvent', HoursOfDate, {
    description:
      'Hours of one date were taken or freed. Read the availability for the current state: events may arrive in any order.',
    example: {
      space_id: exampleBooking.space_id,
      date: exampleBooking.date,
      hours: [10, 11],
      cause: 'booking_created',
    },
  }),
  delivery('listing.updated', 'ListingUpdatedEvent', ChangedSpace, {
    description: 'Fields of a space changed; `changed` lists them.',
    example: { space: exampleSpace, changed: ['price_per_hour'] },
  }),
  delivery('payment.confirmed', 'PaymentConfirmedEvent', OneBooking, {
    description: 'The platform has received the guest’s payment for a platform-settled booking.',
    example: {
      booking: { ...exampleBooking, settlement_mode: 'platform_settled', payment_status: 'confirmed' },
    },
  }),
];

function delivery<T>(
  name: EventType,
  schemaName: string,
  data: Schema<T>,
  event: { description: string; example: T },
): WebhookDocument {
  const schema = component(
    schemaName,
    Type.Object(
      {
        id: {
          ...idOf('the event'),
          description: 'The id of the event: equal to `webhook-id`, and the same on every retry',
        },
        type: Type.Literal(name, { description: 'The kind of event' }),
        timestamp: timestamp('When it happened'),
        api_version: Type.Literal('v1', { description: 'Version of the API' }),
        environment: Type.Enum(ENVIRONMENTS, { description: 'Environment of the event' }),
        request_id: Type.Nullable(
          Type.String({
            maxLength: 128,
            pattern: '^[A-Za-z0-9_-]+$',
            description:
              'The `X-Request-Id` of the API request that caused it; null if no request did, as for a payment or a completed booking',
          }),
        ),
        data,
      },
      { description: event.description },
    ),
  );
  const example = {
    id: '0199a3c4-9a71-7e02-b1d4-5a7c3e9f0b12',
    type: name,
    timestamp: '2027-03-01T09:30:00.000Z',
    api_version: 'v1',
    environment: 'production',
    request_id: '5f0c7c1e-7d3b-4c55-9a1e-0f2b7d6a4c31',
    data: event.example,
  };
  return { name, tag: 'Webhooks', description: event.description, schema, example };
}
