import { Unreadable } from '../../src/calendars/parse/limits.ts';
import { parseCalendar, type Circumstances } from '../../src/calendars/parse/parse.ts';
import type { ReadResult } from '../../src/calendars/read.ts';

/**
 * In place of `src/calendars/read.ts`, which reads in a process of its own, since rules of strangers may take seconds. To start one
 * takes as long as a hundred operations, and the calendars of a simulation have no rules.
 */
export async function readCalendar(bytes: Uint8Array, circumstances: Circumstances): Promise<ReadResult> {
  try {
    return { parsed: parseCalendar(new TextDecoder().decode(bytes), circumstances) };
  } catch (error) {
    if (error instanceof Unreadable) return { refused: error.message };
    throw error;
  }
}
