import { pino, type DestinationStream, type Logger } from 'pino';
import { toTimestamp } from './time/clock.ts';

/**
 * JSON lines on standard output. Nothing hands headers or bodies to the log; redaction is the second
 * lock on that door.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: ['authorization', '*.authorization', 'headers', '*.headers', 'body', '*.body'],
        remove: true,
      },
    },
    destination ?? pino.destination({ dest: 1, sync: false }),
  );
}

let lastMs = 0;
let lastTimestamp = '';

/** One text a millisecond: under load several lines share it. */
function timestamp(): string {
  const now = Date.now();
  if (now !== lastMs) {
    lastMs = now;
    lastTimestamp = `,"time":"${toTimestamp(now)}"`;
  }
  return lastTimestamp;
}
