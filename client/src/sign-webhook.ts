import { bytesOf, importSecret, joined } from './verify-webhook.ts';

export interface WebhookToSign {
  /** The body as it will be sent. */
  payload: string | Uint8Array | ArrayBuffer;
  /** `whsec_…` */
  secret: string;
  /** Default: a new one. */
  id?: string | undefined;
  /** Seconds since 1970, or a date. Default: now. */
  timestamp?: number | Date | undefined;
}

/** The headers that the service would send with a delivery: for tests of your own receiver. */
export async function signWebhook({ payload, secret, id, timestamp }: WebhookToSign): Promise<{
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}> {
  const at = timestamp instanceof Date ? timestamp.getTime() / 1000 : (timestamp ?? Date.now() / 1000);
  const webhookId = id ?? `test_${Math.random().toString(36).slice(2)}`;
  const seconds = String(Math.floor(at));
  const signed = joined(new TextEncoder().encode(`${webhookId}.${seconds}.`), bytesOf(payload));
  const signature = await crypto.subtle.sign('HMAC', await importSecret(secret, 'sign'), signed);
  return {
    'webhook-id': webhookId,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${btoa(String.fromCharCode(...new Uint8Array(signature)))}`,
  };
}
