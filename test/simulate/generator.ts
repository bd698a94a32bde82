import {
  PHASES,
  type Actual,
  type BusyTime,
  type Operation,
  type Request,
  type Settings,
} from './operation.ts';
import type { Fault } from './faults.ts';
import { Random } from './random.ts';
import { spoil } from './mistakes.ts';

/** An operation and when it happens. Its texts may hold references, `{{17:data.booking.id}}` (references.ts). */
export interface Step {
  /** Its number, by which others refer to it. */
  readonly at: number;
  readonly now: number;
  readonly operation: Operation;
  readonly fault?: Fault;
  /** Requests at the same time, to other processes. */
  readonly beside?: readonly Request[];
}

export type Engine = 'sqlite' | 'postgres';

const SECOND = 1000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

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
const ZONES = [
  'America/New_York',
  'Europe/Vienna',
  'Asia/Tokyo',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
];
const CURRENCIES = ['USD', 'KRW', 'KWD', 'EUR'];
const DECIMALS: Record<string, number> = { USD: 2, EUR: 2, KRW: 0, KWD: 3 };
const EVENTS = [
  'booking.created',
  'booking.cancelled',
  'booking.completed',
  'availability.changed',
  'listing.updated',
  'payment.confirmed',
];
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const SCOPES = [
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
];
const GUESTS = [
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
/** Of a public address that is never connected to. */
const SITE = 'https://93.184.216.34';

interface Host {
  id: string;
  email: string;
  currency: string;
}
interface Account {
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

/** Draws operations by weight. It knows nothing of the service but what responses said. */
export class Generator {
  readonly settings: Settings;
  readonly #random: Random;
  readonly #accounts: Account[] = [];
  readonly #queue: (() => Operation | undefined)[] = [];
  /** Keys that are of no use: revoked, without scopes, malformed. */
  readonly #otherKeys: string[] = ['hk_live_000000000000000000000000000000000000', 'nonsense', ''];
  readonly #keyIds: string[] = [];
  readonly #payouts: string[] = [];
  readonly #feeds: { space: string; token: string }[] = [];
  readonly #cursors: { key: string; query: string; cursor: string }[] = [];
  readonly #synced: string[] = ['1970-01-01T00:00:00Z'];
  #now: number;
  #index = 0;
  #serial = 0;
  readonly #engine: Engine;
  readonly #withFaults: boolean;
  /** So many operations find the disk full. */
  #fullFor = 0;

  constructor(seed: number, engine: Engine = 'sqlite', withFaults = false) {
    this.#engine = engine;
    this.#withFaults = withFaults;
    const random = new Random(seed);
    this.#random = random;
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
    this.#now =
      Date.parse(`${random.one(STARTS)}T00:00:00Z`) + random.below(24) * HOUR + random.below(3_600_000);
    const zones = [random.one(ZONES), random.one(ZONES)];
    for (const [i, zone] of zones.entries()) this.#addHost(i, zone);
  }

  get start(): number {
    return this.#now;
  }

  next(): Step {
    let operation: Operation | undefined;
    while (operation === undefined) operation = (this.#queue.shift() ?? (() => this.#draw()))();
    if (operation.kind !== 'clock') this.#now += this.#random.chance(0.3) ? 0 : this.#random.between(1, 3000);
    const fault = this.#withFaults && this.#index > 60 ? this.#fault(operation) : undefined;
    const step = { at: this.#index++, now: this.#now, operation, ...(fault && { fault }) };
    const beside = this.#engine === 'postgres' ? this.#beside(operation) : [];
    return beside.length === 0 ? step : { ...step, beside };
  }

  /** The same again, the same of other hours, or something else of the same account. */
  #beside(operation: Operation): Request[] {
    const random = this.#random;
    // Which of them counted first says nothing of which was committed first.
    if (this.settings.rateLimit.production > 0 || this.#index < 60 || !random.chance(0.25)) return [];
    if (operation.kind !== 'request' || operation.method === 'GET') return [];
    const account = this.#accountOf(operation.headers);
    return Array.from({ length: random.between(1, 3) }, (): Request => {
      const headers = { ...operation.headers, 'x-request-id': this.#requestId() };
      if (account !== undefined && random.chance(0.3)) return this.#write(account);
      if (random.chance(0.4) || operation.body === null) return { ...operation, headers };
      const body = operation.body
        .replace(/"start_hour":\d+/, () => `"start_hour":${random.between(8, 12)}`)
        .replace(/"end_hour":\d+/, () => `"end_hour":${random.between(11, 15)}`)
        .replace(/"guest_name":"[^"]*"/, () => `"guest_name":"${random.one(['Ada', 'Bob'])}"`);
      return { ...operation, headers, body };
    });
  }

  #write(account: Account): Request {
    return this.#random.weighted([
      [4, () => this.#book(account)],
      [3, () => this.#move(account)],
      [4, () => this.#cancel(account)],
      [3, () => this.#block(account)],
      [2, () => this.#unblock(account)],
      [3, () => this.#update(account)],
      [2, () => this.#changeWebhook(account)],
    ])();
  }

  #fault(operation: Operation): Fault | undefined {
    const random = this.#random;
    if (this.#fullFor > 0)
      return this.#fullFor-- && operation.kind !== 'clock' ? { kind: 'disk full' } : undefined;
    if (!random.chance(operation.kind === 'clock' ? 1 / 15 : 1 / 80)) return undefined;
    const isOnFile = this.#engine === 'sqlite';
    const fault = random.weighted<() => Fault | undefined>([
      [6, () => (isOnFile ? this.#crash(operation) : this.#trouble(operation))],
      [1, () => ({ kind: 'restart' })],
      [isOnFile ? 1 : 0, () => void (this.#fullFor = random.between(5, 25))],
      [1, () => void (this.#now += random.between(1, 90) * MINUTE)],
      [
        isOnFile ? 2 : 0,
        () => void (this.#now -= random.one([SECOND, MINUTE, HOUR]) * random.between(1, 90)),
      ],
    ])();
    if (fault === undefined) return undefined;
    // What a caller does who got no response.
    if (operation.kind === 'request' && random.chance(0.5)) this.#queue.push(() => ({ ...operation }));
    if (random.chance(0.3)) this.#lookAtAll();
    return fault;
  }

  #trouble(operation: Operation): Fault {
    const random = this.#random;
    if (operation.kind === 'command' && takesLong(operation.argv)) return { kind: 'restart' };
    return {
      kind: random.weighted([
        [4, 'kill'],
        [2, 'cut'],
        [1, 'outage'],
        [2, 'clock'],
      ] as const),
      afterMs: random.below(12),
      seconds: random.one([-3600, -20, 0, 20, 3600]),
      // A poll of a calendar has a lease that outlasts it.
      phase: random.one(PHASES.filter((phase) => phase !== 'import-calendars')),
    };
  }

  #crash(operation: Operation): Fault {
    const random = this.#random;
    if (operation.kind === 'command' && takesLong(operation.argv)) return { kind: 'restart' };
    return {
      kind: 'crash',
      commit: random.between(1, operation.kind === 'clock' ? 12 : 2),
      when: random.one(['before', 'during', 'after']),
      share: random.next(),
      isAnswered: random.chance(0.5),
    };
  }

  /**
   * Learns ids from what the service returned. Undefined: takes it that everything was done, so that what is drawn depends on the seed
   * alone; some references have no value then.
   */
  observe({ at, operation }: Step, actual: Actual | undefined): void {
    if (operation.kind === 'request') {
      if (actual === undefined || (actual.response?.status ?? 500) < 300)
        this.#observeRequest(at, operation, actual?.response?.body);
    } else if (operation.kind === 'command' && (actual === undefined || actual.printed?.exit === 0)) {
      const words = operation.argv.slice(0, 2).join(' ');
      if (words === 'booking create' || words === 'booking move')
        this.#accountOfCommand?.bookings.push(`{{${at}:id}}`);
      if (words === 'payout record') remember(this.#payouts, `{{${at}:id}}`);
      if (words === 'calendar add' && this.#accountOfCommand !== undefined)
        remember(this.#accountOfCommand.calendars, `{{${at}:id}}`);
    }
  }

  #observeRequest(at: number, { method, path, headers, body }: Request, result: unknown): void {
    const account = this.#accountOf(headers);
    if (account === undefined) return;
    const isAssumed = result === undefined;
    const { data } = (result ?? {}) as { data?: Record<string, never> };
    if (path.startsWith('/api-create-booking')) account.bookings.push(`{{${at}:data.booking.id}}`);
    if (path.startsWith('/api-webhooks') && method === 'POST')
      account.webhooks.push(`{{${at}:data.webhook.id}}`);
    if (path.startsWith('/api-bookings')) {
      const { next_cursor, synced_to } = (data?.['pagination'] ?? {}) as {
        next_cursor?: string | null;
        synced_to?: string;
      };
      const query = (path.split('?')[1] ?? '').replace(/&?(cursor|offset)=[^&]*/g, '').replace(/^&/, '');
      if (isAssumed ? /limit=[123](&|$)/.test(query) : typeof next_cursor === 'string')
        remember(this.#cursors, {
          key: headers['authorization']!,
          query,
          cursor: `{{${at}:data.pagination.next_cursor}}`,
        });
      if (isAssumed ? query.includes('updated_since=') : synced_to !== undefined)
        remember(this.#synced, `{{${at}:data.pagination.synced_to}}`);
    }
    if (body?.includes('connect_calendar') === true) {
      const connected =
        (data?.['space'] as { external_calendars?: unknown[] } | undefined)?.external_calendars ?? [];
      if (isAssumed || connected.length > 0)
        remember(
          account.calendars,
          `{{${at}:data.space.external_calendars.${isAssumed ? -1 : connected.length - 1}.id}}`,
        );
    }
    if (body?.includes('"rotate_ical_token":true') === true) {
      const space = /spaces\/([^/?]*)/.exec(path)?.[1];
      if (space !== undefined && (isAssumed || data?.['ical_feed_url'] !== undefined))
        remember(this.#feeds, { space, token: `{{${at}:data.ical_feed_url|token}}` });
    }
  }

  #accountOf(headers: Record<string, string>): Account | undefined {
    return this.#accounts.find(({ keys }) =>
      keys.some((key) => headers['authorization'] === `Bearer ${key}`),
    );
  }

  /** Whose the last drawn command is. */
  #accountOfCommand: Account | undefined;

  // What there is at the beginning.

  #addHost(i: number, zone: string): void {
    const random = this.#random;
    const host: Host = { id: '', email: `host${i}@example.com`, currency: random.one(CURRENCIES) };
    this.#queue.push(() => {
      host.id = `{{${this.#index}:id}}`;
      const argv = [
        'host',
        'add',
        '--name',
        `Host ${i}`,
        '--email',
        host.email,
        '--timezone',
        zone,
        '--currency',
        host.currency,
      ];
      if (random.chance(0.5)) argv.push('--commission', random.one(['0.125', '0.033333', '0', '0.15']));
      if (random.chance(0.2)) argv.push('--settlement-modes', 'host_settled');
      if (random.chance(0.3)) argv.push('--max-booking-value', this.#amount(host.currency, 60));
      return { kind: 'command', argv };
    });
    for (const environment of ['production', 'sandbox'] as const) {
      const account: Account = {
        host,
        environment,
        keys: [],
        spaces: [],
        bookings: [],
        webhooks: [],
        calendars: [],
        keyed: [],
      };
      this.#accounts.push(account);
      for (let n = environment === 'production' ? 2 : 1; n > 0; n--)
        this.#queue.push(() => this.#addSpace(account, n === 2 ? zone : random.one(ZONES)));
      this.#queue.push(() => this.#addKey(account));
      if (environment === 'production') {
        this.#queue.push(() => this.#addKey(account));
        this.#queue.push(() => this.#addKey(account, [random.one(SCOPES), 'bookings:read']));
        this.#queue.push(() => this.#addKey(account, SCOPES));
        this.#queue.push(() => command('key', 'revoke', this.#keyIds.at(-1)!));
      }
      for (let n = random.between(1, 2); n > 0; n--) this.#queue.push(() => this.#subscribe(account));
    }
  }

  #addSpace(account: Account, zone: string): Operation {
    const random = this.#random;
    const at = this.#index;
    account.spaces.push(`{{${at}:id}}`);
    this.#feeds.push({ space: `{{${at}:id}}`, token: `{{${at}:ical_token}}` });
    const argv = [
      'space',
      'add',
      '--host',
      account.host.id,
      '--env',
      account.environment,
      '--title',
      random.one(['Loft', '😀 Studio', 'ﬀ Room', '=1+1']),
    ];
    argv.push('--price', this.#amount(account.host.currency, 20), '--timezone', zone);
    if (random.chance(0.3)) argv.push('--hours', '9-22');
    if (random.chance(0.3))
      argv.push('--weekly-hours', random.one(['mon-fri=9-22,sat=11-20', 'mon=0-24,tue=0-24,sun=6-12']));
    if (random.chance(0.3))
      argv.push(
        '--booking-rules',
        random.one([
          'min_hours=2',
          'lead_hours=3,horizon_days=20',
          'max_hours=3',
          'min_hours=2,max_hours=4,lead_hours=1',
        ]),
      );
    if (random.chance(0.3)) argv.push('--cancellation-notice', random.one(['1', '24']));
    if (random.chance(0.5)) argv.push('--capacity', '4');
    return { kind: 'command', argv };
  }

  #addKey(account: Account, scopes?: readonly string[]): Operation {
    const at = this.#index;
    if (scopes === undefined) account.keys.push(`{{${at}:key}}`);
    else this.#otherKeys.push(`{{${at}:key}}`);
    this.#keyIds.push(`{{${at}:id}}`);
    const argv = [
      'key',
      'create',
      '--host',
      account.host.id,
      '--env',
      account.environment,
      '--name',
      `key ${at}`,
    ];
    return {
      kind: 'command',
      argv: scopes === undefined ? argv : [...argv, '--scopes', [...new Set(scopes)].join(',')],
    };
  }

  #subscribe(account: Account): Operation {
    const events = this.#random.chance(0.6) ? EVENTS : [this.#random.one(EVENTS)];
    return this.#call(account, 'POST', '/api-webhooks/api/v1/webhooks', { url: this.#hook(), events });
  }

  // What goes on from there.

  #draw(): Operation | undefined {
    const random = this.#random;
    if (this.#index > 60 && random.chance(1 / 250)) this.#lookAtAll();
    const account = random.weighted(
      this.#accounts.map((each) => [each.environment === 'production' ? 3 : 1, each] as const),
    );
    const operation = random.weighted<() => Operation | undefined>([
      [24, () => this.#book(account)],
      [6, () => this.#replay(account)],
      [7, () => this.#move(account)],
      [9, () => this.#cancel(account)],
      [4, () => this.#call(account, 'GET', `/api-booking-detail/api/v1/bookings/${this.#booking(account)}`)],
      [8, () => this.#list(account)],
      [2, () => this.#nextPage()],
      [10, () => this.#availability(account)],
      [6, () => this.#block(account)],
      [4, () => this.#unblock(account)],
      [5, () => this.#update(account)],
      [2, () => this.#call(account, 'GET', '/api-listings/api/v1/spaces')],
      [1, () => this.#call(account, 'GET', `/api-listings/api/v1/spaces/${this.#space(account)}`)],
      [
        3,
        () =>
          this.#call(
            account,
            'GET',
            `/api-settlement-report/api/v1/settlement/report?month=${this.#month()}`,
          ),
      ],
      [2, () => this.#call(account, 'GET', '/api-earnings/api/v1/earnings')],
      [2, () => this.#call(account, 'GET', '/api-webhooks/api/v1/webhooks')],
      [1, () => this.#subscribe(account)],
      [3, () => this.#changeWebhook(account)],
      [0.5, () => this.#call(account, 'DELETE', `/api-webhooks/api/v1/webhooks/${this.#webhook(account)}`)],
      [2, () => this.#feed()],
      [0.1, () => request('GET', '/api-openapi', this.#requestId())],
      [9, () => this.#clock()],
      [2, () => this.#receiver()],
      [2, () => this.#calendar()],
      [8, () => this.#command(account)],
    ])();
    if (operation?.kind !== 'request' || !random.chance(0.1)) return operation;
    return spoil(random, operation, {
      keys: [...this.#otherKeys, ...this.#accounts.flatMap(({ keys }) => keys)],
      ids: this.#accounts.flatMap(({ spaces, bookings, webhooks }) => [
        ...spaces,
        ...bookings.slice(-5),
        ...webhooks,
      ]),
    });
  }

  #book(account: Account): Request {
    const body: Record<string, unknown> = {
      space_id: this.#space(account),
      ...this.#range(),
      ...this.#guest(account),
    };
    const random = this.#random;
    if (random.chance(0.5))
      body['settlement_mode'] = random.weighted([
        [4, 'platform_settled'],
        [2, 'host_settled'],
        [0.2, 'barter'],
      ]);
    if (random.chance(0.15))
      body['reference'] = random.weighted([
        [9, 'PMS-1'],
        [9, 'PMS-2'],
        [1, 'bad\u0007'],
        [1, ''],
      ]);
    if (random.chance(0.1))
      body['notes'] = random.weighted([
        [9, 'late\narrival'],
        [9, 'tab\there'],
        [1, 'bad\u0000'],
      ]);
    if (random.chance(0.15))
      body['guest_count'] = random.weighted([
        [5, 1],
        [5, 4],
        [1, 5],
        [1, 10_000],
        [1, 0],
      ]);
    if (random.chance(0.1))
      body['guest_phone'] = random.weighted([
        [9, '+43 1 234'],
        [1, null],
      ]);
    if (random.chance(0.06)) {
      body['walk_in'] = random.chance(0.9);
      if (random.chance(0.7)) body['date'] = iso(this.#now).slice(0, 10);
      if (random.chance(0.5)) delete body['guest_email'];
    }
    if (!random.chance(0.35)) return this.#call(account, 'POST', CREATE, body);
    const key = `k${random.below(1000)}`;
    if (random.chance(0.7)) body['idempotency_key'] = key;
    const call = this.#call(account, 'POST', CREATE, body);
    if (body['idempotency_key'] === undefined || random.chance(0.05))
      call.headers['idempotency-key'] = random.chance(0.9) ? key : 'other';
    remember(account.keyed, call);
    return call;
  }

  /** The same request, or another with the same key. */
  #replay(account: Account): Operation | undefined {
    const random = this.#random;
    if (account.keyed.length === 0) return undefined;
    const earlier = random.one(account.keyed);
    const headers = {
      ...earlier.headers,
      'x-request-id': this.#requestId(),
      authorization: `Bearer ${random.one(account.keys)}`,
    };
    if (random.chance(0.7)) return { ...earlier, headers };
    const body = { ...(JSON.parse(earlier.body!) as Record<string, unknown>) };
    Object.assign(
      body,
      random.one([
        { guest_name: 'Somebody Else' },
        { reference: 'PMS-9' },
        { notes: null },
        { walk_in: false },
        { guest_count: 2 },
      ]),
    );
    return { ...earlier, headers, body: JSON.stringify(body) };
  }

  #move(account: Account): Request {
    const random = this.#random;
    const body: Record<string, unknown> = {
      space_id: this.#space(account),
      ...this.#range(),
      ...this.#guest(account),
      replaces: this.#booking(account),
    };
    if (random.chance(0.3)) body['settlement_mode'] = 'platform_settled';
    if (random.chance(0.15)) body['notes'] = random.one([null, 'moved']);
    if (random.chance(0.1)) body['reference'] = random.one([null, 'PMS-3']);
    if (random.chance(0.1)) body['guest_count'] = random.one([null, 3, 9]);
    const call = this.#call(account, 'POST', CREATE, body);
    if (!random.chance(0.3)) return call;
    call.headers['idempotency-key'] = `k${random.below(1000)}`;
    remember(account.keyed, call);
    return call;
  }

  #cancel(account: Account): Request {
    const reason = this.#random.weighted([
      [9, 'changed plans'],
      [0.3, ' '],
      [0.3, 'x'.repeat(501)],
    ]);
    return this.#call(
      account,
      'POST',
      `/api-cancel-booking/api/v1/bookings/${this.#booking(account)}/cancel`,
      { reason },
    );
  }

  #list(account: Account): Operation {
    const random = this.#random;
    const query: string[] = [];
    if (random.chance(0.3)) query.push(`space_id=${this.#space(account)}`);
    if (random.chance(0.4))
      query.push(
        `status=${random.one(['confirmed', 'cancelled', 'completed', 'confirmed,completed', 'cancelled,cancelled', 'lost'])}`,
      );
    if (random.chance(0.6)) query.push(`limit=${random.one([1, 2, 3, 10, 200, 0, 201])}`);
    random.weighted<() => void>([
      [3, () => undefined],
      [2, () => query.push(`from=${this.#date()}`)],
      [2, () => query.push(`from=${this.#date()}`, `to=${this.#date()}`)],
      [2, () => query.push(`updated_since=${random.one(this.#synced)}`)],
      [1, () => query.push(`updated_since=${iso(this.#now - random.below(5 * DAY))}`)],
      [1.5, () => query.push(`reference=${random.one(['PMS-1', 'PMS-2', 'PMS-3'])}`)],
      [
        1.5,
        () =>
          query.push(
            `guest=${encodeURIComponent(random.one(['ada', 'GROSSE', 'größe', '%_', 'zoe', 'example', 'a', '李小']))}`,
          ),
      ],
      [1, () => query.push(`offset=${random.one([0, 1, 5, 1000])}`)],
    ])();
    return this.#call(
      account,
      'GET',
      `/api-bookings/api/v1/bookings${query.length === 0 ? '' : `?${query.join('&')}`}`,
    );
  }

  /** Of a list that was begun some time ago. */
  #nextPage(): Operation | undefined {
    if (this.#cursors.length === 0) return undefined;
    const { key, query, cursor } = this.#random.one(this.#cursors);
    const filters = this.#random.chance(0.9) ? query : 'status=confirmed';
    return request(
      'GET',
      `/api-bookings/api/v1/bookings?${filters}${filters === '' ? '' : '&'}cursor=${cursor}`,
      this.#requestId(),
      key,
    );
  }

  #availability(account: Account): Operation {
    const days = this.#random.chance(0.3) ? `&days=${this.#random.one([1, 2, 7, 31, 0, 32])}` : '';
    const date = this.#random.chance(0.97) ? this.#date() : '9999-12-31';
    return this.#call(
      account,
      'GET',
      `/api-availability/api/v1/spaces/${this.#space(account)}/availability?date=${date}${days}`,
    );
  }

  #block(account: Account): Request {
    const random = this.#random;
    const body: Record<string, unknown> = this.#range();
    if (random.chance(0.5)) body['reason'] = random.one(['cleaning', 'repairs', null, '']);
    if (random.chance(0.3)) this.#manyDays(body);
    if (random.chance(0.15)) body['skip_occupied'] = random.chance(0.8);
    const space = this.#space(account);
    if (random.chance(0.1)) body['space_id'] = random.chance(0.8) ? space : this.#space(account);
    return this.#call(account, 'POST', `/api-blocks/api/v1/spaces/${space}/blocks`, body);
  }

  #unblock(account: Account): Request {
    const body = this.#range();
    if (this.#random.chance(0.3)) this.#manyDays(body);
    return this.#call(account, 'DELETE', `/api-blocks/api/v1/spaces/${this.#space(account)}/blocks`, body);
  }

  #manyDays(body: Record<string, unknown>): void {
    const random = this.#random;
    body['end_date'] = random.chance(0.95)
      ? shift(String(body['date']), random.one([0, 1, 3, 10, 30, -1, 367]))
      : null;
    if (random.chance(0.5)) body['weekdays'] = WEEKDAYS.filter(() => random.chance(0.4));
  }

  #update(account: Account): Request {
    const random = this.#random;
    const body: Record<string, unknown> = {};
    for (let n = random.between(1, 2); n > 0; n--)
      random.weighted<() => void>([
        [3, () => (body['title'] = random.one(['Loft', 'Atelier', 'Äther', ' ']))],
        [
          3,
          () =>
            (body['price'] = random.one([Number(this.#amount(account.host.currency, 20)), 0, 1.2345, -1])),
        ],
        [2, () => (body['is_active'] = random.chance(0.8))],
        [1, () => (body['description'] = random.one(['Bright.', null]))],
        [
          2,
          () =>
            (body['operating_hours'] = random.one([
              { start_hour: 0, end_hour: 24 },
              { start_hour: 9, end_hour: 22 },
              { start_hour: 9, end_hour: 9 },
            ])),
        ],
        [2, () => (body['weekly_hours'] = random.chance(0.4) ? null : this.#week())],
        [
          2,
          () =>
            (body['booking_rules'] = random.one([
              null,
              {},
              { min_hours: 2 },
              { max_hours: 1 },
              { min_hours: null, max_hours: 3 },
              { lead_hours: 2 },
              { horizon_days: 10 },
              { lead_hours: null, horizon_days: null },
            ])),
        ],
        [1, () => (body['capacity'] = random.one([null, 1, 4, 100]))],
        [1, () => (body['amenities'] = random.one([[], ['wifi'], ['wifi', 'parking']]))],
        [0.6, () => (body['rotate_ical_token'] = random.chance(0.9))],
        [1, () => (body['connect_calendar'] = this.#calendarUrl())],
        [
          0.7,
          () =>
            (body['disconnect_calendar'] =
              account.calendars.length === 0 ? 'none' : random.one(account.calendars)),
        ],
      ])();
    return this.#call(account, 'PATCH', `/api-listing-update/api/v1/spaces/${this.#space(account)}`, body);
  }

  #week(): Record<string, unknown> {
    const random = this.#random;
    const isClosed = random.chance(0.05);
    const day = (): unknown =>
      isClosed || random.chance(0.2)
        ? null
        : random.one([
            { start_hour: 8, end_hour: 20 },
            { start_hour: 0, end_hour: 24 },
            { start_hour: 12, end_hour: 23 },
          ]);
    return Object.fromEntries(WEEKDAYS.map((name) => [name, day()]));
  }

  #changeWebhook(account: Account): Request {
    const random = this.#random;
    const body = random.weighted<Record<string, unknown>>([
      [3, { is_active: true }],
      [2, { is_active: false }],
      [2, { url: this.#hook() }],
      [1, { events: [random.one(EVENTS), random.one(EVENTS)] }],
      [1, { description: random.one(['mine', null]) }],
      [1, { rotate_secret: true }],
      [0.3, {}],
    ]);
    return this.#call(account, 'PATCH', `/api-webhooks/api/v1/webhooks/${this.#webhook(account)}`, body);
  }

  #feed(): Operation {
    const random = this.#random;
    const { space, token } = random.one(this.#feeds);
    const query = random.chance(0.9)
      ? `space_id=${space}&token=${token}`
      : random.one([`space_id=${space}`, `space_id=${space}&token=x`, `token=${token}`]);
    return request('GET', `/api-ical-feed?${query}`, this.#requestId());
  }

  #clock(): Operation {
    const random = this.#random;
    const ahead = random.weighted<number>([
      [40, random.between(10, 90) * 1000],
      [25, random.between(2, 59) * MINUTE],
      [20, random.between(1, 12) * HOUR],
      [8, DAY - (this.#now % DAY) + random.between(-2, 2) * MINUTE],
      [5, random.between(1, 6) * DAY],
      [1.5, random.between(20, 40) * DAY],
    ]);
    this.#now += Math.max(10_000, ahead);
    return { kind: 'clock' };
  }

  #receiver(): Operation {
    const random = this.#random;
    const status = random.weighted<number | 'lost'>([
      [6, 200],
      [3, 500],
      [1, 'lost'],
      [1, 302],
      [0.5, 410],
      [1, 429],
    ]);
    const later =
      status === 429 || (status === 500 && random.chance(0.3))
        ? { retryAfter: random.one([1, 30, 4000, 90_000]) }
        : {};
    return { kind: 'receiver', url: this.#hook(), status, ...later };
  }

  #calendar(): Operation {
    const random = this.#random;
    const serves = random.weighted<() => BusyTime[] | 'broken' | 'lost' | number>([
      [8, () => Array.from({ length: random.between(1, 3) }, () => this.#busy())],
      [1, () => []],
      [1, () => 'broken'],
      [1, () => 'lost'],
      [1, () => random.one([404, 500])],
    ])();
    return { kind: 'calendar', url: this.#calendarUrl(), serves };
  }

  #busy(): BusyTime {
    const random = this.#random;
    if (random.chance(0.2)) {
      const date = this.#date();
      return { start: date, end: shift(date, random.between(1, 2)) };
    }
    const start =
      Math.floor(this.#now / HOUR) * HOUR +
      random.between(-30, 100) * HOUR +
      random.one([0, 0, 30, 59]) * MINUTE;
    return { start: iso(start), end: iso(start + random.between(1, 200) * MINUTE) };
  }

  #command(account: Account): Operation | undefined {
    const random = this.#random;
    const { host, environment } = account;
    this.#accountOfCommand = account;
    const references = ['--reference', random.one(['pi_1', 'pi_2', 'pi_3', 'pi_4'])];
    const maybe = (words: readonly string[], probability = 0.5): readonly string[] =>
      random.chance(probability) ? words : [];
    const hours = this.#range();
    const range = `${hours.start_hour}-${hours.end_hour}`;
    return random.weighted<() => Operation | undefined>([
      [
        20,
        () =>
          command(
            'payment',
            'confirm',
            this.#booking(account),
            ...maybe(references),
            ...maybe(['--shared'], 0.1),
          ),
      ],
      [5, () => command('payment', 'refund', this.#booking(account), ...maybe(references))],
      [5, () => command('payment', 'void', this.#booking(account), '--reason', 'bounced')],
      [2, () => command('payment', 'list', this.#booking(account))],
      [
        8,
        () =>
          command(
            'booking',
            'create',
            '--space',
            this.#space(account),
            '--date',
            hours.date,
            '--hours',
            range,
            '--guest-name',
            'Pat',
            '--guest-email',
            random.one(GUESTS),
            ...maybe(['--settlement-mode', 'host_settled'], 0.2),
          ),
      ],
      [5, () => command('booking', 'cancel', this.#booking(account), '--reason', 'heating')],
      [5, () => command('booking', 'move', this.#booking(account), '--date', hours.date, '--hours', range)],
      [2, () => command('booking', 'show', this.#booking(account))],
      [
        5,
        () =>
          command(
            'payout',
            'record',
            '--host',
            host.id,
            `--amount=${random.one(['', '-'])}${this.#amount(host.currency, 30)}`,
            '--env',
            environment,
            ...maybe(['--reference', random.one(['po_1', 'po_2', 'po_3'])]),
            ...maybe(['--paid-on', this.#date()], 0.2),
          ),
      ],
      [
        2,
        () =>
          this.#payouts.length === 0
            ? undefined
            : command('payout', 'void', random.one(this.#payouts), '--reason', 'mistyped'),
      ],
      [1, () => command('payout', 'list', '--host', host.id)],
      [2, () => command('settlement', '--month', this.#month(), ...maybe(['--host', host.id]))],
      [1.5, () => this.#deactivate(host)],
      [0.5, () => command('host', 'activate', host.id)],
      [
        2,
        () =>
          command(
            'host',
            'update',
            host.id,
            ...random.one([
              ['--commission', '0.2'],
              ['--max-booking-value', this.#amount(host.currency, 80)],
              ['--name', 'Renamed'],
              ['--settlement-modes', 'host_settled,platform_settled'],
              ['--currency', 'EUR'],
              ['--timezone', random.one(ZONES)],
            ]),
          ),
      ],
      [
        3,
        () =>
          command(
            'space',
            'update',
            this.#space(account),
            ...random.one([
              ['--price', this.#amount(host.currency, 15)],
              ['--cancellation-notice', '2'],
              ['--timezone', random.one(ZONES)],
              ['--inactive'],
              ['--active'],
              ['--hours', '8-20'],
              ['--no-weekly-hours'],
              ['--title', 'Hall'],
            ]),
          ),
      ],
      [1, () => this.#addKey(account)],
      [0.5, () => command('key', 'revoke', random.one(this.#keyIds))],
      [1, () => command('ical-token', 'rotate', '--space', this.#space(account))],
      [2, () => command('calendar', 'add', '--space', this.#space(account), '--url', this.#calendarUrl())],
      [
        2,
        () =>
          account.calendars.length === 0
            ? undefined
            : command('calendar', random.one(['remove', 'sync', 'sync']), random.one(account.calendars)),
      ],
      [
        2,
        () =>
          account.webhooks.length === 0
            ? undefined
            : command('webhook', 'disable', this.#webhook(account), '--reason', 'noisy'),
      ],
      [
        3,
        () =>
          account.webhooks.length === 0 ? undefined : command('webhook', 'enable', this.#webhook(account)),
      ],
      [
        2,
        () =>
          account.webhooks.length === 0
            ? undefined
            : command('webhook', 'resend', this.#webhook(account), '--failed'),
      ],
      [
        0.7,
        () =>
          command('guest', 'erase', '--email', random.one(GUESTS), '--yes', ...maybe(['--host', host.id])),
      ],
    ])();
  }

  /** For a few operations. */
  #deactivate(host: Host): Operation {
    for (let n = this.#random.between(3, 15); n > 0; n--) this.#queue.push(() => this.#draw());
    this.#queue.push(() => command('host', 'activate', host.id));
    return command('host', 'deactivate', host.id);
  }

  /** Every list, report, feed and export of everybody. */
  #lookAtAll(): void {
    const today = iso(this.#now).slice(0, 10);
    const months = [-40, 0, 31].map((days) => shift(today, days).slice(0, 7));
    for (const account of this.#accounts) {
      const paths = [
        '/api-listings/api/v1/spaces',
        '/api-webhooks/api/v1/webhooks',
        '/api-earnings/api/v1/earnings',
        '/api-bookings/api/v1/bookings?limit=200',
        '/api-bookings/api/v1/bookings?updated_since=1970-01-01T00:00:00Z&limit=200',
        ...months.map((month) => `/api-settlement-report/api/v1/settlement/report?month=${month}`),
        ...account.spaces.map(
          (space) => `/api-availability/api/v1/spaces/${space}/availability?date=${today}&days=31`,
        ),
      ];
      this.#queue.push(...paths.map((path) => () => this.#call(account, 'GET', path)));
    }
    this.#queue.push(
      ...this.#feeds.map(
        ({ space, token }) =>
          () =>
            request('GET', `/api-ical-feed?space_id=${space}&token=${token}`, this.#requestId()),
      ),
    );
    this.#queue.push(
      () => command('export'),
      () => command('payout', 'list'),
      ...months.map((month) => () => command('settlement', '--month', month)),
    );
  }

  // Values.

  #call(account: Account, method: string, path: string, body?: object): Request {
    return request(method, path, this.#requestId(), `Bearer ${this.#random.one(account.keys)}`, body);
  }

  #requestId(): string {
    return `r${++this.#serial}`;
  }

  #space(account: Account): string {
    return this.#random.one(account.spaces);
  }

  /** Mostly one of the last ones. */
  #booking({ bookings }: Account): string {
    if (bookings.length === 0) return NOBODY;
    return this.#orEarlier(
      bookings,
      this.#random.one(this.#random.chance(0.8) ? bookings.slice(-12) : bookings),
    );
  }

  #webhook({ webhooks }: Account): string {
    return webhooks.length === 0 ? NOBODY : this.#orEarlier(webhooks, this.#random.one(webhooks));
  }

  /** Where it is not known whether a step has made anything: or what the steps before it have made. */
  #orEarlier(references: readonly string[], chosen: string): string {
    if (this.#engine === 'sqlite') return chosen;
    const [step, path] = chosen.split(':') as [string, string];
    const earlier = references
      .slice(0, references.indexOf(chosen))
      .filter((reference) => reference.endsWith(`:${path}`))
      .slice(-4)
      .map((reference) => reference.slice(2).split(':')[0]);
    return `${[step, ...earlier.toReversed()].join(',')}:${path}`;
  }

  #guest({ environment, host }: Account): { guest_name: string; guest_email: string } {
    const random = this.#random;
    const usual = random.chance(0.02) ? host.email.replace('@', '+me@').toUpperCase() : random.one(GUESTS);
    return {
      guest_name: random.one(NAMES),
      guest_email: environment === 'sandbox' && random.chance(0.4) ? random.one(SANDBOX_GUESTS) : usual,
    };
  }

  #range(): { date: string; start_hour: number; end_hour: number } {
    const random = this.#random;
    const start_hour = random.chance(0.8) ? random.between(9, 17) : random.below(24);
    return {
      date: this.#date(),
      start_hour,
      end_hour: Math.min(
        24,
        start_hour +
          random.weighted([
            [4, 1],
            [6, 2],
            [1, 3],
            [0.2, 24],
            [0.1, 0],
          ]),
      ),
    };
  }

  #date(): string {
    const random = this.#random;
    const days = random.weighted([
      [10, random.between(1, 4)],
      [4, 0],
      [0.5, -1],
      [1.5, random.between(5, 45)],
      [0.3, random.between(-40, -2)],
    ]);
    return shift(iso(this.#now).slice(0, 10), days);
  }

  #month(): string {
    return shift(iso(this.#now).slice(0, 10), this.#random.one([0, 0, -31, -31, -60, 31])).slice(0, 7);
  }

  #amount(currency: string, about: number): string {
    const scale = currency === 'KRW' ? 1000 : 1;
    return (about * scale * (0.5 + this.#random.next())).toFixed(DECIMALS[currency]);
  }

  #hook(): string {
    return `${SITE}/hook/${this.#random.between(1, 4)}`;
  }

  #calendarUrl(): string {
    return `${SITE}/cal/${this.#random.between(1, 6)}.ics`;
  }
}

/** In several transactions; whoever is interrupted gives the command again. */
function takesLong(argv: readonly string[]): boolean {
  return /^(calendar sync|guest erase)/.test(argv.join(' '));
}

const CREATE = '/api-create-booking/api/v1/bookings';
const NOBODY = '00000000-0000-7000-8000-000000000000';

function request(method: string, path: string, id: string, authorization?: string, body?: object): Request {
  const headers: Record<string, string> = { 'x-request-id': id };
  if (authorization !== undefined) headers['authorization'] = authorization;
  if (body !== undefined) headers['content-type'] = 'application/json';
  return { kind: 'request', method, path, headers, body: body === undefined ? null : JSON.stringify(body) };
}

function command(...argv: string[]): Operation {
  return { kind: 'command', argv };
}

/** Keeps the last 30. */
function remember<Value>(list: Value[], value: Value): void {
  list.push(value);
  if (list.length > 30) list.shift();
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

function shift(date: string, days: number): string {
  return iso(Date.parse(`${date}T00:00:00Z`) + days * DAY).slice(0, 10);
}
