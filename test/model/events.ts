// Events, and their way to the subscriptions (contract §8).
import { DAY, iso, MINUTE } from './time.ts';
import { ANY, fresh, type Account, type Emitted, type Sending } from './world.ts';
import type { Space, Webhook, World } from './world.ts';

/** Written with what it tells, where an active subscription wants it. */
export function emit(world: World, account: Account, type: string, data: Emitted['data']): void {
  const { now: at, requestId } = world;
  const subscribed = account.webhooks.filter(({ is_active, events }) => is_active && events.includes(type));
  if (subscribed.length === 0) return;
  const event = { id: fresh(world, 'event'), account, type, at, requestId, data };
  world.emitted.push(event);
  for (const webhook of subscribed)
    webhook.deliveries.push({
      event,
      status: 'pending',
      attempts: 0,
      attemptsOfSchedule: 0,
      mayBeReleased: false,
      before: null,
      response_status: null,
      error: null,
      last_attempt_at: null,
      next_attempt_at: at,
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

/** The pauses before each retry. */
const PAUSES = [5_000, 5 * MINUTE, 30 * MINUTE, 120 * MINUTE, 300 * MINUTE, 600 * MINUTE, 600 * MINUTE];
const SANDBOX_PAUSES = PAUSES.slice(0, 3);

/** Everything that is due is sent, unless the host is not active. */
export function deliverDue(world: World): ExpectedDelivery[] {
  const { now } = world;
  const made: ExpectedDelivery[] = [];
  const active = world.accounts.filter(({ host }) => host.isActive).flatMap(({ webhooks }) => webhooks);
  for (const webhook of active.filter(({ is_active }) => is_active)) {
    const secrets = webhook.secrets.filter(({ until }) => until > now).map(({ secret }) => secret);
    // The first failure disables it. Which one comes first, and what is on its way then, is open.
    const { status } = receiverOf(world, webhook);
    const isOptional = status === 410 || (isFailure(status) && hasFailedForDays(webhook, now));
    for (const sending of webhook.deliveries) {
      // The first attempt waits for no clock: one that is set back does not delay it.
      const isDue = sending.attempts === 0 || sending.next_attempt_at! <= now;
      if (sending.status !== 'pending' || !isDue) continue;
      if (isOptional) sending.before = { ...sending, before: null };
      const seen = () => attempt(world, webhook, sending);
      made.push({ webhook, event: sending.event, secrets, isOptional, seen });
      if (!isOptional) seen();
    }
  }
  return made;
}

const receiverOf = (world: World, { url }: Webhook) => world.receivers.get(url) ?? { status: 204 };
/** Redirects too. */
const isFailure = (status: number | 'lost'): boolean => status === 'lost' || status < 200 || status > 299;
const hasFailedForDays = ({ failingSince }: Webhook, now: number): boolean =>
  failingSince !== null && now - failingSince >= 5 * DAY;

function attempt(world: World, webhook: Webhook, sending: Sending): void {
  const { now } = world;
  const { status, retryAfter = 0 } = receiverOf(world, webhook);
  sending.attempts++;
  sending.attemptsOfSchedule++;
  sending.last_attempt_at = now;
  sending.mayBeReleased = false;
  sending.response_status = status === 'lost' ? null : status;
  sending.error = isFailure(status) ? ANY : null;
  if (sending.error === null) {
    Object.assign(sending, { status: 'delivered', next_attempt_at: null });
    webhook.failingSince = null;
    return;
  }
  webhook.failingSince ??= now;
  const pauses = webhook.account.environment === 'sandbox' ? SANDBOX_PAUSES : PAUSES;
  const pause = pauses[sending.attemptsOfSchedule - 1];
  if (pause === undefined) Object.assign(sending, { status: 'failed', next_attempt_at: null });
  else {
    // The receiver can only lengthen the pause.
    const longer = Math.max(pause, retryAfter * 1000);
    sending.next_attempt_at = now + Math.ceil(longer * (1 + 0.2 * world.settings.jitter));
  }
  if (status === 410) disable(webhook, now, 'receiver_gone');
  else if (hasFailedForDays(webhook, now)) disable(webhook, now, 'five_days_of_failures');
}

export function disable(webhook: Webhook, now: number, reason: string): void {
  Object.assign(webhook, { is_active: false, disabled_reason: reason, updated_at: now });
}

/** Another receiver, or another try: what failed before does not count, and whatever is pending is due at once. */
export function startAnew(webhook: Webhook, now: number): void {
  webhook.failingSince = null;
  for (const sending of webhook.deliveries)
    if (sending.status === 'pending' && (sending.last_attempt_at ?? Infinity) <= now)
      sending.next_attempt_at = Math.min(sending.next_attempt_at!, now);
}
