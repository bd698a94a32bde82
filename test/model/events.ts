// Events, and their way to the subscriptions (contract §8).
import { DAY, iso } from './time.ts';
import { ANY, fresh, type Account, type Emitted, type Sending } from './world.ts';
import type { Space, Webhook, World } from './world.ts';

export const EVENT_TYPES = [
  'booking.created',
  'booking.cancelled',
  'booking.completed',
  'availability.changed',
  'listing.updated',
  'payment.confirmed',
];

/** Written with what it tells, where an active subscription wants it. */
export function emit(world: World, account: Account, type: string, data: Emitted['data']): void {
  const { now: at, requestId } = world;
  const subscribed = account.webhooks.filter(({ isActive, events }) => isActive && events.includes(type));
  if (subscribed.length === 0) return;
  const event = { id: fresh(world, 'event'), account, type, at, requestId, data };
  world.emitted.push(event);
  for (const webhook of subscribed)
    webhook.deliveries.push({
      event,
      status: 'pending',
      attempts: 0,
      attemptsOfSchedule: 0,
      responseStatus: null,
      isError: false,
      lastAttemptAt: null,
      nextAttemptAt: at,
    });
}

/** One event for each date of which hours have changed. */
export function emitHours(world: World, space: Space, date: string, hours: number[], cause: string): void {
  if (hours.length === 0) return;
  const data = { space_id: space.id, date, hours: hours.toSorted((a, b) => a - b), cause };
  emit(world, space.account, 'availability.changed', data);
}

/** As it is delivered. */
export const bodyOf = ({ id, type, at, account, requestId, data }: Emitted) => ({
  id,
  type,
  timestamp: iso(at),
  api_version: 'v1',
  environment: account.environment,
  request_id: requestId,
  data,
});

/** An attempt that the worker makes now. `isOptional`: one of several of which the first disables the subscription. */
export interface ExpectedDelivery {
  webhook: Webhook;
  event: Emitted;
  secrets: string[];
  isOptional: boolean;
  /** What the attempt changes, where it was seen. */
  seen: () => void;
}

const MINUTE = 60_000;
/** The pauses before each retry. */
const PAUSES = [5_000, 5 * MINUTE, 30 * MINUTE, 120 * MINUTE, 300 * MINUTE, 600 * MINUTE, 600 * MINUTE];
const SANDBOX_RETRIES = 3;

/** Everything that is due is sent, unless the host is not active. */
export function deliverDue(world: World): ExpectedDelivery[] {
  const { now } = world;
  const made: ExpectedDelivery[] = [];
  for (const account of world.accounts.filter(({ host }) => host.isActive))
    for (const webhook of account.webhooks.filter(({ isActive }) => isActive)) {
      const isDue = ({ status, nextAttemptAt }: Sending) => status === 'pending' && nextAttemptAt! <= now;
      const secrets = webhook.secrets.filter(({ until }) => until > now).map(({ secret }) => secret);
      // The first failure disables it. Which one comes first, and what is on its way then, is open.
      const { status } = receiverOf(world, webhook);
      const isOptional = status === 410 || (isFailure(status) && hasFailedForDays(webhook, now));
      for (const sending of webhook.deliveries.filter(isDue)) {
        const seen = () => attempt(world, webhook, sending);
        made.push({ webhook, event: sending.event, secrets, isOptional, seen });
        if (!isOptional) seen();
      }
    }
  return made;
}

const receiverOf = (world: World, { url }: Webhook): { status: number | 'lost'; retryAfter?: number } =>
  world.receivers.get(url) ?? { status: 204 };
/** Redirects too. */
const isFailure = (status: number | 'lost'): boolean => status === 'lost' || status < 200 || status > 299;
const hasFailedForDays = ({ failingSince }: Webhook, now: number): boolean =>
  failingSince !== null && now - failingSince >= 5 * DAY;

function attempt(world: World, webhook: Webhook, sending: Sending): void {
  const { now } = world;
  const { status, retryAfter = 0 } = receiverOf(world, webhook);
  sending.attempts++;
  sending.attemptsOfSchedule++;
  sending.lastAttemptAt = now;
  sending.responseStatus = status === 'lost' ? null : status;
  sending.isError = isFailure(status);
  if (!sending.isError) {
    Object.assign(sending, { status: 'delivered', nextAttemptAt: null });
    webhook.failingSince = null;
    return;
  }
  webhook.failingSince ??= now;
  const pauses = webhook.account.environment === 'sandbox' ? PAUSES.slice(0, SANDBOX_RETRIES) : PAUSES;
  const pause = pauses[sending.attemptsOfSchedule - 1];
  if (pause === undefined) Object.assign(sending, { status: 'failed', nextAttemptAt: null });
  else {
    // The receiver can only lengthen the pause.
    const longer = Math.max(pause, retryAfter * 1000);
    sending.nextAttemptAt = now + Math.ceil(longer * (1 + 0.2 * world.settings.jitter));
  }
  if (status === 410 || hasFailedForDays(webhook, now)) disable(webhook, now, ANY);
}

export function disable(webhook: Webhook, now: number, reason: string): void {
  Object.assign(webhook, { isActive: false, disabledReason: reason, updatedAt: now });
}

/** Whatever is still pending is due at once. */
export function makeDue(webhook: Webhook, now: number): void {
  for (const sending of webhook.deliveries)
    if (sending.status === 'pending') sending.nextAttemptAt = Math.min(sending.nextAttemptAt!, now);
}
