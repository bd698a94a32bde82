import { firstIdAt, newId, NO_ID, timeOfId } from '../ids/uuid.ts';

// Which subscriptions a worker looks at next, and from where in their queues. As long as a transaction is open on PostgreSQL, a dump's for
// example, all that was delivered meanwhile stays in the indexes, and a look from the beginning of a queue reads over it. So a worker
// remembers a mark in each queue, before which there is nothing.

/** Longer than any attempt takes. After this, others take over the deliveries of a worker that died. */
export const LEASE_MS = 20_000;

/** Subscriptions of one look: 200 take about 3 ms on PostgreSQL and half of one on SQLite. */
export const PAGE_ROWS = 200;

/** A subscription as a look found it. */
export interface Seen {
  host_id: string;
  id: string;
  /** The oldest event that was not tried yet, and since when something is to be retried; null when nothing is due. */
  first: string | null;
  retry: number | null;
  /** When the first of the leases ends. */
  leased: number | null;
}

/** An event and two due times. */
export type Mark = { readonly [Queue in 'first' | 'retry' | 'leased']: NonNullable<Seen[Queue]> };

/** A commit that comes later than this after the time it wrote down is found only by a pass from the beginning. */
const LATE_MS = 3000;

function markOf(row: Seen, now: number): Mark {
  // The time of ids is not that of the context's clock: ask a new one.
  const latest = firstIdAt(timeOfId(newId()) - LATE_MS);
  return {
    first: row.first !== null && row.first < latest ? row.first : latest,
    retry: Math.min(row.retry ?? Infinity, now - LATE_MS),
    leased: leasedFrom(row, now),
  };
}

export function leasedFrom({ leased }: Seen, now: number): number {
  return Math.min(leased ?? Infinity, now - LATE_MS + LEASE_MS);
}

const BEGINNING: Pick<Seen, 'host_id' | 'id'> = { host_id: NO_ID, id: NO_ID };

/**
 * Without marks comes one pass each time that fifty times its own duration have gone by, so that it takes at most a fiftieth of one
 * connection's time. Only such a pass finds what was committed late, written by a machine whose clock is behind, or sent again
 * by the operator.
 */
const REST = 50;

/** How far a worker has come on its way through the pages, and its marks. */
export class Progress {
  #after = BEGINNING;
  #claimedAny = false;
  /** Those of each page, by the subscription before it. */
  readonly #marks = new Map<string, string>();
  #usesMarks = false;
  #forgetMarksAt = 0;
  #lookingMs = 0;
  #lastLook = 0;

  /** What selectPending needs to know of it. */
  get values(): [hostId: string, id: string, rows: number, marks: string] {
    const { host_id, id } = this.#after;
    return [host_id, id, PAGE_ROWS, this.#marks.get(id) ?? '{}'];
  }

  /** Some pages of this pass are still to come. */
  get isMidway(): boolean {
    return this.#after !== BEGINNING;
  }

  /** Call after each page. True until a full pass over all pages has claimed nothing. */
  passed(page: readonly Seen[], claimed: number, now: number, lookedForMs: number): boolean {
    // A clock that was set back: what is due by it now may lie before the marks.
    if (now < this.#lastLook) this.#forgetMarksAt = 0;
    this.#lastLook = now;
    this.#lookingMs += lookedForMs;
    this.#claimedAny ||= claimed > 0;
    const marks = Object.fromEntries(page.map((row) => [row.id, markOf(row, now)]));
    this.#marks.set(this.#after.id, JSON.stringify(marks));
    const last = page.at(-1);
    if (last !== undefined && page.length === PAGE_ROWS) {
      this.#after = last;
      return true;
    }
    return this.#endPass();
  }

  #endPass(): boolean {
    const more = this.#claimedAny;
    const at = performance.now();
    if (!this.#usesMarks) this.#forgetMarksAt = at + REST * this.#lookingMs;
    this.#usesMarks = at < this.#forgetMarksAt;
    if (!this.#usesMarks) this.#marks.clear();
    this.#after = BEGINNING;
    this.#claimedAny = false;
    this.#lookingMs = 0;
    return more;
  }
}
