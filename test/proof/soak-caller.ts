import { setTimeout as delay } from 'node:timers/promises';
import { FIRST_FREE_DAY } from '../traffic/fill.ts';
import { datesFrom, type BenchHost } from '../traffic/world.ts';
import { CREATE } from '../support/booking.ts';
import { WEBHOOKS } from '../support/webhooks.ts';
import { send, type Answer } from '../support/world.ts';
import { seeded } from './race.ts';

const DATES = datesFrom(FIRST_FREE_DAY, 365);
/** Slow is no error: how slow it is, is told by itself. */
const GIVE_UP_MS = 60_000;
const RETRY_MS = 1000;

interface Addresses {
  service: string;
  /** Of a receiver whose subscriptions come and go. */
  passing: string;
  calendar: string;
}

type Kind = readonly [name: string, weight: number, work: () => Promise<unknown>];

/**
 * One host, who asks for one thing after the other. The seed alone chooses: all that is asked for is this host's own, so no request may
 * be refused, and the pace of others changes nothing. The last space is not booked: a calendar is connected to it now and then.
 */
export class SoakCaller {
  /** What a subscriber to everything must have heard: type and booking. */
  readonly announced: string[] = [];
  /** How often it was told to ask again. */
  unavailable = 0;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly #to: Addresses;
  readonly #host: BenchHost;
  readonly #name: string;
  readonly #standing: string[] = [];
  readonly #blocked: number[] = [];
  #calendar: string | undefined;
  #webhook: string | undefined;
  #changes = `updated_since=${new Date().toISOString()}`;
  #next = 0;

  constructor(to: Addresses, host: BenchHost, seed: number) {
    this.#to = to;
    this.#host = host;
    this.#name = `soak-${seed}`;
    this.random = seeded(seed);
  }

