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
