/**
 * What a calendar may cost. The largest calendars of real life stay far below each. Size, events, zones and
 * nesting refuse a calendar as a whole, and the hours of the last good import stay; a rule that costs too much
 * is left out by itself.
 */
export const MAX_BYTES = 5 * 1024 * 1024;
export const MAX_EVENTS = 50_000;
export const MAX_TIMEZONES = 200;
export const MAX_DEPTH = 8;
/** Characters of a line that is read, such as a list of exceptions. Lines that are not read may be of any length. */
export const MAX_LINE_LENGTH = 256 * 1024;

/** Why a calendar cannot be used, in words for the operator; never with anything from inside it. */
export class Unreadable extends Error {}

/** Why a line of a calendar, or a part of it, cannot be used; the message names it and quotes nothing. */
export class NotUnderstood extends Error {}

/** Occurrences of one rule. Every half hour of the window makes 19 296, every day of a century 36 525. */
const MAX_OCCURRENCES_PER_RULE = 40_000;
/** Occurrences of all rules together. */
const MAX_OCCURRENCES = 200_000;
/** CPU time of one rule, and of all. Most rules take a few milliseconds. */
const MAX_CPU_MS_PER_RULE = 2000;
const MAX_CPU_MS = 5000;
/** Elapsed time of all rules. It ends before the process is killed after 10 s, when nothing at all would be imported. */
const MAX_ELAPSED_MS = 8000;

/** What the rules of a calendar may cost, each and together, so that an expensive one leaves something to the others. */
export class Budget {
  #left = MAX_OCCURRENCES;
  #leftOfRule = MAX_OCCURRENCES_PER_RULE;
  #ruleStartedAt = cpuMs();
  readonly #startedAt = { cpu: cpuMs(), clock: performance.now() };

  beginRule(): void {
    this.#leftOfRule = MAX_OCCURRENCES_PER_RULE;
    this.#ruleStartedAt = cpuMs();
  }

  spendOccurrence(): void {
    if (--this.#leftOfRule < 0 || --this.#left < 0) throw new NotUnderstood('it recurs too often');
  }

  checkTime(): void {
    const cpu = cpuMs();
    if (
      cpu - this.#ruleStartedAt > MAX_CPU_MS_PER_RULE ||
      cpu - this.#startedAt.cpu > MAX_CPU_MS ||
      performance.now() - this.#startedAt.clock > MAX_ELAPSED_MS
    ) {
      throw new NotUnderstood('it takes too long');
    }
  }
}

/** Of this thread: what else the machine is busy with does not count. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
