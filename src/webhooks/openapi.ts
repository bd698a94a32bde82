import type { TSchema } from 'typebox';
import { Booking, exampleBooking, exampleCancelled } from '../bookings/schemas.ts';
import type { EventData, EventType } from '../events/events.ts';
import type { WebhookDocument } from '../http/openapi/webhooks.ts';
import { CalendarDate, component, Id } from '../http/input/schemas.ts';
import { Type } from '../http/input/type.ts';
import { exampleSpace, Space } from '../spaces/schemas.ts';

/** The six deliveries as the OpenAPI document describes them. */
export const webhookDocuments: readonly WebhookDocument[] = [
  delivery('booking.created', 'BookingCreatedEvent', {
    description: 'A booking was made, through this API or on the platform’s own site.',
    data: Type.Object({ booking: Booking }),
    example: { booking: exampleBooking },
  }),
  delivery('booking.cancelled', 'BookingCancelledEvent', {
    description: 'A booking was cancelled; its hours are free again.',
    data: Type.Object({ booking: Booking }),
    example: { booking: exampleCancelled },
  }),
  delivery('booking.completed', 'BookingCompletedEvent', {
    description: 'The end of a confirmed booking has passed.',
    data: Type.Object({ booking: Booking }),
    example: {
      booking: { ...exampleBooking, status: 'completed', updated_at: '2027-03-18T16:00:03.000Z' },
    },
  }),
  delivery('availability.changed', 'AvailabilityChangedEvent', {
    description:
      'Hours of one date were taken or freed. Read the availability to learn what they are now: events are not ordered.',
    data: Type.Object({
      space_id: Id,
      date: CalendarDate,
      hours: Type.Array(Type.Integer({ minimum: 0, maximum: 23 }), { maxItems: 24 }),
      cause: Type.Enum([
        'booking_created',
        'booking_cancelled',
        'block_created',
        'block_deleted',
        'external_calendar',
      ]),
    }),
    example: {
      space_id: exampleBooking.space_id,
      date: exampleBooking.date,
      hours: [10, 11],
      cause: 'booking_created',
    },
  }),
  delivery('listing.updated', 'ListingUpdatedEvent', {
    description: 'Fields of a space were changed; `changed` names them.',
    data: Type.Object({
      space: Space,
      changed: Type.Array(Type.Enum(['title', 'price_per_hour', 'is_active']), { maxItems: 3 }),
    }),
    example: { space: exampleSpace, changed: ['price_per_hour'] },
  }),
  delivery('payment.confirmed', 'PaymentConfirmedEvent', {
    description: 'The platform has received the guest’s payment for a platform-settled booking.',
    data: Type.Object({ booking: Booking }),
    example: {
      booking: { ...exampleBooking, settlement_mode: 'platform_settled', payment_status: 'confirmed' },
    },
  }),
];

function delivery<Name extends EventType>(
  name: Name,
  schemaName: string,
  event: { description: string; data: TSchema; example: EventData[Name] },
): WebhookDocument {
  const schema = component(
    schemaName,
    Type.Object({
      id: { ...Id, description: 'The event’s; equal to `webhook-id`, the same on every retry' },
      type: Type.Literal(name),
      timestamp: Type.String({ format: 'date-time', description: 'When it happened' }),
      api_version: Type.Literal('v1'),
      environment: Type.Enum(['production', 'sandbox']),
      data: event.data,
    }),
  );
  const example = {
    id: '0199a3c4-9a71-7e02-b1d4-5a7c3e9f0b12',
    type: name,
    timestamp: '2027-03-01T09:30:00.000Z',
    api_version: 'v1',
    environment: 'production',
    data: event.example,
  };
  return { name, tag: 'Webhooks', description: event.description, schema, example };
}
