import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';
import { DatabaseAway } from './errors.ts';

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
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: ['authorization', '*.authorization', 'headers', '*.headers', 'body', '*.body'],
        remove: true,
      },
    },
    destination ?? pino.destination({ dest: 1, sync: false }),
  );
}

/**
 * What went wrong, for the operator. A database that is away comes back by itself; all else is a defect. Only named
 * fields are taken: PostgreSQL's `detail` would quote rows.
 */
export function logTrouble(log: Logger, error: unknown, fields: object, text: string): void {
  const away = error instanceof DatabaseAway;
  const { name, message } = error as Error;
  const { code, stack } = ((away ? error.cause : error) ?? {}) as Error & { code?: unknown };
  log[away ? 'warn' : 'error']({ ...fields, error: { name, message, code, stack } }, text);
}
