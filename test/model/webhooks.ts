// Webhook subscriptions (contract §8).
import { EVENT_TYPES, makeDue } from './events.ts';
import * as input from './input.ts';
import { invalid, notFound, type Body, type Check } from './input.ts';
import type { Answer, Call } from './requests.ts';
import { DAY, iso } from './time.ts';
import { actualOf, ANY, fresh, sortBy, type Webhook, type World } from './world.ts';

const MAX_WEBHOOKS = 20;
const RECENT = 10;
/** That sign at once; the contract names no number. */
const MAX_SECRETS = 5;

export function shownWebhook(world: World, webhook: Webhook) {
  const newest = sortBy(webhook.deliveries, ({ event }) => [actualOf(world, event.id)]).slice(-RECENT);
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events,
    description: webhook.description,
    is_active: webhook.isActive,
    disabled_reason: webhook.disabledReason,
    created_at: iso(webhook.createdAt),
    updated_at: iso(webhook.updatedAt),
    recent_deliveries: newest.toReversed().map((sending) => ({
      event_id: sending.event.id,
      type: sending.event.type,
      status: sending.status,
      attempts: sending.attempts,
      response_status: sending.responseStatus,
      error: sending.isError ? ANY : null,
      last_attempt_at: sending.lastAttemptAt === null ? null : iso(sending.lastAttemptAt),
      next_attempt_at: sending.nextAttemptAt === null ? null : iso(sending.nextAttemptAt),
    })),
  };
}

/** Public unicast only: the harness gives literal addresses. */
const isPublic = (value: string): boolean => {
  const { hostname } = new URL(value);
  return !/^(localhost$|127\.|10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|0\.|\[)/.test(hostname);
};
export const isGuardedUrl =
  (schemes: RegExp, max: number): Check =>
  (value) =>
    input.isUrl(schemes, max)(value) && isPublic((value as string).replace(/^webcal:/i, 'https:'));

const FIELDS: Record<string, Check> = {
  url: isGuardedUrl(/^https:/i, 2048),
  events: input.setOf(EVENT_TYPES),
  description: input.nullable(input.text(0, 500)),
};
const CHANGES: Record<string, Check> = { ...FIELDS, is_active: input.isBoolean, rotate_secret: input.isTrue };

export const listWebhooks = ({ world, account }: Call): Answer => ({
  data: { webhooks: account.webhooks.map((webhook) => shownWebhook(world, webhook)) },
});

export function createWebhook({ world, account, body, now }: Call): Answer {
  const given = input.checkBody(body, FIELDS, ['url', 'events']);
  if (account.webhooks.length >= MAX_WEBHOOKS) throw invalid();
  const secret = fresh(world, 'secret');
  const webhook: Webhook = {
    id: fresh(world, 'webhook'),
    account,
    url: given['url'] as string,
    events: given['events'] as string[],
    description: (given['description'] ?? null) as string | null,
    isActive: true,
    disabledReason: null,
    secrets: [{ secret, until: Infinity }],
    createdAt: now,
    updatedAt: now,
    failingSince: null,
    deliveries: [],
  };
  account.webhooks.push(webhook);
  return { status: 201, data: { webhook: { ...shownWebhook(world, webhook), secret } } };
}

function find({ account, id }: Call): Webhook {
  const webhook = account.webhooks.find((one) => one.id === id);
  if (webhook === undefined) throw notFound();
  return webhook;
}

export function updateWebhook(call: Call): Answer {
  const { world, now } = call;
  const given = input.checkBody(call.body, CHANGES, []);
  if (Object.keys(given).length === 0) throw invalid();
  const webhook = find(call);
  if (given['is_active'] === true && webhook.disabledReason === 'operator') throw invalid('is_active');
  const { url, events, description, is_active: isActive } = given as Body & Partial<Webhook>;
  const wasActive = webhook.isActive;
  const isNewUrl = url !== undefined && url !== webhook.url;
  if (url !== undefined) webhook.url = url;
  if (events !== undefined) webhook.events = events;
  if (description !== undefined) webhook.description = description;
  if (isActive !== undefined) webhook.isActive = isActive as boolean;
  if (isActive === true && !wasActive) webhook.disabledReason = null;
  // Another receiver, or another try: what failed before does not count.
  if ((isActive === true && !wasActive) || isNewUrl) {
    webhook.failingSince = null;
    makeDue(webhook, now);
  }
  const rotated = given['rotate_secret'] === true ? fresh(world, 'secret') : undefined;
  if (rotated !== undefined) {
    // The old one signs along for a day.
    const [old, ...older] = webhook.secrets;
    const ending = [{ secret: old!.secret, until: now + DAY }, ...older.filter(({ until }) => until > now)];
    webhook.secrets = [{ secret: rotated, until: Infinity }, ...ending].slice(0, MAX_SECRETS);
  }
  webhook.updatedAt = now;
  const data = shownWebhook(world, webhook);
  return { data: { webhook: rotated === undefined ? data : { ...data, secret: rotated } } };
}

export function deleteWebhook(call: Call): Answer {
  const webhook = find(call);
  call.account.webhooks.splice(call.account.webhooks.indexOf(webhook), 1);
  return { data: { id: webhook.id, deleted: true } };
}
