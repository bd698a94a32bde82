// How many requests in any minute (contract §3).
import { MINUTE } from './time.ts';

/** When requests of the last minute were admitted, and when one was counted or rejected last. */
export interface Window {
  times: number[];
  latest: number;
}
export const NONE_YET: Window = { times: [], latest: -Infinity };

/**
 * Counts one in the last minute, if there is room. A clock that is set back by up to a minute stands still until it is there again; by
 * more, what was counted is forgotten: it must lock nobody out.
 */
export function count(window: Window, limit: number, now: number): boolean {
  if (window.latest > now + MINUTE) Object.assign(window, NONE_YET);
  window.latest = Math.max(window.latest, now);
  window.times = window.times.filter((at) => at > window.latest - MINUTE);
  const isAdmitted = window.times.length < limit;
  if (isAdmitted) window.times.push(window.latest);
  return isAdmitted;
}
