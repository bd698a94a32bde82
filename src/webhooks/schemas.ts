import { EVENT_TYPES } from '../events/events.ts';
import { component, count, idOf, timestamp } from '../http/input/schemas.ts';
import { Type, type Static } from '../http/input/type.ts';

/** Subscriptions that a host may have in one environment. */
export const MOST_PER_ENVIRONMENT = 20;
export const DISABLED_REASONS = ['receiver_gone', 'five_days_of_failures', 'operator'] as const;
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;

const EventName = Type.Enum(EVENT_TYPES, { description: 'The kind of event' });

const EventNames = Type.Array(EventName, {
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  uniqueItems: true,
  description: 'Which events to send',
});

const Url = Type.String({
  maxLength: 2048,
  description:
    'Where to send them: an https address on the public internet, without credentials or white space; any port',
});

const Description = Type.String({ maxLength: 500, description: 'A note for yourself: what it is for' });

const Secret = Type.String({
  maxLength: 64,
  pattern: '^whsec_[A-Za-z0-9+/]+={0,2}$',
  description: 'Verifies deliveries. Shown when it is made and never again.',
});

const Delivery = component(
  'WebhookDelivery',
  Type.Object(
    {
      event_id: { ...idOf('the event'), description: 'The `webhook-id` of every attempt' },
      type: EventName,
      status: Type.Enum(DELIVERY_STATUSES, { description: '`failed`: given up after the last retry' }),
      attempts: count('Number of attempts so far, with those before the operator sent it again'),
      response_status: Type.Nullable(
        Type.Integer({ minimum: 100, maximum: 999, description: 'What the receiver last answered' }),
      ),
      error: Type.Nullable(
        Type.String({
          maxLength: 40,
          pattern: '^[a-z_]+$',
          description:
            'Why the last attempt failed: `unsuccessful_status`, `redirect`, `timeout`, `connect_timeout`, `connection_refused`, `connection_reset`, `dns_failure`, `blocked_address`, `tls_error`, `invalid_response`, `too_large`, `unreachable`, `network_error` or `internal_error` (ours)',
        }),
      ),
      last_attempt_at: Type.Nullable(timestamp('When the last attempt was made')),
      next_attempt_at: Type.Nullable(
        timestamp('When the next attempt is due. Null when there will be none, and while one is under way'),
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
      id: idOf('the subscription'),
      url: Url,
      events: Type.Array(EventName, { maxItems: EVENT_TYPES.length, description: 'Which events are sent' }),
      description: Type.Nullable(Description),
      is_active: Type.Boolean({
        description:
          'While false nothing new is gathered; what is pending is kept, and due at once when true again',
      }),
      disabled_reason: Type.Nullable(
        Type.Enum(DISABLED_REASONS, {
          description:
            'Why it was switched off: the receiver answered 410, nothing but failures for five days, or the operator did it, and only they can switch it on again. Null while active and when you switched it off.',
        }),
      ),
      created_at: timestamp('When it was made'),
      updated_at: timestamp('When it last changed'),
      recent_deliveries: Type.Array(Delivery, { maxItems: 10, description: 'The ten newest, newest first' }),
      secret: Type.Optional(Secret),
    },
    { description: 'A subscription to events' },
  ),
);

export type Webhook = Static<typeof Webhook>;

export const OneWebhook = Type.Object({ webhook: Webhook });

export const AllWebhooks = Type.Object({
  webhooks: Type.Array(Webhook, { maxItems: MOST_PER_ENVIRONMENT, description: 'Oldest first' }),
});

export const DeletedWebhook = Type.Object({
  id: idOf('the subscription'),
  deleted: Type.Literal(true, { description: 'Always true' }),
});

export const CreateWebhook = component(
  'CreateWebhook',
  Type.Object(
    { url: Url, events: EventNames, description: Type.Optional(Type.Nullable(Description)) },
    { additionalProperties: false, description: 'What to send, and where' },
  ),
);

export type CreateWebhook = Static<typeof CreateWebhook>;

export const UpdateWebhook = component(
  'UpdateWebhook',
  Type.Object(
    {
      url: Type.Optional(Url),
      events: Type.Optional(EventNames),
      description: Type.Optional(Type.Nullable(Description)),
      is_active: Type.Optional(Type.Boolean({ description: 'Switches it on or off' })),
      rotate_secret: Type.Optional(
        Type.Literal(true, {
          description: 'Make a new secret, answered once; the old one signs along for 24 hours',
        }),
      ),
    },
    { additionalProperties: false, minProperties: 1, description: 'At least one of these fields' },
  ),
);

export type UpdateWebhook = Static<typeof UpdateWebhook>;
