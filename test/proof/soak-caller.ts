import { setTimeout as delay } from 'node:timers/promises';
import { FIRST_FREE_DAY } from '../traffic/fill.ts';
import { datesFrom, type BenchHost } from '../traffic/world.ts';
import { Random } from '../simulate/random.ts';
import { CREATE } from '../support/booking.ts';
import { WEBHOOKS } from '../support/webhooks.ts';
import { send, type Answer } from '../support/world.ts';

const DATES = datesFrom(FIRST_FREE_DAY, 365);
/** Slow is no error: throughput tells how slow it is. */
const GIVE_UP_MS = 60_000;
const RETRY_MS = 1000;

interface Addresses {
  service: string;
  /** Of a receiver whose subscriptions come and go. */
  passing: string;
  calendar: string;
}

/**
 * One host, who asks for one thing after the other. The seed alone chooses: all that is asked for is this host's own, so no request may
 * be refused, and the pace of others changes nothing. The last space is not booked: a calendar is connected to it now and then.
 */
export class SoakCaller {
  /** How often it was told to ask again. */
  unavailable = 0;
  readonly random: Random;
  readonly #to: Addresses;
  readonly #host: BenchHost;
  readonly #name: string;
  readonly #standing: string[] = [];
  #calendar: string | undefined;
  #webhook: string | undefined;
  #changes = `updated_since=${new Date().toISOString()}`;
  #next = 0;

  constructor(to: Addresses, host: BenchHost, seed: number) {
    this.#to = to;
    this.#host = host;
    this.#name = `soak-${seed}`;
    this.random = new Random(seed);
  }

  /** Throws at any answer but the one that is expected. */
  async step(): Promise<void> {
    const { random } = this;
    const hasBookings = this.#standing.length > 0 ? 1 : 0;
    await random.weighted<() => Promise<unknown>>(
      [16, () => this.#book({})],
      [5 * hasBookings, () => this.#end((replaces) => this.#book({ replaces }))],
      [5 * hasBookings, () => this.#end((id) => this.#cancel(id))],
      [8, () => this.#changeBlock()],
      [2, () => this.#subscribeAnew()],
      [0.3, () => this.#connectOrDisconnect()],
      [6, () => this.#readChanges()],
      [60, () => this.#ask('GET', this.#page(random.one(this.#standing)))],
    )();
  }

  #page(booking: string | undefined): string {
    const { random } = this;
    const { spaces, feedTokens } = this.#host;
    const [at, date] = [random.below(spaces.length), random.one(DATES)];
    const availability = `/api-availability/api/v1/spaces/${spaces[at]}/availability?date=${date}`;
    const bookings = '/api-bookings/api/v1/bookings?';
    const month = datesFrom(-31 * random.between(1, 3), 1)[0]!.slice(0, 7);
    return random.weighted(
      [10, availability],
      [12, `${availability}&days=31`],
      [12, `${bookings}from=${date}`],
      [5, `${bookings}space_id=${spaces[at]}&status=confirmed&limit=200`],
      [4, `${bookings}guest=${this.#name}-${random.below(100)}%40&from=${date}`],
      [booking === undefined ? 0 : 6, `/api-booking-detail/api/v1/bookings/${booking}`],
      [3, `/api-ical-feed?space_id=${spaces[at]}&token=${feedTokens[at]}`],
      [0.5, `/api-settlement-report/api/v1/settlement/report?month=${month}`],
      [3, '/api-earnings/api/v1/earnings'],
      [1, '/api-listings/api/v1/spaces'],
    );
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
  }

  #cancel(id: string): Promise<Answer> {
    return this.#ask('POST', `/api-cancel-booking/api/v1/bookings/${id}/cancel`, { reason: 'soak' });
  }

  #end(work: (id: string) => Promise<unknown>): Promise<unknown> {
    return work(this.#standing.splice(this.random.below(this.#standing.length), 1)[0]!);
  }

  async #changeBlock(): Promise<void> {
    const { space_id, ...hours } = this.#hours(this.#next++);
    const path = `/api-blocks/api/v1/spaces/${space_id}/blocks`;
    await this.#ask('POST', path, hours);
    if (this.random.chance(0.8)) await this.#ask('DELETE', path, hours);
  }

  /** One page of a walk, and behind its last the next walk. */
  async #readChanges(): Promise<void> {
    const page = await this.#ask('GET', `/api-bookings/api/v1/bookings?${this.#changes}&limit=200`);
    const { next_cursor, synced_to } = page.body.data.pagination;
    const [since] = this.#changes.split('&');
    this.#changes = next_cursor === null ? `updated_since=${synced_to}` : `${since}&cursor=${next_cursor}`;
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
}
