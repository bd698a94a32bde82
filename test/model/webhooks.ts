// Webhook subscriptions (contract §8).
import { startAnew } from './events.ts';
import * as input from './input.ts';
import { invalid, notFound, type Body, type Check } from './input.ts';
import { shown } from './money.ts';
import type { Answer, Call } from './requests.ts';
import { DAY } from './time.ts';
import { actualOf, ANY, fresh, sortBy, without, type Webhook, type World } from './world.ts';

const EVENT_TYPES = [
  'booking.created',
  'booking.cancelled',
  'booking.completed',
  'availability.changed',
  'listing.updated',
  'payment.confirmed',
];
const MAX_WEBHOOKS = 20;
const RECENT = 10;
/** That sign at once; the contract names no number. */
const MAX_SECRETS = 5;

function shownWebhook(world: World, webhook: Webhook): Body {
  const newest = sortBy(webhook.deliveries, ({ event }) => [actualOf(world, event.id)]).slice(-RECENT);
  const recent_deliveries = newest
    .toReversed()
    .map(({ event, next_attempt_at: next, mayBeReleased, ...sending }) => ({
      ...without(sending, 'attemptsOfSchedule', 'before'),
      event_id: event.id,
      type: event.type,
      next_attempt_at: mayBeReleased ? ANY : next === null ? null : Math.max(next, event.at),
    }));
  const record = without(webhook, 'account', 'secrets', 'failingSince', 'deliveries');
  return shown({ ...record, recent_deliveries }, '');
}

const FIELDS: Record<string, Check> = {
  url: input.isPublicUrl(/^https:/i, 2048),
  events: input.setOf(EVENT_TYPES),
  description: input.nullable(input.text(0, 500)),
};
const CHANGES: Record<string, Check> = { ...FIELDS, is_active: input.isBoolean, rotate_secret: input.isTrue };

export const listWebhooks = ({ world, account }: Call): Answer => ({
  data: {
    webhooks: sortBy(account.webhooks, ({ id }) => [actualOf(world, id)]).map((webhook) =>
      shownWebhook(world, webhook),
    ),
  },
});

export function createWebhook({ world, account, body, now }: Call): Answer {
  const given = input.checkBody(body, FIELDS, ['url', 'events']);
  if (account.webhooks.length >= MAX_WEBHOOKS) throw invalid();
  const secret = fresh(world, 'secret');
  const webhook: Webhook = {
    account,
    id: fresh(world, 'webhook'),
    description: null,
    ...(given as Pick<Webhook, 'url' | 'events'>),
    is_active: true,
    disabled_reason: null,
    created_at: now,
    updated_at: now,
    secrets: [{ secret, until: Infinity }],
    failingSince: null,
    deliveries: [],
  };
  account.webhooks.push(webhook);
  return { status: 201, data: { webhook: { ...shownWebhook(world, webhook), secret } } };
}

function webhookOf({ account, id }: Call): Webhook {
  const webhook = account.webhooks.find((one) => one.id === id);
  if (webhook === undefined) throw notFound();
  return webhook;
}

export function updateWebhook(call: Call): Answer {
  const { world, now } = call;
  const given = input.checkBody(call.body, CHANGES);
  if (Object.keys(given).length === 0) throw invalid();
  const webhook = webhookOf(call);
  const isResumed = given['is_active'] === true && !webhook.is_active;
  const isMoved = (given['url'] ?? webhook.url) !== webhook.url;
  if (given['is_active'] === true && webhook.disabled_reason === 'operator') throw invalid('is_active');
  Object.assign(webhook, without(given, 'rotate_secret'), { updated_at: now });
  // One that the host pauses has no reason either.
  if (given['is_active'] !== undefined && webhook.disabled_reason !== 'operator')
    webhook.disabled_reason = null;
  if (isResumed || isMoved) startAnew(webhook, now);
  if (given['rotate_secret'] !== true) return { data: { webhook: shownWebhook(world, webhook) } };
  // The old one signs along for a day.
  const secret = fresh(world, 'secret');
  const [old, ...older] = webhook.secrets;
  const ending = [{ secret: old!.secret, until: now + DAY }, ...older.filter(({ until }) => until > now)];
  webhook.secrets = [{ secret, until: Infinity }, ...ending].slice(0, MAX_SECRETS);
  return { data: { webhook: { ...shownWebhook(world, webhook), secret } } };
}

export function deleteWebhook(call: Call): Answer {
  const webhook = webhookOf(call);
  call.account.webhooks.splice(call.account.webhooks.indexOf(webhook), 1);
  return { data: { id: webhook.id, deleted: true } };
}
