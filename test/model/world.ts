// Everything the contract says that the service remembers, as plain data. What has a name in the API has it here too; amounts are in minor
// units and times in epoch milliseconds, and `shown` of money.ts writes both as the API does.
import type { ExternalCalendar, Receiver, Settings } from '../simulate/operation.ts';
import type { Kept } from './bookings.ts';
import { notFound } from './input.ts';
import type { Window } from './limit.ts';
import type { Listing } from './spaces.ts';

export type Environment = 'production' | 'sandbox';

export interface Host {
  id: string;
  name: string;
  email: string;
  timezone: string;
  currency: string;
  /** Commission, in millionths. */
  rate: number;
  modes: string[];
  /** Null: the setting's. */
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
  expires_at: number | null;
  isRevoked: boolean;
  admitted: Window;
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
  /** The reports of closed months, as they were then. */
  closed: Map<string, Report>;
  /** Its first month, once that stays what it is. */
  first?: string;
}

export interface Range {
  start_hour: number;
  end_hour: number;
}
export type Rules = Record<'min_hours' | 'max_hours' | 'lead_hours' | 'horizon_days', number | null>;

export interface Space extends Listing {
  account: Account;
  noticeHours: number;
  feedToken: string;
  /** By date: who holds each hour. */
  held: Map<string, (Holder | undefined)[]>;
  calendars: Calendar[];
}

/** One hour has one holder. A block's serial tells it from others. */
export type Holder = Booking | { serial: number; reason: string | null };

/** What whoever makes a booking decides. */
export interface Wanted extends Range, Kept {
  space: Space;
  source: 'api' | 'platform';
  date: string;
  guest_name: string;
  guest_email: string;
  guest_phone: string | null;
  settlement_mode: string;
  walk_in: boolean;
  idempotency_key: string | null;
}

export interface Booking extends Wanted {
  id: string;
  status: 'confirmed' | 'cancelled' | 'completed';
  timezone: string;
  starts_at: number;
  ends_at: number;
  price_per_hour: number;
  total_price: number;
  rate: number;
  payment_status: 'host_collected' | 'pending' | 'confirmed' | 'refunded';
  paid_at: number | null;
  refunded_at: number | null;
  payments: Payment[];
  cancellation_reason: string | null;
  cancelled_at: number | null;
  replaces: string | null;
  replaced_by: string | null;
  created_at: number;
  updated_at: number;
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
}

export interface Payout {
  id: string;
  amount: number;
  reference: string | null;
  paid_on: string;
  month: string;
  recorded_at: number;
  voided_at: number | null;
  /** Takes back a payout of a closed month. */
  isCounter: boolean;
}

export interface Adjustment {
  /** In whose report it stands. */
  inMonth: string;
  kind: 'payment_confirmed' | 'payment_voided' | 'refunded' | 'late_booking';
  booking_id: string;
  month: string;
  recorded_at: number;
  payout_due: number;
  commission_due: number;
}

export type Report = Record<string, unknown> & { closing_balance: number };

export interface Webhook {
  account: Account;
  id: string;
  url: string;
  events: string[];
  description: string | null;
  is_active: boolean;
  disabled_reason: string | null;
  created_at: number;
  updated_at: number;
  /** The present one first. The others sign until then. */
  secrets: { secret: string; until: number }[];
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
  response_status: number | null;
  error: string | null;
  last_attempt_at: number | null;
  next_attempt_at: number | null;
  /** It may have been due anew when the process that had it in flight ended. */
  mayBeReleased: boolean;
  /** What it was before an attempt that disables the subscription. */
  before: Sending | null;
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
  last_synced_at: number | null;
  nextPollAt: number;
  failures: number;
  /** The first of the polls in a row that found a calendar without events where there had been some, and their number. */
  emptySince: number | null;
  emptyPolls: number;
  /** `date hour` of the hours it holds. */
  busy: Set<string>;
}

export interface Cursor {
  filter: string;
  after: (string | number)[];
  total: number;
  syncedTo: string | null;
}

export const newWorld = (settings: Settings) => ({
  settings,
  now: 0,
  /** Of the request that is being answered. */
  requestId: null as string | null,
  hosts: [] as Host[],
  accounts: [] as Account[],
  keys: new Map<string, Key>(),
  spaces: new Map<string, Space>(),
  bookings: new Map<string, Booking>(),
  cursors: new Map<string, Cursor>(),
  receivers: new Map<string, Pick<Receiver, 'status' | 'retryAfter'>>(),
  served: new Map<string, ExternalCalendar['serves']>(),
  /** The next polls come in the opposite order. */
  pollsTurned: false,
  feedReads: new Map<string, Window>(),
  /** Names of what is in feeds: of the entry of a booking, of the tag of a content. */
  feedNames: new Map<string, string>(),
  /** What the model calls by names of its own, and what the service chose for it. */
  actual: new Map<string, string>(),
  named: new Map<string, string>(),
  serial: 0,
  /** By the present operation. */
  emitted: [] as Emitted[],
});

export type World = ReturnType<typeof newWorld>;

/** A value that only the service can choose. Whoever compares learns what it chose. */
export const fresh = (world: World, kind: string): string => `‹${kind} ${++world.serial}›`;
/** A value about which the contract says nothing. */
export const ANY = '‹any›';

/** How the model calls what a caller names. */
export const nameOf = (world: World, given: unknown): string =>
  typeof given === 'string' ? (world.named.get(given) ?? world.named.get(given.toLowerCase()) ?? given) : '';
/** What the service calls it: ids sort by that. */
export const actualOf = (world: World, name: string): string => world.actual.get(name) ?? name;

/** The space that the path names. */
export function spaceOf({ world, account, id }: { world: World; account: Account; id: string }): Space {
  const space = world.spaces.get(id);
  if (space?.account !== account) throw notFound();
  return space;
}

export const sortBy = <Item>(items: Item[], keysOf: (item: Item) => (string | number)[]): Item[] =>
  items
    .map((item) => ({ item, keys: keysOf(item) }))
    .toSorted((a, b) => compareKeys(a.keys, b.keys))
    .map(({ item }) => item);

export function compareKeys(a: (string | number)[], b: (string | number)[]): number {
  for (const [i, one] of a.entries()) if (one !== b[i]) return one < b[i]! ? -1 : 1;
  return 0;
}

export function without<Item extends object, Name extends keyof Item>(
  item: Item,
  ...names: Name[]
): Omit<Item, Name> {
  const kept = Object.entries(item).filter(([name]) => !names.includes(name as Name));
  return Object.fromEntries(kept) as Omit<Item, Name>;
}

export const pick = <Item, Name extends keyof Item>(item: Item, ...names: Name[]): Pick<Item, Name> =>
  Object.fromEntries(names.map((name) => [name, item[name]])) as Pick<Item, Name>;

/** With any tag and in any case: the same guest. */
export const sameGuest = (email: string): string => email.toLowerCase().replace(/\+[^@]*(?=@)/, '');

/** What a guest of the sandbox stands for (contract §10). */
export function sandboxGuest({ environment }: Account, email: string): string | null {
  const guest = /^(complete|pay|conflict|velocity|keep)@sandbox\.test$/.exec(sameGuest(email));
  return environment === 'sandbox' && guest !== null ? guest[1]! : null;
}
