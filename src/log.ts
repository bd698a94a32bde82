import { pino, type DestinationStream, type Logger } from 'pino';

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
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: ['authorization', '*.authorization', 'headers', '*.headers', 'body', '*.body'],
        remove: true,
      },
    },
    destination ?? pino.destination({ dest: 1, sync: false }),
  );
}
