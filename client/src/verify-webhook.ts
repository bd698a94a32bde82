import type { WebhookEvent } from './document.ts';
import { HourkeepError } from './error.ts';

export interface WebhookDeliveryToVerify {
  /** The body exactly as it came: text or bytes, not an object that was parsed from it. */
  payload: string | Uint8Array | ArrayBuffer;
  /** Of the request: `Headers`, or an object such as Node's `request.headers`. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** `whsec_…`, from the answer that made the subscription or rotated its secret. */
  secret: string;
  /** How far the delivery's time may lie from now. Default: 300. */
  toleranceSeconds?: number | undefined;
}

/**
 * The event of a delivery whose signature is right (Standard Webhooks: HMAC-SHA256 of `id.timestamp.body`). Rejects with
 * `INVALID_SIGNATURE` when it cannot be trusted.
 */
export async function verifyWebhook(delivery: WebhookDeliveryToVerify): Promise<WebhookEvent> {
  const { headers, secret, toleranceSeconds = 300 } = delivery;
  const body = bytesOf(delivery.payload);
  const key = await importSecret(secret, 'verify');
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  // Written so that what is not a number is refused too.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds))
    throw distrust('it is too old, or from the future');
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  for (const signature of signatures.split(' ')) {
    const given = signature.startsWith('v1,') ? fromBase64(signature.slice(3)) : undefined;
    // WebCrypto compares in constant time. After a rotation there are two: one that fits is enough.
    if (given !== undefined && (await crypto.subtle.verify('HMAC', key, given, signed)))
      return JSON.parse(new TextDecoder().decode(body));
  }
  throw distrust('its signature does not match');
}

/** @internal */
export function bytesOf(payload: unknown): Uint8Array<ArrayBuffer> {
  if (typeof payload === 'string') return new TextEncoder().encode(payload);
  if (payload instanceof ArrayBuffer || payload instanceof Uint8Array) return new Uint8Array(payload);
  throw new TypeError('payload must be the raw body of the request, not what was parsed from it');
}

/** @internal */
export async function importSecret(secret: string | undefined, use: 'sign' | 'verify'): Promise<CryptoKey> {
  const bytes = fromBase64(secret?.replace(/^whsec_/, '') ?? '');
  if (!bytes?.length) throw new TypeError('secret must be the whsec_… of the subscription');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
}

function headerOf(headers: WebhookDeliveryToVerify['headers'], name: string): string {
  const found =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (!found?.length) throw distrust(`the header ${name} is missing`);
  return [found].flat().join(' ');
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** @internal */
export function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function distrust(why: string): HourkeepError {
  return new HourkeepError('INVALID_SIGNATURE', `This delivery cannot be trusted: ${why}`);
}