  readonly #create: Kind = ['create', 16, () => this.#book({})];
  /** How often each is asked for, of about a hundred. */
  readonly #kinds: readonly Kind[] = [
    this.#create,
    ['day', 10, () => this.#availability('')],
    ['month', 12, () => this.#availability('&days=31')],
    ['list', 12, () => this.#list(`from=${this.#any(DATES)}`)],
    ['list of a space', 5, () => this.#list(`space_id=${this.#space()}&status=confirmed&limit=200`)],
    ['search', 4, () => this.#list(`guest=${this.#name}-${this.#below(100)}%40&from=${this.#any(DATES)}`)],
    ['changes', 6, () => this.#readChanges()],
    ['block', 4, () => this.#block()],
    ['unblock', 4, () => this.#unblock()],
    ['feed', 3, () => this.#feed()],
    ['report', 0.5, () => this.#report()],
    ['earnings', 3, () => this.#ask('GET', '/api-earnings/api/v1/earnings')],
    ['spaces', 1, () => this.#ask('GET', '/api-listings/api/v1/spaces')],
    ['webhook', 2, () => this.#subscribeAnew()],
    ['calendar', 0.3, () => this.#connectOrDisconnect()],
  ];
  /** Those that need a booking. */
  readonly #ofBookings: readonly Kind[] = [
    ['detail', 6, () => this.#ask('GET', `/api-booking-detail/api/v1/bookings/${this.#any(this.#standing)}`)],
    ['move', 5, () => this.#end((replaces) => this.#book({ replaces }))],
    ['cancel', 5, () => this.#end((id) => this.#cancel(id))],
  ];

  /** Throws at any answer but the one that is expected. */
  async step(): Promise<string> {
    const kinds = this.#standing.length === 0 ? this.#kinds : [...this.#kinds, ...this.#ofBookings];
    let left = this.random() * kinds.reduce((sum, [, weight]) => sum + weight, 0);
    const [name, , work] = kinds.find(([, weight]) => (left -= weight) < 0) ?? this.#create;
    await work();
    return name;
  }

  async #book(fields: { replaces?: string }): Promise<void> {
    const n = this.#next++;
    const body = {
      ...this.#hours(n),
      ...fields,
      guest_name: 'Ada Miller',
      guest_email: `${this.#name}-${Math.floor(n / 5)}@example.com`,
      guest_phone: '+1 212 555 0142',
      idempotency_key: `${this.#name}-${n}`,
    };
    const { id } = (await this.#ask('POST', CREATE, body)).body.data.booking;
    this.#standing.push(id);
    this.announced.push(`booking.created ${id}`);
  }

  #cancel(id: string): Promise<Answer> {
    return this.#ask('POST', `/api-cancel-booking/api/v1/bookings/${id}/cancel`, { reason: 'soak' });
  }

  async #end(work: (id: string) => Promise<unknown>): Promise<void> {
    const [id] = this.#standing.splice(this.#below(this.#standing.length), 1);
    await work(id!);
    this.announced.push(`booking.cancelled ${id}`);
  }

  async #block(): Promise<void> {
    const n = this.#next++;
    await this.#changeBlock('POST', n);
    this.#blocked.push(n);
  }

  /** What is free already may be unblocked too. */
  #unblock(): Promise<Answer> {
    return this.#changeBlock('DELETE', this.#blocked.shift() ?? this.#next);
  }

  #changeBlock(method: 'POST' | 'DELETE', n: number): Promise<Answer> {
    const { space_id, ...hours } = this.#hours(n);
    return this.#ask(method, `/api-blocks/api/v1/spaces/${space_id}/blocks`, hours);
  }

  #availability(days: string): Promise<Answer> {
    const query = `date=${this.#any(DATES)}${days}`;
    return this.#ask('GET', `/api-availability/api/v1/spaces/${this.#space()}/availability?${query}`);
  }

  #list(query: string): Promise<Answer> {
    return this.#ask('GET', `/api-bookings/api/v1/bookings?${query}`);
  }

  /** One page of a walk, and behind its last the next walk. */
  async #readChanges(): Promise<void> {
    const page = await this.#list(`${this.#changes}&limit=200`);
    const { next_cursor, synced_to } = page.body.data.pagination;
    const [since] = this.#changes.split('&');
    this.#changes = next_cursor === null ? `updated_since=${synced_to}` : `${since}&cursor=${next_cursor}`;
  }

  #feed(): Promise<Answer> {
    const at = this.#below(this.#host.spaces.length);
    const query = `space_id=${this.#host.spaces[at]}&token=${this.#host.feedTokens[at]}`;
    return this.#ask('GET', `/api-ical-feed?${query}`);
  }

  #report(): Promise<Answer> {
    const month = datesFrom(-31 * (1 + this.#below(3)), 1)[0]!.slice(0, 7);
    return this.#ask('GET', `/api-settlement-report/api/v1/settlement/report?month=${month}`);
  }

  async #subscribeAnew(): Promise<void> {
    if (this.#webhook !== undefined) await this.#ask('DELETE', `${WEBHOOKS}/${this.#webhook}`);
    const body = { url: this.#to.passing, events: ['booking.created', 'availability.changed'] };
    this.#webhook = (await this.#ask('POST', WEBHOOKS, body, 201)).body.data.webhook.id;
  }

  async #connectOrDisconnect(): Promise<void> {
    const [connect_calendar, disconnect_calendar] = [this.#to.calendar, this.#calendar];
    const change = disconnect_calendar === undefined ? { connect_calendar } : { disconnect_calendar };
    const path = `/api-listing-update/api/v1/spaces/${this.#host.spaces.at(-1)}`;
    this.#calendar = (await this.#ask('PATCH', path, change)).body.data.space.external_calendars[0]?.id;
  }

  async #ask(method: string, path: string, body?: object, expected = 200): Promise<Answer> {
    const call = { key: this.#host.key, body, signal: AbortSignal.timeout(GIVE_UP_MS) };
    const answer = await send(this.#to.service, method, path, call);
    if (answer.status === 503 && answer.body.error.outcome === 'not_done') {
      this.unavailable++;
      await delay(RETRY_MS);
      return this.#ask(method, path, body, expected);
    }
    if (answer.status !== expected) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  }

  /** Two hours that are asked for once; those of one space come in no order of dates. */
  #hours(n: number) {
    const spaces = this.#host.spaces.length - 1;
    const round = Math.floor(n / spaces);
    const start_hour = 2 * (Math.floor(round / DATES.length) % 12);
    const date = DATES[(round * 101) % DATES.length]!;
    return { space_id: this.#host.spaces[n % spaces]!, date, start_hour, end_hour: start_hour + 2 };
  }

  #space(): string {
    return this.#any(this.#host.spaces);
  }

  #any(values: readonly string[]): string {
    return values[this.#below(values.length)]!;
  }

  #below(count: number): number {
    return Math.floor(this.random() * count);
  }
}
