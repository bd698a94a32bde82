import { createHmac, randomBytes } from 'node:crypto';

// Standard Webhooks (standardwebhooks.com): HMAC-SHA256 over "id.timestamp.body".

const PREFIX = 'whsec_';

export function newSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

export function isSecret(text: string): boolean {
  return /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(text);
}

/** Signed by every secret that is valid now, the newest first: a receiver needs to know only one of them. */
export function signedHeaders(secrets: readonly string[], id: string, epochMs: number, body: string) {
  const timestamp = String(Math.floor(epochMs / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
