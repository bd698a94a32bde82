import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../simulate/random.ts';
import { CREATE } from '../support/booking.ts';
import { NEXT_YEAR, nextJune } from '../support/clock.ts';
import { send, type Answer } from '../support/world.ts';
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

const RETRY_MS = 100;
/** Longer than anything that is held up on purpose; where an answer is to be quick, that is judged by its time. */
const GIVE_UP_MS = 15_000;
/** How the addresses of our guests begin. */
export const GUESTS = 'chaos-';

interface Pace {
  readonly callers?: number;
  /** From an answer to the caller's next request, on average. */
  readonly thinkMs?: number;
  /** Everybody wants the same few hours. Otherwise most bookings have an hour of their own. */
  readonly contested?: boolean;
}

/** Creates, moves, cancellations and reads from many callers at once, until told to stop. */
export class Traffic {
  readonly samples: Sample[] = [];
  /** `booking.created ID` and `booking.cancelled ID`. */
  readonly acknowledged = new Set<string>();
  /** How often what was done. */
  readonly done: Record<string, number> = {};
  readonly #deployment: Deployment;
  readonly #random: Random;
  readonly #pace: Required<Pace>;
  readonly #standing: string[] = [];
  #runners: Promise<void>[] = [];
  #stopping = false;
  #next = 0;
  #turn = 0;

  constructor(deployment: Deployment, random: Random, pace: Pace = {}) {
    this.#deployment = deployment;
    this.#random = random;
    this.#pace = { callers: 32, thinkMs: 25, contested: false, ...pace };
  }

  start(): void {
    this.#stopping = false;
    this.#runners = Array.from({ length: this.#pace.callers }, () => this.#run());
  }

  /** Resolves when everybody has got a clear answer. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#runners);
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      await this.#step();
      await delay(this.#pace.thinkMs * 2 * this.#random.next());
    }
  }

  async #step(): Promise<void> {
    const kind = this.#random.next();
    const standing = this.#standing.length;
    if (kind < 0.4) await this.#book('created', this.#pace.contested);
    else if (kind < 0.5) await this.#book('created', true);
    else if (kind < 0.6 && standing > 0) await this.#move(this.#pick());
    else if (kind < 0.75 && standing > 0) await this.#cancel(this.#pick());
    else await this.#read();
  }

  /** Answers with whether it stands. */
  async #book(what: string, isContested: boolean, replaces?: string): Promise<boolean> {
    const n = this.#next++;
    const body = {
      ...(isContested ? this.#contestedSlot() : ownSlot(n)),
      space_id: this.#deployment.demo.spaces[0]!.id,
      guest_name: 'Chaos',
      guest_email: `${GUESTS}${n}@example.com`,
      idempotency_key: `${GUESTS}${n}`,
      replaces,
    };
    const { status, body: answer } = await this.#untilClear(
      'POST',
      CREATE,
      body,
      isContested ? 'always' : 'never',
    );
    if (status !== 200) return false;
    const { id } = answer.data.booking;
    this.#note(what, `booking.created ${id}`);
    this.#standing.push(id);
    return true;
  }

  async #move(id: string): Promise<void> {
    const isDone = await this.#book('moved', this.#pace.contested, id);
    if (isDone) this.acknowledged.add(`booking.cancelled ${id}`);
    else this.#standing.push(id);
  }

  async #cancel(id: string): Promise<void> {
    const path = `/api-cancel-booking/api/v1/bookings/${id}/cancel`;
    // "Not confirmed any more" is what a second attempt hears when the first one had been carried out.
    await this.#untilClear('POST', path, { reason: 'chaos' }, 'when repeated');
    this.#note('cancelled', `booking.cancelled ${id}`);
  }

  async #read(): Promise<void> {
    const space = this.#deployment.demo.spaces[0]!.id;
    const { date } = ownSlot(this.#random.below(this.#next + 1));
    const path = this.#random.one([
      `/api-availability/api/v1/spaces/${space}/availability?date=${date}`,
      `/api-bookings/api/v1/bookings?from=${date}&to=${date}`,
      '/api-listings/api/v1/spaces',
    ]);
    await this.#ask('GET', path);
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
    const call = { key: demo.keys.production, body, signal: AbortSignal.timeout(GIVE_UP_MS) };
    let answer: Answer | undefined;
    let failure: unknown;
    try {
      answer = await send(processes[process]!.url, method, path, call);
    } catch (error) {
      failure = error;
    }
    const judged = answer === undefined ? brokenOrSilent(failure) : judge(answer);
    const sample = { process, writes: method !== 'GET', sentAt, answeredAt: performance.now(), ...judged };
    this.samples.push(sample);
    return { answer, sample };
  }

  #note(what: string, event: string): void {
    this.done[what] = (this.done[what] ?? 0) + 1;
    this.acknowledged.add(event);
  }

  #pick(): string {
    return this.#standing.splice(this.#random.below(this.#standing.length), 1)[0]!;
  }

  #contestedSlot(): Range {
    const start_hour = this.#random.below(22);
    return { date: nextJune(1), start_hour, end_hour: start_hour + this.#random.between(1, 2) };
  }
}

/** When a rule may say no to a request. */
type Refusal = 'always' | 'when repeated' | 'never';

interface Range {
  date: string;
  start_hour: number;
  end_hour: number;
}

const DAY_MS = 86_400_000;
/** Day hours only: at night one may be skipped by daylight saving. */
const HOURS_A_DAY = 16;

/** Hour number n from the year after next on: every number has one that nobody else asks for. */
function ownSlot(n: number): Range {
  const day = Date.UTC(NEXT_YEAR + 1, 0, 1) + Math.floor(n / HOURS_A_DAY) * DAY_MS;
  const start_hour = 24 - HOURS_A_DAY + (n % HOURS_A_DAY);
  return { date: new Date(day).toISOString().slice(0, 10), start_hour, end_hour: start_hour + 1 };
}

const REFUSALS = new Set(['BOOKING_CONFLICT', 'BOOKING_CANCELLATION_BLOCKED']);

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
