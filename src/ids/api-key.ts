import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const ENVIRONMENTS = ['production', 'sandbox'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = /^hk_(?:live|test)_[0-9A-Za-z]{36}$/;

export function newApiKey(environment: Environment): string {
  const prefix = environment === 'production' ? 'hk_live_' : 'hk_test_';
  const secret = Array.from({ length: 30 }, () => ALPHABET[randomInt(62)]).join('');
  return prefix + secret + checksum(prefix + secret);
}

/** Finds mistyped and truncated keys by their checksum, without asking the database. */
export function isWellFormedApiKey(key: string): boolean {
  return FORM.test(key) && checksum(key.slice(0, -6)) === key.slice(-6);
}

/** What the database keeps. Keys carry 178 random bits, so a plain fast hash is enough. */
export function hashApiKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** Whether a key may be used at this moment, and if not, why. An expired key is refused like a revoked one. */
export function keyStatus(
  key: { revoked_at: number | null; expires_at: number | null },
  now: number,
): 'active' | 'expired' | 'revoked' {
  if (key.revoked_at !== null) return 'revoked';
  return key.expires_at !== null && key.expires_at <= now ? 'expired' : 'active';
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < 6; i++) {
    digits = ALPHABET.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
