import { fork, type ChildProcess } from 'node:child_process';
import type { Circumstances } from './parse/parse.ts';
import type { Calendar, Failed, ReadResult } from './read-process.ts';

export type { ReadResult } from './read-process.ts';

/** The largest calendars that are accepted take 2 to 3 s. */
const DEADLINE_MS = 10_000;
/** They need 60 MB. */
const HEAP_MB = 128;
const READER = new URL('./read-process.ts', import.meta.url);
/** To start one takes 0.1 s of CPU, many times what most calendars take. One without work costs memory. */
const KEPT_MS = 5000;

let previous: Promise<unknown> = Promise.resolve();
let kept: { readonly reader: ChildProcess; readonly forget: () => void } | undefined;

/**
 * Reads a calendar in a process of its own, which is killed when it takes too long or too much memory: rules may take
 * seconds (parse/limits.ts says how many), and meanwhile the service has requests to answer. Not in a thread: what one
 * had used, up to 40 MB, stayed with the service after it had ended. One at a time, so that what hostile calendars can
 * cost at most does not depend on how many there are.
 */
export async function readCalendar(
  bytes: Uint8Array,
  circumstances: Circumstances,
  signal: AbortSignal,
): Promise<ReadResult> {
  const turn = previous.then(() => readInProcess({ bytes, circumstances }, signal));
  previous = turn.catch(() => undefined);
  return turn;
}

async function readInProcess(calendar: Calendar, signal: AbortSignal): Promise<ReadResult> {
  if (signal.aborted) return ABANDONED;
  const reader = takeReader();
  let answered = false;
  try {
    const answer = answerOf(reader, signal);
    // Where it cannot be sent, the reader has ended, and `answerOf` says so.
    reader.send(calendar, () => undefined);
    const result = await answer;
    answered = result !== ABANDONED && result !== TOO_SLOW && result !== TOO_LARGE;
    return result;
  } finally {
    if (answered) keep(reader);
    else reader.kill('SIGKILL');
  }
}

function takeReader(): ChildProcess {
  if (kept === undefined) {
    return fork(READER, {
      execArgv: [`--max-old-space-size=${HEAP_MB}`, '--max-semi-space-size=8'],
      serialization: 'advanced',
      // Out of memory, V8 would tell the whole story on standard error.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
  }
  const { reader, forget } = kept;
  forget();
  reader.off('exit', forget).ref();
  reader.channel?.ref();
  return reader;
}

/** Nobody waits for it: a process that has nothing else to do ends, and the reader with it. */
function keep(reader: ChildProcess): void {
  // Without its channel it ends by itself, and leaves what it has compiled in the cache.
  const end = setTimeout(() => {
    forget();
    reader.disconnect();
  }, KEPT_MS).unref();
  const forget = (): void => {
    clearTimeout(end);
    kept = undefined;
  };
  reader.on('exit', forget).unref();
  reader.channel?.unref();
  kept = { reader, forget };
}

const ABANDONED: ReadResult = { refused: 'the reading was abandoned' };
const TOO_SLOW: ReadResult = { refused: `the calendar takes more than ${DEADLINE_MS / 1000} s to read` };
const TOO_LARGE: ReadResult = { refused: 'the calendar takes too much memory to read' };

async function answerOf(reader: ChildProcess, signal: AbortSignal): Promise<ReadResult> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadResult>();
  const deadline = setTimeout(() => resolve(TOO_SLOW), DEADLINE_MS);
  const abandon = (): void => resolve(ABANDONED);
  const take = (answer: ReadResult | Failed): void => {
    if ('failed' in answer) reject(new Error(answer.failed));
    else resolve(answer);
  };
  const end = (_code: number | null, by: NodeJS.Signals | null): void => {
    // V8 aborts where memory runs out.
    if (by === 'SIGABRT') resolve(TOO_LARGE);
    else reject(new Error('the reading process ended without a result'));
  };
  signal.addEventListener('abort', abandon);
  reader.on('message', take).on('error', reject).on('exit', end);
  try {
    return await promise;
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener('abort', abandon);
    reader.off('message', take).off('error', reject).off('exit', end);
  }
}
