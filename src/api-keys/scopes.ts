/** What a key may do; each API operation asks for exactly one. */
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

export type Scope = (typeof SCOPES)[number];
