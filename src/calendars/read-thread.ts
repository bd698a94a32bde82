import { parentPort } from 'node:worker_threads';
import { Unreadable } from './parse/limits.ts';
import { parseCalendar, type Circumstances, type Parsed } from './parse/parse.ts';

/** The other side of read.ts: one calendar after another, and an answer to each. */

export interface ThreadInput {
  readonly bytes: Uint8Array;
  readonly circumstances: Circumstances;
}

export type ThreadOutput = { readonly parsed: Parsed } | { readonly refused: string };

parentPort?.on('message', (input: ThreadInput) => parentPort?.postMessage(answer(input), []));

function answer({ bytes, circumstances }: ThreadInput): ThreadOutput {
  try {
    return { parsed: parseCalendar(new TextDecoder().decode(bytes), circumstances) };
  } catch (error) {
    if (error instanceof Unreadable) return { refused: error.message };
    throw error;
  }
}
