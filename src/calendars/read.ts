import { Worker } from 'node:worker_threads';
import type { Reader } from './parse/parse.ts';
import type { ThreadInput, ThreadOutput } from './read-thread.ts';

export type ReadResult = ThreadOutput;

/** The largest calendars that are accepted take 2 to 3 s. */
const DEADLINE_MS = 10_000;
/** They need 60 MB. */
const HEAP_MB = 128;
const THREAD = new URL('./read-thread.ts', import.meta.url);

let previous: Promise<unknown> = Promise.resolve();

/**
 * Reads a calendar in a thread of its own, which is stopped when it takes too long or too much memory: some
 * rules keep ical.js busy for minutes inside a single call (FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30: 345 s), and
 * meanwhile the service has requests to answer. One thread at a time, so that what hostile calendars can cost
 * at most does not depend on how many there are.
 */
export async function readCalendar(
  bytes: Uint8Array,
  reader: Reader,
  signal: AbortSignal,
): Promise<ReadResult> {
  const turn = previous.then(() => readInThread({ bytes, reader }, signal));
  previous = turn.catch(() => undefined);
  return turn;
}

async function readInThread(input: ThreadInput, signal: AbortSignal): Promise<ReadResult> {
  if (signal.aborted) return ABANDONED;
  const thread = new Worker(THREAD, {
    workerData: input,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: HEAP_MB / 4 },
  });
  try {
    return await answerOf(thread, signal);
  } finally {
    await thread.terminate();
  }
}

const ABANDONED: ReadResult = { refused: 'the reading was abandoned' };

async function answerOf(thread: Worker, signal: AbortSignal): Promise<ReadResult> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadResult>();
  const deadline = setTimeout(() => {
    resolve({ refused: `the calendar takes more than ${DEADLINE_MS / 1000} s to read` });
  }, DEADLINE_MS);
  const abandon = (): void => resolve(ABANDONED);
  signal.addEventListener('abort', abandon);
  thread.once('message', resolve);
  thread.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      resolve({ refused: 'the calendar takes too much memory to read' });
    } else reject(error);
  });
  thread.once('exit', () => reject(new Error('the reading thread ended without an answer')));
  try {
    return await promise;
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener('abort', abandon);
  }
}
