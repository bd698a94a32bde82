import { Worker } from 'node:worker_threads';
import type { Circumstances } from './parse/parse.ts';
import type { ThreadInput, ThreadOutput } from './read-thread.ts';

export type ReadResult = ThreadOutput;

/** The largest calendars that are accepted take 2 to 3 s. */
const DEADLINE_MS = 10_000;
/** They need 60 MB. */
const HEAP_MB = 128;
const THREAD = new URL('./read-thread.ts', import.meta.url);
/** To start a thread takes 0.3 s of CPU, many times what most calendars take. One without work costs memory. */
const KEPT_MS = 5000;

let previous: Promise<unknown> = Promise.resolve();
let kept: { readonly thread: Worker; readonly forget: () => void } | undefined;

/**
 * Reads a calendar in another thread, which is stopped when it takes too long or too much memory: rules may take
 * seconds (parse/budget.ts says how many), and meanwhile the service has requests to answer. One at a time, so that
 * what hostile calendars can cost at most does not depend on how many there are.
 */
export async function readCalendar(
  bytes: Uint8Array,
  circumstances: Circumstances,
  signal: AbortSignal,
): Promise<ReadResult> {
  const turn = previous.then(() => readInThread({ bytes, circumstances }, signal));
  previous = turn.catch(() => undefined);
  return turn;
}

async function readInThread(input: ThreadInput, signal: AbortSignal): Promise<ReadResult> {
  if (signal.aborted) return ABANDONED;
  const thread = takeThread();
  let answered = false;
  try {
    thread.postMessage(input, []);
    const result = await answerOf(thread, signal);
    answered = result !== ABANDONED && result !== TOO_SLOW && result !== TOO_LARGE;
    return result;
  } finally {
    if (answered) keep(thread);
    else await thread.on('error', () => undefined).terminate();
  }
}

function takeThread(): Worker {
  if (kept === undefined) {
    return new Worker(THREAD, {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: HEAP_MB / 4 },
    });
  }
  const { thread, forget } = kept;
  forget();
  thread.off('error', forget).off('exit', forget).ref();
  return thread;
}

/** Nobody waits for it: a process that has nothing else to do ends. */
function keep(thread: Worker): void {
  const end = setTimeout(() => void thread.terminate(), KEPT_MS).unref();
  const forget = (): void => {
    clearTimeout(end);
    kept = undefined;
  };
  thread.on('error', forget).on('exit', forget).unref();
  kept = { thread, forget };
}

const ABANDONED: ReadResult = { refused: 'the reading was abandoned' };
const TOO_SLOW: ReadResult = { refused: `the calendar takes more than ${DEADLINE_MS / 1000} s to read` };
const TOO_LARGE: ReadResult = { refused: 'the calendar takes too much memory to read' };

async function answerOf(thread: Worker, signal: AbortSignal): Promise<ReadResult> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadResult>();
  const deadline = setTimeout(() => resolve(TOO_SLOW), DEADLINE_MS);
  const abandon = (): void => resolve(ABANDONED);
  const fail = (error: NodeJS.ErrnoException): void => {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(TOO_LARGE);
    else reject(error);
  };
  const end = (): void => reject(new Error('the reading thread ended without an answer'));
  signal.addEventListener('abort', abandon);
  thread.on('message', resolve).on('error', fail).on('exit', end);
  try {
    return await promise;
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener('abort', abandon);
    thread.off('message', resolve).off('error', fail).off('exit', end);
  }
}
