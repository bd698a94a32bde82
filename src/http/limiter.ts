/** How often `look` is called. */
export const LOOK_MS = 100;

/** Steady limit: four times the concurrency that saturates a process. */
const MAX_STEADY = 256;
/** So many more may come at once, such as 500 people who want the same hour. What goes on beyond that is overload. */
const MAX_CROWD = 500;
/**
 * How long a request may take on average while overload lasts. With 2 ms SQLite served a fifth more, but its p99 was up to
 * five times what it is without load, instead of three; with 1 ms it served less than half.
 */
const TARGET_MS = 1.5;
/** Admitted even when nothing was served lately: otherwise nothing would ever be served again. */
const MIN_IN_FLIGHT = 2;

/**
 * Decides how many requests may be in flight. It has no clock and no timer: the caller says when requests begin and end,
 * and calls `look` every LOOK_MS.
 *
 * A crowd ends, so all of it is admitted, and the last one waits longest. Overload does not end, and a queue that never
 * empties makes everybody wait. So in overload only as many are admitted as are served within TARGET_MS, whatever this
 * machine and its database can do: by Little's law, requests in flight = requests served per ms x ms that each takes.
 */
export class Limiter {
  #inFlight = 0;
  #limit = MAX_STEADY;
  #crowdLeft = MAX_CROWD;
  #isOverloaded = false;
  #servedSinceLook = 0;
  #limitMetSinceLook = false;

  get inFlight(): number {
    return this.#inFlight;
  }

  /** As of the last look. */
  get isOverloaded(): boolean {
    return this.#isOverloaded;
  }

  get isFull(): boolean {
    return this.#inFlight >= this.#limit && this.#crowdLeft === 0;
  }

  /** Whether a request may begin. If so it is in flight until `end`. */
  begin(): boolean {
    if (this.#inFlight >= this.#limit) {
      this.#limitMetSinceLook = true;
      if (this.isFull) return false;
      this.#crowdLeft--;
    }
    this.#inFlight++;
    return true;
  }

  end(): void {
    this.#inFlight--;
    this.#servedSinceLook++;
  }

  /** Sets the limit until the next look. */
  look(refusalsWaiting: number): void {
    const served = this.#servedSinceLook;
    const limitMet = this.#limitMetSinceLook;
    this.#servedSinceLook = 0;
    this.#limitMetSinceLook = false;
    if (!limitMet && refusalsWaiting === 0 && this.#inFlight < MAX_STEADY) {
      this.#isOverloaded = false;
      this.#limit = MAX_STEADY;
      this.#crowdLeft = MAX_CROWD;
    } else if (this.#crowdLeft === 0) {
      this.#isOverloaded = true;
      // Where nobody met the limit, what was served tells how much was asked for, not how much can be served.
      const next = limitMet ? (served / LOOK_MS) * TARGET_MS : this.#limit * 2;
      this.#limit = Math.min(MAX_STEADY, Math.max(MIN_IN_FLIGHT, next));
    }
  }
}
