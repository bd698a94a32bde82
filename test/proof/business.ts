import { setTimeout as delay } from 'node:timers/promises';
import * as bookings from '../../src/bookings/bookings.ts';
import { DatabaseAway, OperatorError } from '../../src/errors.ts';
import * as guests from '../../src/guests/guests.ts';
import * as payments from '../../src/payments/payments.ts';
import { addDays } from '../../src/time/dates.ts';
import { CREATE } from '../support/booking.ts';
import { openContext } from '../support/context.ts';
import { operator } from '../support/operator.ts';
import { send } from '../support/world.ts';
import type { Deployment } from './services.ts';
import { ownSlot } from './traffic.ts';

const RUNNERS = 12;
const THINK_MS = 50;
/** Nobody is judged by how long an answer takes: the machine may be busy. */
const GIVE_UP_MS = 30_000;
/** Long enough ago that a booking is over, of however many. */
const DAYS_AGO = 4000;
/** So many bookings in a row are one guest's. */
const OF_ONE_GUEST = 8;

/**
 * All that changes bookings, at once: creators, cancellers and movers at the API, payers and erasers as the command line does it,
 * and bookings that are over, for the clock. Whoever gets no clear answer leaves it: what became of it is for others to find out.
 */
export class Business {
  /** How often what was done. */
  readonly done: Record<string, number> = {};
  readonly wrong: string[] = [];
  unavailable = 0;
  readonly #deployment: Deployment;
  readonly #random: () => number;
  readonly #ctx;
  /** Made before and perhaps gone since. */
  readonly #known: string[] = [];
  #runners: Promise<void>[] = [];
  #stopping = false;
  #next = 0;

  constructor(deployment: Deployment, random: () => number) {
    this.#deployment = deployment;
    this.#random = random;
    this.#ctx = openContext(deployment.settings, GIVE_UP_MS);
  }

  start(): void {
    this.#runners = Array.from({ length: RUNNERS }, async () => {
      while (!this.#stopping) {
        await this.#step();
        await delay(2 * THINK_MS * this.#random());
      }
    });
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#runners);
    await this.#ctx.db.close();
  }

  async #step(): Promise<void> {
    const kind = this.#random();
    const any = this.#known[Math.floor(this.#random() * this.#known.length)];
    if (kind < 0.3 || any === undefined) await this.#keep(this.create());
    else if (kind < 0.5) await this.#keep(this.move(any));
    else if (kind < 0.62) await this.cancel(any);
    else if (kind < 0.76) await this.pay(any);
    else if (kind < 0.82) await this.#refund();
    else if (kind < 0.9) await this.#operate('erased', () => this.#erase());
    else await this.#operate('over', () => this.#enterOver());
  }

  /** For everybody to change it again. */
  async #keep(made: Promise<string | undefined>): Promise<void> {
    const id = await made;
    if (id !== undefined) this.#known.push(id);
  }

  /** These answer with the id of the booking; undefined: it was not done. `process`: at which one, if it matters. */

  create(fields: object = {}, process?: number): Promise<string | undefined> {
    return this.#ask('created', CREATE, this.#newBooking(fields), process);
  }

  move(id: string, process?: number): Promise<string | undefined> {
    return this.#ask('moved', CREATE, this.#newBooking({ replaces: id }), process);
  }

  cancel(id: string, process?: number): Promise<string | undefined> {
    const path = `/api-cancel-booking/api/v1/bookings/${id}/cancel`;
    return this.#ask('cancelled', path, { reason: 'mirror' }, process);
  }

  pay(id: string): Promise<string | undefined> {
    return this.#operate('paid', async () => {
      await payments.confirm(this.#ctx, operator, id, null);
      return id;
    });
  }

  /** Of a booking that was paid and then cancelled. */
  async #refund(): Promise<void> {
    const id = await this.create({ settlement_mode: 'platform_settled' });
    if (id === undefined) return;
    await this.pay(id);
    await this.cancel(id);
    await this.#operate('refunded', () => payments.refund(this.#ctx, operator, id, null));
  }

  #newBooking(fields: object): object {
    const n = this.#next++;
    return {
      space_id: this.#space,
      ...ownSlot(n),
      guest_name: `Guest ${n}`,
      guest_email: emailOf(n),
      idempotency_key: `mirror-${n}`,
      settlement_mode: n % 2 === 0 ? 'platform_settled' : 'host_settled',
      ...fields,
    };
  }

  async #erase(): Promise<void> {
    const email = emailOf(Math.floor(this.#random() * this.#next));
    await guests.erase(this.#ctx, operator, { email, hostId: undefined }, () => undefined);
  }

  async #enterOver(): Promise<void> {
    const n = this.#next++;
    const { date, start_hour, end_hour } = ownSlot(n);
    const owner = { hostId: this.#deployment.demo.host.id, environment: 'production' } as const;
    const request = bookings.toRequest({
      space_id: this.#space,
      date: addDays(date, -DAYS_AGO),
      start_hour,
      end_hour,
      guest_email: emailOf(n),
      guest_name: `Guest ${n}`,
    });
    await this.#ctx.db.transaction((tx) => {
      const now = this.#ctx.clock.now();
      return bookings.enterAsItStands(tx, owner, request, {
        source: 'api',
        status: 'confirmed',
        payment_status: 'host_collected',
        paid_at: null,
        cancellation_reason: null,
        created_at: now,
        updated_at: now,
      });
    });
  }

  async #operate<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      const value = await work();
      this.#note(what);
      return value;
    } catch (error) {
      if (error instanceof DatabaseAway) this.unavailable++;
      else if (!(error instanceof OperatorError)) this.wrong.push(`${what}: ${String(error)}`);
      return undefined;
    }
  }

  async #ask(what: string, path: string, body: object, process = this.#next): Promise<string | undefined> {
    const { demo, url } = this.#deployment;
    const call = { key: demo.keys.production, body, signal: AbortSignal.timeout(GIVE_UP_MS) };
    try {
      const answer = await send(url(process), 'POST', path, call);
      if (answer.status === 503) this.unavailable++;
      else if (answer.status >= 500) this.wrong.push(answer.text);
      if (answer.status !== 200) return undefined;
      this.#note(what);
      return answer.body.data.booking.id;
    } catch (error) {
      // A process that was killed says nothing.
      if (!(error instanceof TypeError)) this.wrong.push(`${what}: ${String(error)}`);
      this.unavailable++;
      return undefined;
    }
  }

  #note(what: string): void {
    this.done[what] = (this.done[what] ?? 0) + 1;
  }

  get #space(): string {
    return this.#deployment.demo.spaces[0]!.id;
  }
}

function emailOf(n: number): string {
  return `mirror-${Math.floor(n / OF_ONE_GUEST)}@example.com`;
}
