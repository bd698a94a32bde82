// Everything the contract says that the service remembers, as plain data, and the names of what only the service can choose.
import type { Settings } from './operation.ts';

export type Environment = 'production' | 'sandbox';
export type Mode = 'host_settled' | 'platform_settled';

export interface Host {
  id: string;
  name: string;
  email: string;
  timezone: string;
  currency: string;
  rateMillionths: number;
  modes: string[];
  /** Minor units; null: the setting's. */
  maxValue: number | null;
  isActive: boolean;
  /** The month, in its time zone. */
  createdIn: string;
}

export interface Key {
  id: string;
  secret: string;
  account: Account;
  scopes: string[];
  expiresAt: number | null;
  isRevoked: boolean;
  /** When requests of the last minute were admitted. */
  admitted: number[];
}

/** One host in one environment: all that a key can see. */
export interface Account {
  host: Host;
  environment: Environment;
  spaces: Space[];
  bookings: Booking[];
  webhooks: Webhook[];
  /** By idempotency key. */
  requests: Map<string, { request: string; booking: Booking }>;
  payouts: Payout[];
  adjustments: Adjustment[];
  /** The reports of closed months, as they were then, in minor units. */
  closed: Map<string, Report>;
}

export interface Range {
  start_hour: number;
  end_hour: number;
}
export interface Rules {
  min_hours: number | null;
  max_hours: number | null;
  lead_hours: number | null;
  horizon_days: number | null;
}

export interface Space {
  id: string;
  account: Account;
  timezone: string;
  noticeHours: number;
  feedToken: string;
  /** Minor units. */
  price: number;
  /** What the host sees, but for what is derived. */
  shown: {
    title: string;
    category_slug: string;
    description: string | null;
    address: string;
    area: string;
    capacity: number | null;
    operating_hours: Range;
    weekly_hours: Record<string, Range | null> | null;
    booking_rules: Rules;
    is_active: boolean;
    amenities: string[];
    photo_urls: string[];
  };
  /** By date: who holds each hour. */
  held: Map<string, (Holder | undefined)[]>;
  calendars: Calendar[];
}

/** One hour has one holder. */
export type Holder = Booking | Block;
export interface Block {
  /** Tells it from others. */
  serial: number;
  reason: string | null;
}
export const isBlock = (holder: Holder | undefined): holder is Block =>
  holder !== undefined && !('id' in holder);

export interface Booking {
  id: string;
  space: Space;
  status: 'confirmed' | 'cancelled' | 'completed';
  source: 'api' | 'platform';
  date: string;
  startHour: number;
  endHour: number;
  timezone: string;
  startsAt: number;
  endsAt: number;
  guest: { name: string; email: string; phone: string | null };
  pricePerHour: number;
  price: number;
  rateMillionths: number;
  mode: Mode;
  payment: 'host_collected' | 'pending' | 'confirmed' | 'refunded';
  paidAt: number | null;
  refundedAt: number | null;
  wasPaid: boolean;
  payments: Payment[];
  reference: string | null;
  notes: string | null;
  guestCount: number | null;
  walkIn: boolean;
  idempotencyKey: string | null;
  cancellationReason: string | null;
  cancelledAt: number | null;
  replaces: string | null;
  replacedBy: string | null;
  createdAt: number;
  updatedAt: number;
  /** When the unpaid booking is cancelled. */
  dueAt: number | null;
  /** Made for a day of a month that was closed already. */
  isLate: boolean;
}

export interface Payment {
  at: number;
  kind: 'confirmed' | 'voided' | 'refunded';
  reference: string | null;
  amount: number;
  actor: 'operator' | 'clock';
}

export interface Payout {
  id: string;
  amount: number;
  reference: string | null;
  paidOn: string;
  month: string;
  recordedAt: number;
  voidedAt: number | null;
  /** Takes back a payout of a closed month. */
  isCounter: boolean;
}

export interface Adjustment {
  inMonth: string;
  kind: 'payment_confirmed' | 'payment_voided' | 'refunded' | 'late_booking';
  booking: Booking;
  recordedAt: number;
  payoutDue: number;
  commissionDue: number;
}

/** In minor units, by the names of the API. */
export type Report = Record<string, unknown> & { closing_balance: number };

