import { setTimeout as delay } from 'node:timers/promises';
import { CREATE } from '../support/booking.ts';
import { NEXT_YEAR, nextJune } from '../support/clock.ts';
import { send, type Answer } from '../support/world.ts';
import { Ledger, slotName } from './ledger.ts';
import type { Deployment } from './services.ts';

/** One request as its sender saw it. */
export interface Sample {
  process: number;
  writes: boolean;
  sentAt: number;
  answeredAt: number;
  /**
   * done: it was carried out. refused: a rule said no. unavailable: 503 as the contract has it. broken: the
   * connection failed. wrong: anything else, silence too.
   */
  outcome: 'done' | 'refused' | 'unavailable' | 'broken' | 'wrong';
  /** What a wrong answer said. */
  text: string;
}

const RUNNERS = 32;
const THINK_MS = 25;
const RETRY_MS = 100;
/** Nobody waits longer than this; the service is expected to be far quicker. */
const GIVE_UP_MS = 10_000;

/**
 * Creates, cancellations, blocks, releases and reads from many callers at once, until told to stop. Most
 * bookings have an hour of their own, some fight for the same few.
 */
export class Traffic {
  readonly samples: Sample[] = [];
  readonly ledger = new Ledger('chaos-');
  readonly #deployment: Deployment;
  readonly #random: () => number;
  readonly #standing: { id: string; slot: string }[] = [];
  readonly #blocked: number[] = [];
  #runners: Promise<void>[] = [];
  #stopping = false;
  #next = 0;
  #turn = 0;

  constructor(deployment: Deployment, random: () => number) {
    this.#deployment = deployment;
    this.#random = random;
  }

  start(): void {
    this.#stopping = false;
    this.#runners = Array.from({ length: RUNNERS }, () => this.#run());
  }

