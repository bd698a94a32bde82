/** What a key may do, and does where nothing else is said; each API operation asks for exactly one. */
export const SCOPES = [
  'spaces:read',
  'availability:read',
  'bookings:read',
  'bookings:write',
  'settlement:read',
  'earnings:read',
  'blocks:write',
  'spaces:write',
  'webhooks:read',
  'webhooks:write',
] as const;

/** `keys:write` makes and revokes keys in the console. Only who is told to gets it. */
export const ALL_SCOPES = [...SCOPES, 'keys:write'] as const;

export type Scope = (typeof ALL_SCOPES)[number];
