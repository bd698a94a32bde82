import { setImmediate as nextTurn, setTimeout as rest } from 'node:timers/promises';
import { serviceUnavailable } from '../errors.ts';

/** More waiting reads are rejected with 503, for the process and for each host. */
const MAX_WAITING = 256;
const MAX_WAITING_PER_HOST = 32;
/** After so much work it is others' turn: for a moment if somebody has come meanwhile, else for what has just arrived. */
const WORK_MS = 0.5;
/** The shortest that a timer offers. Where others keep coming, long reads use a third of a core at most. */
const REST_MS = 1;

/** A read that may take long, done in parts of less than a millisecond. */
export interface LongRead {
  /** Does the next part when it is this host's turn. Rejects instead once nobody waits for the answer any more. */
  part<T>(work: () => T | Promise<T>): Promise<T>;
}

interface Waiting {
  readonly signal: AbortSignal;
  work(): Promise<void>;
  giveUp(reason: unknown): void;
}

/**
 * The long reads of a process: feeds, reports, earnings, far offsets. One part of one of them runs at a time, and hosts take
 * turns: a hundred reads of one host slow others down no more than one does.
 */
export class LongReads {
  /** By host, the next one first. */
  readonly #queues = new Map<string, Waiting[]>();
  #waiting = 0;
  #isAtWork = false;
  #othersCame = false;
  readonly #mostOfHost: number;

  constructor(mostOfHost = MAX_WAITING_PER_HOST) {
    this.#mostOfHost = mostOfHost;
  }

  /** Somebody else has asked for something. */
  makeWay(): void {
    this.#othersCame = true;
  }

  /** `signal` aborts when nobody waits for the answer any more. */
  begin(hostId: string, signal: AbortSignal): LongRead {
    const ofHost = this.#queues.get(hostId)?.length ?? 0;
    if (this.#waiting >= MAX_WAITING || ofHost >= this.#mostOfHost) throw serviceUnavailable();
    return { part: (work) => this.#wait(hostId, signal, work) };
  }

  #wait<T>(hostId: string, signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(hostId) ?? [];
      queue.push({ signal, work: () => Promise.try(work).then(resolve, reject), giveUp: reject });
      this.#queues.set(hostId, queue);
      this.#waiting++;
      void this.#takeTurns();
    });
  }

  async #takeTurns(): Promise<void> {
    if (this.#isAtWork) return;
    this.#isAtWork = true;
    let restedAt = performance.now();
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      if (next.signal.aborted) {
        next.giveUp(next.signal.reason);
        continue;
      }
      await next.work();
      if (performance.now() - restedAt < WORK_MS) continue;
      await nextTurn();
      // Not a reason for the process to live on.
      if (this.#othersCame) await rest(REST_MS, undefined, { ref: false });
      this.#othersCame = false;
      restedAt = performance.now();
    }
    this.#isAtWork = false;
  }

  #next(): Waiting | undefined {
    for (const [hostId, queue] of this.#queues) {
      // Behind all other hosts, if it has more.
      this.#queues.delete(hostId);
      const next = queue.shift();
      if (queue.length > 0) this.#queues.set(hostId, queue);
      this.#waiting--;
      return next;
    }
    return undefined;
  }
}

export const longReads = new LongReads();

/** Writes of many rows. They take turns as long reads do, each in one part, so that other writes come in between. */
export const longWrites = new LongReads(MAX_WAITING);

/** Page by page: the next rows after the last one of the page before, until a page is not full. */
export async function* inPages<Row>(
  longRead: LongRead,
  size: number,
  readAfter: (last: Row | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let last: Row | undefined; ;) {
    const after = last;
    const page = await longRead.part(() => readAfter(after));
    yield page;
    if (page.length < size) return;
    last = page.at(-1);
  }
}

/** What the work makes of each slice of the items. */
export async function inSlices<Item, Made>(
  longRead: LongRead,
  items: readonly Item[],
  size: number,
  work: (slice: readonly Item[]) => Made,
): Promise<Made[]> {
  const made: Made[] = [];
  for (let start = 0; start < items.length; start += size)
    made.push(await longRead.part(() => work(items.slice(start, start + size))));
  return made;
}
