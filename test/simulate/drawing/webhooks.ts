import type { Operation, Request } from '../operation.ts';
import type { Account, Drawing } from './drawing.ts';

const EVENTS = [
  'booking.created',
  'booking.cancelled',
  'booking.completed',
  'availability.changed',
  'listing.updated',
  'payment.confirmed',
];

export function subscribe(g: Drawing, account: Account): Operation {
  const events = g.random.chance(0.6) ? EVENTS : [g.random.one(EVENTS)];
  return g.call(account, 'POST', '/api-webhooks/api/v1/webhooks', { url: g.hook(), events });
}

export function changeWebhook(g: Drawing, account: Account): Request {
  const random = g.random;
  const body = random.weighted<Record<string, unknown>>(
    [3, { is_active: true }],
    [2, { is_active: false }],
    [2, { url: g.hook() }],
    [1, { events: [random.one(EVENTS), random.one(EVENTS)] }],
    [1, { description: random.one(['mine', null]) }],
    [1, { rotate_secret: true }],
    [0.3, {}],
  );
  return g.call(account, 'PATCH', `/api-webhooks/api/v1/webhooks/${g.webhook(account)}`, body);
}
