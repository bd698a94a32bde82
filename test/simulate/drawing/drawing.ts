import { Random } from '../random.ts';
import type { Operation, Request, Settings } from '../operation.ts';

export type Engine = 'sqlite' | 'postgres';

export const SECOND = 1000;
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Just before clocks change or months end, somewhere. */
const STARTS = [
  '2027-02-26',
  '2027-03-12',
  '2027-03-26',
  '2027-10-02',
  '2027-10-29',
  '2027-12-30',
  '2028-02-27',
];
export const ZONES = [
  'America/New_York',
  'Europe/Vienna',
  'Asia/Tokyo',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
];
const DECIMALS: Record<string, number> = { USD: 2, EUR: 2, KRW: 0, KWD: 3 };
export const GUESTS = [
  'ada@example.com',
  'Ada+trip@example.com',
  'bob@example.com',
  'carl@example.com',
  'dee@example.com',
];
const SANDBOX_GUESTS = ['complete', 'pay', 'conflict', 'velocity', 'keep', 'keep+me'].map(
  (name) => `${name}@sandbox.test`,
);
const NAMES = ['Ada Miller', 'Bob Größe', 'Zoë %_ Łuk', '李小龍'];
export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
/** Of a public address that is never connected to. */
const SITE = 'https://93.184.216.34';
const NOBODY = '00000000-0000-7000-8000-000000000000';

export interface Host {
  id: string;
  email: string;
  currency: string;
}
export interface Account {
  host: Host;
  environment: 'production' | 'sandbox';
  /** With all scopes. */
  keys: string[];
  spaces: string[];
  bookings: string[];
  webhooks: string[];
  calendars: string[];
  /** Requests that named an idempotency key. */
  keyed: Request[];
}

/** What a generator knows, which is what responses said, and the values that it draws from that. */
export abstract class Drawing {
  readonly settings: Settings;
  readonly random: Random;
  readonly engine: Engine;
  readonly accounts: Account[] = [];
  /** Comes before anything else is drawn. */
  readonly queue: (() => Operation | undefined)[] = [];
  /** Keys that are of no use: revoked, without scopes, malformed. */
  readonly otherKeys: string[] = ['hk_live_000000000000000000000000000000000000', 'nonsense', ''];
  readonly keyIds: string[] = [];
  readonly payouts: string[] = [];
  readonly feeds: { space: string; token: string }[] = [];
  readonly cursors: { key: string; query: string; cursor: string }[] = [];
  readonly synced: string[] = ['1970-01-01T00:00:00Z'];
  now: number;
  /** Of the next step. */
  index = 0;
  /** So many operations find the disk full. */
  fullFor = 0;
  /** Whose the last drawn command is. */
  accountOfCommand: Account | undefined;
  #serial = 0;

  constructor(seed: number, engine: Engine, withFaults: boolean) {
    this.engine = engine;
    const random = new Random(seed);
    this.random = random;
    this.settings = {
      // Nobody knows whether a request was counted whose connection was cut.
      rateLimit:
        random.chance(0.3) && !(engine === 'postgres' && withFaults)
          ? { production: 12, sandbox: 5 }
          : { production: 0, sandbox: 0 },
      velocity: random.chance(0.5) ? { max: 3, windowMinutes: 60 } : { max: 10, windowMinutes: 60 },
      unpaidCancelMinutes: random.one([0, 30, 1440]),
      bookingMaxValue: 1_000_000,
      publicUrl: 'https://api.hourkeep.test',
      jitter: Math.round(random.next() * 1000) / 1000,
      calendarPauses: [15, 30, 60, 120, 240, 360].map((minutes) => minutes * MINUTE),
    };
    this.now =
      Date.parse(`${random.one(STARTS)}T00:00:00Z`) + random.below(24) * HOUR + random.below(3_600_000);
  }

  /** Anything, by weight. */
  abstract draw(): Operation | undefined;

  call(account: Account, method: string, path: string, body?: object): Request {
    return request(method, path, this.requestId(), `Bearer ${this.random.one(account.keys)}`, body);
  }

  requestId(): string {
    return `r${++this.#serial}`;
  }

