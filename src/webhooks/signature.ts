import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

// Standard Webhooks (standardwebhooks.com): HMAC-SHA256 over "id.timestamp.body".

const PREFIX = 'whsec_';
const TOLERANCE_SECONDS = 300;

export function newSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

export function isSecret(text: string): boolean {
  return /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(text);
}

export interface SignedHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/** Signed by every secret that is valid now, the newest first: a receiver needs to know only one of them. */
export function signedHeaders(
  secrets: readonly string[],
  id: string,
  epochMs: number,
  body: string,
): SignedHeaders {
  const timestamp = String(Math.floor(epochMs / 1000));
  const signatures = secrets.map((secret) => `v1,${mac(secret, id, timestamp, body).toString('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** Why a delivery cannot be trusted, or null. */
export function signatureProblem(
  secret: string,
  headers: Readonly<Record<string, string | undefined>>,
  body: string,
  epochMs: number,
): string | null {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (id === undefined || timestamp === undefined || signatures === undefined) return 'not signed';
  if (!(Math.abs(epochMs / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return 'too old or too new';
  const expected = mac(secret, id, timestamp, body);
  const genuine = signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return (
      signature.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected)
    );
  });
  return genuine ? null : 'signature does not match';
}

function mac(secret: string, id: string, timestamp: string, body: string): Buffer {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
}
