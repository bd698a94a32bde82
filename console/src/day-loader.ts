import type { Availability } from '@hourkeep/client';
import { sleep } from './api.ts';
import { read } from './calls.ts';
import { daysBetween, type CivilDate } from './dates.ts';

// Days are remembered one by one, and asked for together: those of a space that are wanted at the same moment are one
// request.

/** Who pages on within this time has not looked at the day, and does not spend a request on it. */
export const GLANCE_MS = 120;
/** The API tells at most so many days at once. */
const MOST_DAYS = 31;

interface Wanted {
  readonly date: CivilDate;
  readonly signal: AbortSignal;
  readonly resolve: (day: Availability) => void;
  readonly reject: (reason: unknown) => void;
}

const waiting = new Map<string, Wanted[]>();

export async function loadDay(spaceId: string, date: CivilDate, signal: AbortSignal): Promise<Availability> {
  const day = new Promise<Availability>((resolve, reject) => {
    const wanted = { date, signal, resolve, reject };
    const others = waiting.get(spaceId);
    if (others !== undefined) others.push(wanted);
    else {
      waiting.set(spaceId, [wanted]);
      void sleep(GLANCE_MS).then(() => askFor(spaceId));
    }
  });
  return day;
}

function askFor(spaceId: string): void {
  const wanted = waiting.get(spaceId) ?? [];
  waiting.delete(spaceId);
  for (const { signal, reject } of wanted) if (signal.aborted) reject(signal.reason);
  const left = wanted.filter(({ signal }) => !signal.aborted).sort((a, b) => a.date.localeCompare(b.date));
  while (left.length > 0) {
    const first = left[0]!.date;
    const beyond = left.findIndex(({ date }) => daysBetween(first, date) >= MOST_DAYS);
    void askTogether(spaceId, left.splice(0, beyond === -1 ? left.length : beyond));
  }
}

async function askTogether(spaceId: string, wanted: readonly Wanted[]): Promise<void> {
  const signal = whenNobodyWaits(wanted);
  const first = wanted[0]!.date;
  const days = daysBetween(first, wanted.at(-1)!.date) + 1;
  try {
    const answer = await read((hk) => hk.availability.get(spaceId, first, { days, signal }), signal);
    for (const { date, resolve } of wanted) {
      const { slots, blocks } = answer.days![daysBetween(first, date)]!;
      resolve({ space_id: spaceId, timezone: answer.timezone, date, slots, blocks });
    }
  } catch (error) {
    for (const { reject } of wanted) reject(error);
  }
}

/** Aborts when the last of them has been. */
function whenNobodyWaits(wanted: readonly Wanted[]): AbortSignal {
  const controller = new AbortController();
  let left = wanted.length;
  for (const { signal } of wanted) {
    const gone = (): void => {
      left -= 1;
      if (left === 0) controller.abort(signal.reason);
    };
    signal.addEventListener('abort', gone, { once: true });
  }
  return controller.signal;
}
