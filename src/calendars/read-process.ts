import { Unreadable } from './parse/limits.ts';
import { parseCalendar, type Circumstances, type Parsed } from './parse/parse.ts';

/** The other side of read.ts: one calendar after another, and an answer to each. It ends when the service does. */

export interface Calendar {
  readonly bytes: Uint8Array;
  readonly circumstances: Circumstances;
}

export type ReadResult = { readonly parsed: Parsed } | { readonly refused: string };

/** A defect of ours: the stack. */
export interface Failed {
  readonly failed: string;
}

// Ctrl-C and systemd send these to every process of the service, which decides by itself when a reading ends.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
process.on('message', (calendar: Calendar) => process.send?.(answer(calendar)));

function answer({ bytes, circumstances }: Calendar): ReadResult | Failed {
  try {
    return { parsed: parseCalendar(new TextDecoder().decode(bytes), circumstances) };
  } catch (error) {
    if (error instanceof Unreadable) return { refused: error.message };
    return { failed: (error as Error).stack ?? String(error) };
  }
}
