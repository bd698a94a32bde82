import { firstIdAt, NO_ID } from '../ids/uuid.ts';
import { PAGE_ROWS, type PendingRow } from './delivery-sql.ts';

/** Longer than any attempt takes. After this, others take over the deliveries of a worker that died. */
export const LEASE_MS = 20_000;
/** A commit that comes later than this after the time it wrote down is found only by a pass from the beginning. */
const LATE_MS = 3000;
/** A pass from the beginning comes when so many times its own duration have gone by: it takes at most a fiftieth. */
const REST = 50;

/** Before these the queues of a subscription hold nothing: an event, and due times. */
interface Mark {
  readonly first: string;
  readonly again: number;
  readonly leased: number;
}

/**
 * How far a worker has come. It goes through the subscriptions with something pending page by page, and remembers from
 * where on it has to look in the queues of each. As long as somebody's transaction is open on PostgreSQL, a dump's for
 * example, all that was delivered meanwhile stays in the indexes, and a look from the beginning reads over it (102 ms
 * after 50 000 deliveries). Only such a pass finds what was committed late or written by a machine whose clock is behind,
 * so it is made as often as it is cheap.
 */
export class Progress {
  #after = { host_id: NO_ID, id: NO_ID };
  #claimedAny = false;
  #known: readonly (Pick<PendingRow, 'host_id' | 'id'> & { mark: Mark })[] = [];
  #seen: (Pick<PendingRow, 'host_id' | 'id'> & { mark: Mark })[] = [];
  #fromBeginning = true;
  #beginAgainAt = 0;
  #lookingMs = 0;
  #lastLook = 0;

  /** What selectPending needs to know of it. */
  get values(): [hostId: string, id: string, most: number, marks: string] {
    const { host_id, id } = this.#after;
    const ahead = this.#fromBeginning ? [] : this.#known.filter((each) => isAfter(each, this.#after));
    const marks = ahead.slice(0, PAGE_ROWS).map((each) => [each.id, each.mark]);
    return [host_id, id, PAGE_ROWS, JSON.stringify(Object.fromEntries(marks))];
  }

  /** Some pages of this pass are still to come. */
  get isMidway(): boolean {
    return this.#after.id !== NO_ID;
  }

  /** Call after each page. True until a full pass over all pages has claimed nothing. */
  passed(page: readonly PendingRow[], claimed: number, now: number, lookedForMs: number): boolean {
    // A clock that was set back: what is due by it now may lie before the marks.
    if (now < this.#lastLook) this.#beginAgainAt = 0;
    this.#lastLook = now;
    this.#lookingMs += lookedForMs;
    this.#seen.push(...page.map((row) => ({ host_id: row.host_id, id: row.id, mark: markOf(row, now) })));
    this.#claimedAny ||= claimed > 0;
    const last = page.at(-1);
    if (last !== undefined && page.length === PAGE_ROWS) {
      this.#after = last;
      return true;
    }
    const more = this.#claimedAny;
    this.#startAgain();
    return more;
  }

  #startAgain(): void {
    const at = performance.now();
    if (this.#fromBeginning) this.#beginAgainAt = at + REST * this.#lookingMs;
    this.#fromBeginning = at >= this.#beginAgainAt;
    this.#known = this.#seen;
    this.#seen = [];
    this.#after = { host_id: NO_ID, id: NO_ID };
    this.#claimedAny = false;
    this.#lookingMs = 0;
  }
}

/** Where to look for deliveries in flight to a subscription that was looked at a moment ago. */
export function leasedFrom(row: PendingRow, now: number): number {
  return markOf(row, now).leased;
}

function markOf({ first, again, leased }: PendingRow, now: number): Mark {
  const settled = now - LATE_MS;
  const newest = firstIdAt(Date.now() - LATE_MS);
  return {
    // Ids are made by the machine's own clock.
    first: [first ?? newest, newest].sort()[0]!,
    again: Math.min(again ?? Infinity, settled),
    leased: Math.min(leased ?? Infinity, settled + LEASE_MS),
  };
}

function isAfter(a: Pick<PendingRow, 'host_id' | 'id'>, b: Pick<PendingRow, 'host_id' | 'id'>): boolean {
  return a.host_id === b.host_id ? a.id > b.id : a.host_id > b.host_id;
}
