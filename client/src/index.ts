export type * from './document.ts';
export { EVENT_TYPES } from './document.ts';
export { HourkeepError, type ErrorCode, type ErrorDetails, type Outcome } from './error.ts';
export { Hourkeep, type BookingChanges, type UpdatedSpace } from './hourkeep.ts';
export type { AnswerSeen, CallOptions, HourkeepOptions } from './transport.ts';
export { signWebhook, type WebhookToSign } from './sign-webhook.ts';
export { verifyWebhook, type WebhookDeliveryToVerify } from './verify-webhook.ts';
