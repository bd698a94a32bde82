export type * from './document.ts';
export { EVENT_TYPES } from './document.ts';
export { HourkeepError, type ErrorCode, type ErrorDetails } from './error.ts';
export { Hourkeep, type BookingChanges } from './hourkeep.ts';
export type { CallOptions, HourkeepOptions } from './transport.ts';
export { verifyWebhook, type WebhookDeliveryToVerify } from './verify-webhook.ts';