export interface Webhook {
  id: string;
  account: Account;
  url: string;
  events: string[];
  description: string | null;
  isActive: boolean;
  disabledReason: string | null;
  /** The present one first. The others sign until then. */
  secrets: { secret: string; until: number }[];
  createdAt: number;
  updatedAt: number;
  failingSince: number | null;
  deliveries: Sending[];
}

/** An event on its way to a subscription. */
export interface Sending {
  event: Emitted;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  /** Since the schedule began, which a resend does anew. */
  attemptsOfSchedule: number;
  responseStatus: number | null;
  isError: boolean;
  lastAttemptAt: number | null;
  nextAttemptAt: number | null;
}

export interface Emitted {
  id: string;
  account: Account;
  type: string;
  at: number;
  requestId: string | null;
  data: Record<string, unknown>;
}

export interface Calendar {
  id: string;
  url: string;
  status: 'waiting' | 'ok' | 'warning' | 'failing';
  lastSyncedAt: number | null;
  nextPollAt: number;
  failures: number;
  /** The first of the polls in a row that found a calendar without events where there had been some, and their number. */
  emptySince: number | null;
  emptyPolls: number;
  /** `date hour` of the hours it holds. */
  busy: Set<string>;
}

export interface World {
  settings: Settings;
  now: number;
  /** Of the request that is being answered. */
  requestId: string | null;
  hosts: Host[];
  accounts: Account[];
  keys: Map<string, Key>;
  spaces: Map<string, Space>;
  bookings: Map<string, Booking>;
  cursors: Map<string, Cursor>;
  receivers: Map<string, { status: number | 'lost'; retryAfter?: number }>;
  served: Map<string, { start: string; end: string }[] | 'broken' | 'lost' | number>;
  feedReads: Map<string, number[]>;
  /** Names of what is in feeds: of the entry of a booking, of the tag of a content. */
  feedNames: Map<string, string>;
  /** What the model calls by names of its own, and what the service chose for it. */
  actual: Map<string, string>;
  named: Map<string, string>;
  serial: number;
  emitted: Emitted[];
}

export interface Cursor {
  filter: string;
  after: (string | number)[];
  total: number;
  syncedTo: string | null;
}

export function newWorld(settings: Settings): World {
  return {
    settings,
    now: 0,
    requestId: null,
    hosts: [],
    accounts: [],
    keys: new Map(),
    spaces: new Map(),
    bookings: new Map(),
    cursors: new Map(),
    receivers: new Map(),
    served: new Map(),
    feedReads: new Map(),
    feedNames: new Map(),
    actual: new Map(),
    named: new Map(),
    serial: 0,
    emitted: [],
  };
}

/** A value that only the service can choose. `compare` learns what it chose. */
export const fresh = (world: World, kind: string): string => `‹${kind} ${++world.serial}›`;
/** A value about which the contract says nothing. */
export const ANY = '‹any›';

/** How the model calls what a caller names. */
export const nameOf = (world: World, given: unknown): string =>
  typeof given === 'string' ? (world.named.get(given) ?? world.named.get(given.toLowerCase()) ?? given) : '';
/** What the service calls it: ids sort by that. */
export const actualOf = (world: World, name: string): string => world.actual.get(name) ?? name;

export const sortBy = <Item>(items: Item[], keysOf: (item: Item) => (string | number)[]): Item[] =>
  items
    .map((item) => ({ item, keys: keysOf(item) }))
    .toSorted((a, b) => compareKeys(a.keys, b.keys))
    .map(({ item }) => item);

export function compareKeys(a: (string | number)[], b: (string | number)[]): number {
  for (const [i, one] of a.entries()) if (one !== b[i]) return one < b[i]! ? -1 : 1;
  return 0;
}

/** With any tag and in any case: the same guest. */
export const sameGuest = (email: string): string => email.toLowerCase().replace(/\+[^@]*(?=@)/, '');

/** What a guest of the sandbox stands for (contract §10). */
export function sandboxGuest(account: Account, email: string): string | null {
  const guest = /^(complete|pay|conflict|velocity|keep)@sandbox\.test$/.exec(sameGuest(email));
  return account.environment === 'sandbox' && guest !== null ? guest[1]! : null;
}
