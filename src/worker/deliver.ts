import type { Context } from '../context.ts';
import { deliveryDuration } from '../metrics.ts';
import { logTrouble } from '../log.ts';
import { attempt, inWords, type Attempt, type Claimed, type Finished } from '../webhooks/attempt.ts';
import { DELIVER } from '../webhooks/health.ts';
import * as queue from '../webhooks/queue.ts';
import { recordResults, releaseLeasesOfTheDead } from '../webhooks/results.ts';
import { noteRuns } from './runs.ts';

/** How often to look without being woken: wake-ups can get lost. */
export const POLL_MS = 1000;
const MAX_RESULTS_PER_BATCH = 100;
const RECORD_AGAIN_MS = 500;
const STOP_GRACE_MS = 5000;
/** How long a delivery waits whose secret this process cannot open: meanwhile another process may have the key. */
const LOCKED_WAIT_MS = 5000;

export interface Deliveries {
  /** Waits for answers at most this long, then hands back what is still open. */
  stop(graceMs?: number): Promise<void>;
}

/** Sends what is due, now and for as long as the worker runs. */
export function startDeliveries(ctx: Context, pollMs = POLL_MS): Deliveries {
  const courier = new Courier(ctx);
  const running = courier.run(pollMs);
  return {
    stop: async (graceMs = STOP_GRACE_MS) => {
      courier.stop();
      const late = setTimeout(() => courier.abandon(), graceMs);
      await running;
      clearTimeout(late);
    },
  };
}

/** Sends everything that is due now and resolves when all of it is done. */
export async function deliverDue(ctx: Context): Promise<void> {
  const courier = new Courier(ctx);
  while (await courier.sendDue()) await courier.allDone();
}

class Courier {
  readonly #ctx: Context;
  readonly #abandon = new AbortController();
  readonly #pass = new queue.Pass();
  #wakeUp = Promise.withResolvers<void>();
  #inFlight = 0;
  #finished: Finished[] = [];
  #recording = false;
  #stopping = false;
  /** The last claim took all it was allowed to. */
  #hadNoRoom = false;
  #saidLocked = false;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  async run(pollMs: number): Promise<void> {
    const stopListening = this.#ctx.db.listen(() => this.#wakeUp.resolve());
    await this.#safely(() => releaseLeasesOfTheDead(this.#ctx));
    const alive = noteRuns(this.#ctx, DELIVER);
    while (!this.#stopping) {
      const more = await this.#safely(() => this.sendDue());
      if (more !== undefined) await alive();
      const goesOn = more === true && (this.#pass.isMidway || this.#hadNoRoom);
      if (!goesOn) await this.#pause(pollMs);
    }
    stopListening();
    await this.allDone();
  }

  stop(): void {
    this.#stopping = true;
    this.#wakeUp.resolve();
  }

  abandon(): void {
    this.#abandon.abort();
  }

  /** Starts deliveries that are due. Returns whether there may be more. */
  async sendDue(): Promise<boolean> {
    const room = queue.roomFor(this.#inFlight);
    if (room.rows === 0) return false;
    const { claimed, more } = await this.#pass.claim(this.#ctx, room);
    for (const delivery of claimed) {
      this.#inFlight++;
      void this.#send(delivery);
    }
    this.#hadNoRoom = claimed.length === room.rows;
    return more;
  }

  async allDone(): Promise<void> {
    while (this.#inFlight > 0) await this.#pause(POLL_MS);
  }

  /** Until a wake-up. One that came since the last pause counts: what it is for may have been passed already. */
  async #pause(milliseconds: number): Promise<void> {
    const timer = setTimeout(this.#wakeUp.resolve, milliseconds);
    await this.#wakeUp.promise;
    clearTimeout(timer);
    this.#wakeUp = Promise.withResolvers();
  }

  async #send(delivery: Claimed): Promise<void> {
    const startedAt = performance.now();
    const result = await this.#attempt(delivery);
    if (result === undefined) {
      this.#reportLocked(delivery);
      this.#finished.push({ delivery, attempt: undefined, waitMs: LOCKED_WAIT_MS });
    } else {
      this.#report(delivery, result, performance.now() - startedAt);
      const abandoned = result.error === 'aborted';
      if (!abandoned) this.#ctx.figures.attempt(delivery.host_id, result.error === null);
      this.#finished.push({ delivery, attempt: abandoned ? undefined : result });
    }
    if (!this.#recording) void this.#recordAll();
  }

  async #attempt(delivery: Claimed): Promise<Attempt | undefined> {
    try {
      return await attempt(this.#ctx, delivery, this.#abandon.signal);
    } catch (error) {
      logTrouble(this.#ctx.log, error, {}, 'a delivery could not be attempted');
      return { at: this.#ctx.clock.now(), error: 'internal_error', responseStatus: null, retryAfter: 0 };
    }
  }

  /** Results that arrive while others are being recorded are recorded together in the next round. */
  async #recordAll(): Promise<void> {
    this.#recording = true;
    while (this.#finished.length > 0) {
      const batch = this.#finished.splice(0, MAX_RESULTS_PER_BATCH);
      const isRecorded = await this.#safely(() => recordResults(this.#ctx, batch).then(() => true));
      // Kept until the lease ends; after that another worker has the delivery.
      const now = this.#ctx.clock.now();
      const kept = isRecorded ? [] : batch.filter(({ delivery }) => delivery.due_at > now);
      this.#inFlight -= batch.length - kept.length;
      if (isRecorded) {
        this.#wakeUp.resolve();
      } else {
        this.#finished.push(...kept);
        await new Promise((resolve) => setTimeout(resolve, RECORD_AGAIN_MS));
      }
    }
    this.#recording = false;
  }

  async #safely<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      logTrouble(this.#ctx.log, error, {}, 'deliveries failed; they will be tried again');
      return undefined;
    }
  }

  /** Once: it is the same for every delivery that waits. */
  #reportLocked({ host_id, webhook_id }: Claimed): void {
    if (this.#saidLocked) return;
    this.#saidLocked = true;
    this.#ctx.log.error(
      { host_id, webhook_id },
      'webhook secrets are encrypted with a key that this process does not have; their deliveries wait until it is restarted with that SECRET_KEY',
    );
  }

  /** Never the URL: it may carry a token. */
  #report(delivery: Claimed, { error, responseStatus }: Attempt, milliseconds: number): void {
    deliveryDuration.observe({ result: error ?? 'delivered' }, milliseconds / 1000);
    this.#ctx.log[error === null ? 'debug' : 'info'](
      {
        host_id: delivery.host_id,
        webhook_id: delivery.webhook_id,
        event_id: delivery.event_id,
        request_id: delivery.request_id ?? undefined,
        trace_id: delivery.traceparent?.split('-')[1],
        attempt: delivery.attempts + 1,
        error: error === null ? undefined : { type: error, message: inWords(error, responseStatus) },
        response_status: responseStatus,
        duration_ms: Math.round(milliseconds),
      },
      'webhook attempt',
    );
  }
}
