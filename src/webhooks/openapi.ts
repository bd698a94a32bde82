import { exampleBooking, exampleCancelled } from '../bookings/operations.ts';
import type { EventType } from '../events/events.ts';
import { EVENT_DATA, type EventData } from '../events/schemas.ts';
import { component, idOf, timestamp } from '../http/input/schemas.ts';
import { Type } from '../http/input/type.ts';
import type { WebhookDocument } from '../http/openapi/webhooks.ts';
import { ENVIRONMENTS } from '../ids/api-key.ts';
import { exampleSpace } from '../spaces/operations.ts';

/** The six deliveries as the OpenAPI document describes them. */
export const webhookDocuments: readonly WebhookDocument[] = [
  delivery('booking.created', 'BookingCreatedEvent', {
    description: 'A booking was created, through this API or on the platform’s own site.',
    example: { booking: exampleBooking },
  }),
  delivery('booking.cancelled', 'BookingCancelledEvent', {
    description: 'A booking was cancelled; its hours are free again.',
    example: { booking: exampleCancelled },
  }),
  delivery('booking.completed', 'BookingCompletedEvent', {
    description: 'The end of a confirmed booking has passed.',
    example: {
      booking: { ...exampleBooking, status: 'completed', updated_at: '2027-03-18T16:00:03.000Z' },
    },
  }),
  delivery('availability.changed', 'AvailabilityChangedEvent', {
    description:
      'Hours of one date were taken or freed. Read the availability for the current state: events may arrive in any order.',
    example: {
      space_id: exampleBooking.space_id,
      date: exampleBooking.date,
      hours: [10, 11],
      cause: 'booking_created',
    },
  }),
  delivery('listing.updated', 'ListingUpdatedEvent', {
    description: 'Fields of a space changed; `changed` lists them.',
    example: { space: exampleSpace, changed: ['price_per_hour'] },
  }),
  delivery('payment.confirmed', 'PaymentConfirmedEvent', {
    description: 'The platform has received the guest’s payment for a platform-settled booking.',
    example: {
      booking: { ...exampleBooking, settlement_mode: 'platform_settled', payment_status: 'confirmed' },
    },
  }),
];

function delivery<Name extends EventType>(
  name: Name,
  schemaName: string,
  event: { description: string; example: EventData[Name] },
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
        data: EVENT_DATA[name],
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
