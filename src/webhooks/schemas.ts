import { EVENT_TYPES } from '../events/events.ts';
import {
  chosen,
  isShownToHost,
  newProperties,
  recordProperties,
  requestProperties,
  type NewOf,
} from '../fields/fields.ts';
import { component, count, idOf, timestamp } from '../http/input/schemas.ts';
import { Type, type Schema, type Static } from '../http/input/type.ts';
import { WEBHOOK, type Subscription } from './fields.ts';

/** Subscriptions that a host may have in one environment. */
export const MAX_WEBHOOKS_PER_ENVIRONMENT = 20;
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;

const EventName = Type.Enum(EVENT_TYPES, { description: 'The kind of event' });

const Secret = Type.String({
  maxLength: 64,
  pattern: '^whsec_[A-Za-z0-9+/]+={0,2}$',
  description: 'Verifies deliveries. Shown once, when it is created.',
});

const Delivery = component(
  'WebhookDelivery',
  Type.Object(
    {
      event_id: { ...idOf('the event'), description: 'The `webhook-id` of every attempt' },
      type: EventName,
      status: Type.Enum(DELIVERY_STATUSES, { description: '`failed`: the last retry failed' }),
      attempts: count('Number of attempts so far, including those before the operator resent it'),
      response_status: Type.Nullable(
        Type.Integer({ minimum: 100, maximum: 999, description: 'Status of the receiver’s last response' }),
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
        timestamp('When the next attempt is due. Null when there will be none, and while one is in flight'),
      ),
    },
    { description: 'One event for one subscription' },
  ),
);

export type Delivery = Static<typeof Delivery>;

const recent_deliveries = Type.Array(Delivery, {
  maxItems: 10,
  description: 'The ten newest, newest first',
});

export type Webhook = Subscription & { recent_deliveries: Delivery[]; secret?: string };

export const Webhook = component(
  'Webhook',
  Type.Object(
    {
      ...recordProperties(chosen(WEBHOOK, isShownToHost)),
      recent_deliveries,
      secret: Type.Optional(Secret),
    },
    { description: 'A subscription to events' },
  ) as Schema<Webhook>,
);

export const OneWebhook = Type.Object({ webhook: Webhook });

export const AllWebhooks = Type.Object({
  webhooks: Type.Array(Webhook, { maxItems: MAX_WEBHOOKS_PER_ENVIRONMENT, description: 'Oldest first' }),
});

export const DeletedWebhook = Type.Object({
  id: idOf('the subscription'),
  deleted: Type.Literal(true, { description: 'Always true' }),
});

const { is_active: _, ...given } = WEBHOOK;

export type CreateWebhook = NewOf<typeof given>;

export const CreateWebhook = component(
  'CreateWebhook',
  Type.Object(newProperties(given), {
    additionalProperties: false,
    description: 'What to send, and where',
  }) as Schema<CreateWebhook>,
);

export const UpdateWebhook = component(
  'UpdateWebhook',
  Type.Object(
    {
      ...requestProperties(WEBHOOK),
      rotate_secret: Type.Optional(
        Type.Literal(true, {
          description: 'Create a new secret, returned once; the old one also signs for 24 hours',
        }),
      ),
    },
    { additionalProperties: false, minProperties: 1, description: 'At least one of these fields' },
  ),
);

export type UpdateWebhook = Static<typeof UpdateWebhook>;
