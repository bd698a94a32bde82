import { createInterface } from 'node:readline/promises';
import { OperatorError } from '../errors.ts';
import { visible } from './output.ts';

/** Throws where nobody can be asked: `instead` says what to do then. */
export function demandTerminal(instead: string): void {
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw new OperatorError(instead);
}

/** Asks whoever is at the terminal, and throws unless the answer is yes. */
export async function confirm(question: string, otherwise: string): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C and Ctrl-D are answers too.
  const answer = await new Promise<string>((resolve) => {
    lines.once('close', () => resolve(''));
    lines.question(visible(`${question} Type yes: `)).then(resolve, () => resolve(''));
  });
  lines.close();
  if (answer.trim() !== 'yes') throw new OperatorError(otherwise);
}

/**
 * Hands out what shows how far a long work is: one line of standard error, written again and again, for people at a
 * terminal; nothing in a pipe. The line is gone when the work has ended, well or not.
 */
export async function withProgress<T>(work: (show: (text: string) => void) => Promise<T>): Promise<T> {
  if (!process.stderr.isTTY) return work(() => undefined);
  try {
    return await work((text) => process.stderr.write(`${CLEAR_LINE}${text}`));
  } finally {
    process.stderr.write(CLEAR_LINE);
  }
}

const CLEAR_LINE = '\r\u001b[K';
