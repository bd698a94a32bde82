import { hash, randomBytes } from 'node:crypto';

export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What the database keeps of it. A token has 122 random bits or more, so a plain fast hash is enough. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}
