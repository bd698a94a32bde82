import { hash, randomUUID } from 'node:crypto';

/** Version 4, all random: unlike our ids it must not be guessable. */
export function newIcalToken(): string {
  return randomUUID();
}

export function hashIcalToken(token: string): string {
  return hash('sha256', token, 'hex');
}
