import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
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
let kept: ChildProcess | undefined;
let ending: NodeJS.Timeout | undefined;

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

async function readInProcess(calendar: Calendar, stopping: AbortSignal): Promise<ReadResult> {
  if (stopping.aborted) return ABANDONED;
  const used = takeReader();
  const late = AbortSignal.timeout(DEADLINE_MS);
  const done = new AbortController();
  const until = { signal: AbortSignal.any([stopping, late, done.signal]) };
  let isWell = false;
  try {
    const result = Promise.race([once(used, 'message', until), once(used, 'exit', until)]);
    // Where it cannot be sent, the reader has ended.
    used.send(calendar, () => undefined);
    const [answer, by] = (await result) as [ReadResult | Failed] | [code: number | null, by: string | null];
    // V8 aborts where memory runs out.
    if (by === 'SIGABRT') return { refused: 'the calendar takes too much memory to read' };
    if (answer === null || typeof answer === 'number')
      throw new Error('the reading process ended without a result');
    isWell = true;
    if ('failed' in answer) throw new Error(answer.failed);
    return answer;
  } catch (error) {
    if (stopping.aborted) return ABANDONED;
    if (late.aborted) return { refused: `the calendar takes more than ${DEADLINE_MS / 1000} s to read` };
    throw error;
  } finally {
    done.abort();
    if (isWell) keep(used);
    else used.kill('SIGKILL');
  }
}

const ABANDONED: ReadResult = { refused: 'the reading was abandoned' };

function takeReader(): ChildProcess {
  clearTimeout(ending);
  const taken = kept ?? startReader();
  kept = undefined;
  taken.ref();
  taken.channel?.ref();
  return taken;
}

function startReader(): ChildProcess {
  const started = fork(READER, {
    execArgv: [`--max-old-space-size=${HEAP_MB}`, '--max-semi-space-size=8'],
    serialization: 'advanced',
    // Out of memory, V8 would tell the whole story on standard error.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return started.on('exit', () => {
    if (kept === started) kept = undefined;
  });
}

/** Nobody waits for it: a process that has nothing else to do ends, and the reader with it. */
function keep(reader: ChildProcess): void {
  reader.unref();
  reader.channel?.unref();
  kept = reader;
  ending = setTimeout(() => {
    kept = undefined;
    // Without its channel it ends by itself, and leaves what it has compiled in the cache.
    if (reader.connected) reader.disconnect();
  }, KEPT_MS).unref();
}
