import type { Booking } from '@hourkeep/client';
import { createStore } from './store.ts';

// What others have changed is told; what this page has changed itself is not.

/** The last change by others, in words. */
export const news = createStore<{ readonly message: string } | undefined>(undefined);
/** Changes by others since the window last had the focus; they stand in front of the title. */
export const unseen = createStore(0);

/** Versions of bookings that the page has: of its own changes, and of what it was told. */
const seen = new Set<string>();
let writing: Promise<unknown> = Promise.resolve();

/** Whether this version of a booking is new to the page. */
export function isNews({ id, status, updated_at }: Booking): boolean {
  const version = `${id} ${status} ${updated_at}`;
  if (seen.has(version)) return false;
  seen.add(version).add(`${id} ${status}`);
  return true;
}

/** A booking that is paid for after it was made has not been made twice. */
export const isKnown = ({ id, status }: Booking): boolean => seen.has(`${id} ${status}`);

export async function ownChange<T>(work: () => Promise<T>): Promise<T> {
  const done = work().then((answer) => {
    if (isBooking(answer)) isNews(answer);
    return answer;
  });
  writing = Promise.allSettled([writing, done]);
  return done;
}

/** The service may tell of an own change before it has answered the request that made it. */
export const ownChangesDone = (): Promise<unknown> => writing;

export function forgetNews(): void {
  seen.clear();
  unseen.set(0);
  news.set(undefined);
}

function isBooking(answer: unknown): answer is Booking {
  return typeof answer === 'object' && answer !== null && 'guest_name' in answer && 'status' in answer;
}
