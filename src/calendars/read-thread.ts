import { parentPort, workerData } from 'node:worker_threads';
import { Unreadable } from './parse/limits.ts';
import { parseCalendar, type Parsed, type Reader } from './parse/parse.ts';

/** The other side of read.ts: one calendar, one answer, and the thread is gone. */

export interface ThreadInput {
  readonly bytes: Uint8Array;
  readonly reader: Reader;
}

export type ThreadOutput = { readonly parsed: Parsed } | { readonly refused: string };

const { bytes, reader } = workerData as ThreadInput;
parentPort?.postMessage(answer(), []);

function answer(): ThreadOutput {
  try {
    return { parsed: parseCalendar(new TextDecoder().decode(bytes), reader) };
  } catch (error) {
    if (error instanceof Unreadable) return { refused: error.message };
    throw error;
  }
}
