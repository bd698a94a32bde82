import type { Static } from 'typebox';
import { EVENT_TYPES } from '../events/events.ts';
import { component, Count, Id, nullable, Timestamp } from '../http/input/schemas.ts';
import { Type } from '../http/input/type.ts';

const EventNames = Type.Array(Type.Enum(EVENT_TYPES), {
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  uniqueItems: true,
  description: 'Which events to send',
});

const Url = Type.String({
  maxLength: 2048,
  description: 'An https address on the public internet, without credentials; any port',
});

const Description = { maxLength: 500, description: 'For you: what it is for' };

const Secret = Type.String({
  maxLength: 64,
  pattern: '^whsec_[A-Za-z0-9+/]+={0,2}$',
  description: 'Verifies deliveries. Shown when it is made and never again.',
});

export const DISABLED_REASONS = ['receiver_gone', 'five_days_of_failures'] as const;
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;

const Delivery = component(
  'WebhookDelivery',
  Type.Object(
    {
      event_id: { ...Id, description: 'The `webhook-id` of every attempt' },
      type: Type.Enum(EVENT_TYPES),
      status: Type.Enum(DELIVERY_STATUSES, { description: '`failed`: given up after the last retry' }),
      attempts: Count,
      response_status: nullable(
        Type.Integer({ minimum: 100, maximum: 999, description: 'What the receiver last answered' }),
      ),
      error: nullable(
        Type.String({
          maxLength: 40,
          pattern: '^[a-z_]+$',
          description:
            'Why the last attempt failed: `unsuccessful_status`, `redirect`, `timeout`, `connect_timeout`, `connection_refused`, `connection_reset`, `dns_failure`, `blocked_address`, `tls_error`, `invalid_response`, `too_large`, `unreachable`, `network_error` or `internal_error` (ours)',
        }),
      ),
      last_attempt_at: nullable(Timestamp),
      next_attempt_at: nullable(
        Type.String({
          format: 'date-time',
          description: 'Null when there will be none, and while one is under way',
        }),
      ),
    },
    { description: 'One event on its way to one subscription' },
  ),
);

export type Delivery = Static<typeof Delivery>;

export const Webhook = component(
  'Webhook',
  Type.Object(
    {
      id: Id,
      url: Url,
      events: Type.Array(Type.Enum(EVENT_TYPES), { maxItems: EVENT_TYPES.length }),
      description: nullable(Type.String(Description)),
      is_active: Type.Boolean({
        description: 'While false nothing new is gathered; what was due is kept and resumes when true again',
      }),
      disabled_reason: Type.Unsafe<(typeof DISABLED_REASONS)[number] | null>({
        type: ['string', 'null'],
        enum: [...DISABLED_REASONS, null],
        description:
          'Why the service switched it off: the receiver answered 410, or nothing but failures for five days. Null while active and when you switched it off.',
      }),
      created_at: Timestamp,
      updated_at: Timestamp,
      recent_deliveries: Type.Array(Delivery, { maxItems: 10, description: 'The ten newest, newest first' }),
      secret: Type.Optional(Secret),
    },
    { description: 'A subscription' },
  ),
);

export type Webhook = Static<typeof Webhook>;

export const CreateWebhook = component(
  'CreateWebhook',
  Type.Object(
    { url: Url, events: EventNames, description: Type.Optional(nullable(Type.String(Description))) },
    { additionalProperties: false },
  ),
);

export type CreateWebhook = Static<typeof CreateWebhook>;

export const UpdateWebhook = component(
  'UpdateWebhook',
  Type.Object(
    {
      url: Type.Optional(Url),
      events: Type.Optional(EventNames),
      description: Type.Optional(nullable(Type.String(Description))),
      is_active: Type.Optional(Type.Boolean()),
      rotate_secret: Type.Optional(
        Type.Literal(true, {
          description: 'Make a new secret, answered once; the old one signs along for 24 hours',
        }),
      ),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
);

export type UpdateWebhook = Static<typeof UpdateWebhook>;

export const exampleWebhook: Webhook = {
  id: '0199a3c5-1b20-7d4a-9a51-6c0e8f2b4d90',
  url: 'https://pms.example.com/hooks/hourkeep',
  events: ['booking.created', 'booking.cancelled', 'availability.changed'],
  description: 'Our property management system',
  is_active: true,
  disabled_reason: null,
  created_at: '2027-03-01T09:00:00.000Z',
  updated_at: '2027-03-01T09:00:00.000Z',
  recent_deliveries: [
    {
      event_id: '0199a3c4-9a71-7e02-b1d4-5a7c3e9f0b12',
      type: 'booking.created',
      status: 'delivered',
      attempts: 1,
      response_status: 204,
      error: null,
      last_attempt_at: '2027-03-01T09:30:00.120Z',
      next_attempt_at: null,
    },
  ],
};

export const exampleSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfPs0dR1Ic=';
