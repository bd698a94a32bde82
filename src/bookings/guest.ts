import type { Environment } from '../ids/api-key.ts';

/**
 * An address as we compare it: lower case and without a plus-tag, since Ada+spring@example.com reads the
 * same letterbox as ada@example.com.
 */
export function guestKey(email: string): string {
  const lower = email.trim().toLowerCase();
  const at = lower.lastIndexOf('@');
  const local = lower.slice(0, at);
  const plus = local.indexOf('+');
  return (plus > 0 ? local.slice(0, plus) : local) + lower.slice(at);
}

/** A text as names are compared: without case, accents and the differences that compatibility forms make (NFKD). */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text.normalize('NFKD').replaceAll(COMBINING_MARKS, '').toLowerCase();
}

/** Whether a booking's guest has these letters in their name or address. */
export function isGuest(letters: string): (booking: { guest_name: string; guest_email: string }) => boolean {
  const wanted = fold(letters);
  return ({ guest_name, guest_email }) =>
    fold(guest_name).includes(wanted) || fold(guest_email).includes(wanted);
}

// oxlint-disable-next-line no-control-regex
const ASCII = /^[\0-\x7f]*$/;
const COMBINING_MARKS = /\p{M}/gu;

/** Guests that behave as their address says, in the sandbox only, so that integrators can try every outcome. */
const SANDBOX_GUESTS = ['complete', 'pay', 'conflict', 'velocity', 'keep'] as const;

/** Undefined for other guests, and in production for all. */
export function sandboxGuest({ environment, guest_key }: { environment: Environment; guest_key: string }) {
  if (environment !== 'sandbox') return undefined;
  return SANDBOX_GUESTS.find((name) => guest_key === `${name}@sandbox.test`);
}