  space(account: Account): string {
    return this.random.one(account.spaces);
  }

  /** Mostly one of the last ones: the clock soon completes them. */
  booking({ bookings }: Account): string {
    if (bookings.length === 0) return NOBODY;
    const among = this.random.weighted([5, bookings.slice(-3)], [3, bookings.slice(-12)], [2, bookings]);
    return this.#orEarlier(bookings, this.random.one(among));
  }

  webhook({ webhooks }: Account): string {
    return webhooks.length === 0 ? NOBODY : this.#orEarlier(webhooks, this.random.one(webhooks));
  }

  /** Where it is not known whether a step has made anything: or what the steps before it have made. */
  #orEarlier(references: readonly string[], chosen: string): string {
    if (this.engine === 'sqlite') return chosen;
    const [step, path] = chosen.split(':') as [string, string];
    const earlier = references
      .slice(0, references.indexOf(chosen))
      .filter((reference) => reference.endsWith(`:${path}`))
      .slice(-4)
      .map((reference) => reference.slice(2).split(':')[0]);
    return `${[step, ...earlier.toReversed()].join(',')}:${path}`;
  }

  guest({ environment, host }: Account): { guest_name: string; guest_email: string } {
    const random = this.random;
    const usual = random.chance(0.02) ? host.email.replace('@', '+me@').toUpperCase() : random.one(GUESTS);
    return {
      guest_name: random.one(NAMES),
      guest_email: environment === 'sandbox' && random.chance(0.4) ? random.one(SANDBOX_GUESTS) : usual,
    };
  }

  range(): { date: string; start_hour: number; end_hour: number } {
    const random = this.random;
    const start_hour = random.chance(0.8) ? random.between(9, 17) : random.below(24);
    return {
      date: this.date(),
      start_hour,
      end_hour: Math.min(24, start_hour + random.weighted([4, 1], [6, 2], [1, 3], [0.2, 24], [0.1, 0])),
    };
  }

  date(): string {
    const random = this.random;
    const days = random.weighted(
      [10, random.between(1, 4)],
      [4, 0],
      [0.5, -1],
      [1.5, random.between(5, 45)],
      [0.3, random.between(-40, -2)],
    );
    return shift(iso(this.now).slice(0, 10), days);
  }

  month(): string {
    return shift(iso(this.now).slice(0, 10), this.random.one([0, 0, -31, -31, -60, 31])).slice(0, 7);
  }

  amount(currency: string, about: number): string {
    const scale = currency === 'KRW' ? 1000 : 1;
    // Round ones meet a limit exactly.
    const factor = this.random.chance(0.5) ? 1 : 0.5 + this.random.next();
    return (about * scale * factor).toFixed(DECIMALS[currency]);
  }

  hook(): string {
    return `${SITE}/hook/${this.random.between(1, 4)}`;
  }

  calendarUrl(): string {
    return `${SITE}/cal/${this.random.between(1, 6)}.ics`;
  }

  accountOf(headers: Record<string, string>): Account | undefined {
    return this.accounts.find(({ keys }) => keys.some((key) => headers['authorization'] === `Bearer ${key}`));
  }
}

export function request(
  method: string,
  path: string,
  id: string,
  authorization?: string,
  body?: object,
): Request {
  const headers: Record<string, string> = { 'x-request-id': id };
  if (authorization !== undefined) headers['authorization'] = authorization;
  if (body !== undefined) headers['content-type'] = 'application/json';
  return { kind: 'request', method, path, headers, body: body === undefined ? null : JSON.stringify(body) };
}

/** A command without spaces in its words; those that may have some follow. */
export function command(text: string, ...words: readonly string[]): Operation {
  return { kind: 'command', argv: [...text.split(' '), ...words] };
}

/** Keeps the last 30. */
export function remember<Value>(list: Value[], value: Value): void {
  list.push(value);
  if (list.length > 30) list.shift();
}

export function iso(at: number): string {
  return new Date(at).toISOString();
}

export function shift(date: string, days: number): string {
  return iso(Date.parse(`${date}T00:00:00Z`) + days * DAY).slice(0, 10);
}
