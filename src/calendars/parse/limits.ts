/**
 * What a calendar may cost. The largest calendars of real life stay far below. Size and events refuse a calendar as a whole, and the
 * hours of the last good import stay; a rule that is too dear for what is left of the budget is left out. Whatever else is dear ends
 * with the process that reads (read.ts).
 */
export const MAX_BYTES = 5 * 1024 * 1024;
export const MAX_EVENTS = 50_000;
/** In the window. Every half hour of it makes 19 296. */
export const MAX_OCCURRENCES_PER_RULE = 40_000;
/** Of all rules together. */
const MAX_OCCURRENCES = 200_000;
/** CPU time of all rules together: what else the machine is busy with does not count. Most rules take a few milliseconds. */
const MAX_CPU_MS = 5000;

/** Why a calendar cannot be used, in words for the operator; never with anything from inside it. */
export class Unreadable extends Error {}

/** Why a line of a calendar, or a part of it, cannot be used; the message names it and quotes nothing. */
export class NotUnderstood extends Error {}

/** What the rules of a calendar may cost together. */
export class Budget {
  #left = MAX_OCCURRENCES;
  readonly #endsAt: number;

  constructor(maxCpuMs = MAX_CPU_MS) {
    this.#endsAt = cpuMs() + maxCpuMs;
  }

  spend(occurrences: number): void {
    this.#left -= occurrences;
    if (this.#left < 0) throw new NotUnderstood('it recurs too often');
    if (cpuMs() > this.#endsAt) throw new NotUnderstood('it takes too long');
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