  /** Resolves when everybody has got a clear answer. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#runners);
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      await this.#step();
      await delay(THINK_MS * 2 * this.#random());
    }
  }

  async #step(): Promise<void> {
    const kind = this.#random();
    if (kind < 0.4) return this.#book(ownSlot(this.#next++), 'never');
    if (kind < 0.5) return this.#book(this.#contestedSlot(), 'always');
    if (kind < 0.65 && this.#standing.length > 0) return this.#cancel();
    if (kind < 0.73) return this.#block();
    if (kind < 0.78 && this.#blocked.length > 0) return this.#unblock();
    return this.#read();
  }

  async #book({ date, start_hour, end_hour }: Range, refusal: Refusal): Promise<void> {
    const { demo } = this.#deployment;
    const n = this.#next++;
    const body = {
      space_id: demo.spaces[0]!.id,
      date,
      start_hour,
      end_hour,
      guest_name: 'Chaos',
      guest_email: `chaos-${n}@example.com`,
      idempotency_key: `chaos-${n}`,
    };
    const answer = await this.#untilClear('POST', CREATE, body, refusal);
    if (answer.status !== 200) return;
    const slot = slotName(body.space_id, date, hoursOf({ start_hour, end_hour }));
    this.ledger.booked(answer.body.data.booking.id, slot);
    this.#standing.push({ id: answer.body.data.booking.id, slot });
  }

  async #cancel(): Promise<void> {
    const [booking] = this.#standing.splice(Math.floor(this.#random() * this.#standing.length), 1);
    const path = `/api-cancel-booking/api/v1/bookings/${booking!.id}/cancel`;
    // "Not confirmed any more" is what a second attempt hears when the first one had been carried out.
    await this.#untilClear('POST', path, { reason: 'chaos' }, 'when repeated');
    this.ledger.cancelled(booking!.id, booking!.slot);
  }

  async #block(): Promise<void> {
    const n = this.#next++;
    // Likewise: the hour is ours alone, so whoever finds it held has held it before.
    const { path, slot } = this.#blockOf(n);
    await this.#untilClear('POST', path, ownSlot(n), 'when repeated');
    this.ledger.blocked(slot);
    this.#blocked.push(n);
  }

  async #unblock(): Promise<void> {
    const [n] = this.#blocked.splice(Math.floor(this.#random() * this.#blocked.length), 1);
    const { path, slot } = this.#blockOf(n!);
    await this.#untilClear('DELETE', path, ownSlot(n!), 'never');
    this.ledger.unblocked(slot);
  }

  async #read(): Promise<void> {
    const space = this.#deployment.demo.spaces[0]!.id;
    const date = ownSlot(Math.floor(this.#random() * (this.#next + 1))).date;
    const paths = [
      `/api-availability/api/v1/spaces/${space}/availability?date=${date}`,
      `/api-bookings/api/v1/bookings?from=${date}&to=${date}`,
      '/api-listings/api/v1/spaces',
    ];
    await this.#ask('GET', paths[Math.floor(this.#random() * paths.length)]!);
  }

  /** Asks again, of the next process, until the request has been either carried out or refused. */
  async #untilClear(method: string, path: string, body: object, refusal: Refusal): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const { answer, sample } = await this.#ask(method, path, body);
      if (answer !== undefined && sample.outcome !== 'unavailable') {
        const allowed = refusal === 'always' || (refusal === 'when repeated' && attempt > 1);
        if (sample.outcome === 'refused' && !allowed) {
          sample.outcome = 'wrong';
          sample.text = `${method} ${path} was refused: ${JSON.stringify(answer.body)}`;
        }
        return answer;
      }
      await delay(RETRY_MS);
    }
  }

  async #ask(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ answer: Answer | undefined; sample: Sample }> {
    const { demo, processes } = this.#deployment;
    const process = this.#turn++ % processes.length;
    const sentAt = performance.now();
    const call = { key: demo.keys.production, signal: AbortSignal.timeout(GIVE_UP_MS) };
    let answer: Answer | undefined;
    let failure: unknown;
    try {
      answer = await send(
        processes[process]!.url,
        method,
        path,
        body === undefined ? call : { ...call, body },
      );
    } catch (error) {
      failure = error;
    }
    const judged = answer === undefined ? brokenOrSilent(failure) : judge(answer);
    const sample = { process, writes: method !== 'GET', sentAt, answeredAt: performance.now(), ...judged };
    this.samples.push(sample);
    return { answer, sample };
  }

  /** Blocks of one space come one after another; so they are spread over all that the host has. */
  #blockOf(n: number): { path: string; slot: string } {
    const spaces = this.#deployment.demo.spaces.filter(({ environment }) => environment === 'production');
    const { id } = spaces[n % spaces.length]!;
    const { date, start_hour } = ownSlot(n);
    return { path: `/api-blocks/api/v1/spaces/${id}/blocks`, slot: slotName(id, date, [start_hour]) };
  }

  #contestedSlot(): Range {
    const start_hour = Math.floor(this.#random() * 22);
    return { date: nextJune(1), start_hour, end_hour: start_hour + 1 + Math.floor(this.#random() * 2) };
  }
}

/** When a rule may say no to a request. */
type Refusal = 'always' | 'when repeated' | 'never';

export interface Range {
  date: string;
  start_hour: number;
  end_hour: number;
}

function hoursOf({ start_hour, end_hour }: Omit<Range, 'date'>): number[] {
  return Array.from({ length: end_hour - start_hour }, (_, i) => start_hour + i);
}

const DAY_MS = 86_400_000;

/** Day hours only: at night one may be skipped by daylight saving. */
const HOURS_A_DAY = 16;

/** Hour number n from the year after next on: every number has one that nobody else asks for. */
export function ownSlot(n: number): Range {
  const day = Date.UTC(NEXT_YEAR + 1, 0, 1) + Math.floor(n / HOURS_A_DAY) * DAY_MS;
  const start_hour = 24 - HOURS_A_DAY + (n % HOURS_A_DAY);
  return { date: new Date(day).toISOString().slice(0, 10), start_hour, end_hour: start_hour + 1 };
}

const REFUSALS = new Set(['BOOKING_CONFLICT', 'BLOCK_SLOT_OCCUPIED', 'BOOKING_CANCELLATION_BLOCKED']);

function judge({ status, headers, body }: Answer): Pick<Sample, 'outcome' | 'text'> {
  if (status === 200) return { outcome: 'done', text: '' };
  const code: unknown = body?.error?.code;
  if (REFUSALS.has(String(code))) return { outcome: 'refused', text: '' };
  const asPromised = code === 'SERVICE_UNAVAILABLE' && /^\d+$/.test(headers.get('retry-after') ?? '');
  if (status === 503 && asPromised) return { outcome: 'unavailable', text: '' };
  return { outcome: 'wrong', text: `${status} ${JSON.stringify(body)}` };
}

function brokenOrSilent(failure: unknown): Pick<Sample, 'outcome' | 'text'> {
  if (failure instanceof Error && failure.name === 'TimeoutError') {
    return { outcome: 'wrong', text: `no answer within ${GIVE_UP_MS} ms` };
  }
  return { outcome: 'broken', text: String(failure) };
}
