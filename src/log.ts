import { writeSync } from 'node:fs';
import { pino, stdTimeFunctions, symbols, type DestinationStream, type Logger } from 'pino';
import { DatabaseAway } from './errors.ts';

/**
 * Writes JSON lines to standard output. No code hands headers or bodies to the log; if some ever does, redaction takes
 * them out.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: toLogged },
      redact: {
        paths: ['authorization', '*.authorization', 'headers', '*.headers', 'body', '*.body'],
        remove: true,
      },
    },
    destination ?? standardOutput(),
  );
}

/** A write wakes a thread, which is a fifth of what a lone request costs. So lines wait this long for others. */
const WRITE_AFTER_MS = 20;

function standardOutput(): DestinationStream & { flush(): void } {
  const stdout = pino.destination({ dest: 1, sync: false });
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  const take = (): string => {
    clearTimeout(timer);
    timer = undefined;
    process.off('exit', writeAtExit);
    const taken = lines;
    lines = '';
    return taken;
  };
  const writeAtExit = (): void => {
    try {
      writeSync(1, take());
    } catch {
      // Nobody reads any more.
    }
  };
  const flush = (): void => {
    if (lines !== '') stdout.write(take());
  };
  return {
    write: (text) => {
      lines += text;
      if (timer !== undefined) return;
      timer = setTimeout(flush, WRITE_AFTER_MS);
      process.on('exit', writeAtExit);
    },
    flush,
  };
}

/** Writes finished lines in one go. For a request's line, which pino would take 8 µs to make: a tenth of the request. */
export function writeLines(log: Logger, lines: readonly string[]): void {
  (log as unknown as Record<symbol, DestinationStream>)[symbols.streamSym]?.write(`${lines.join('\n')}\n`);
}

/** What every line says in `error`, whatever went wrong: tools that read the log need one shape. */
interface Logged {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
}

/** Takes an Error too. Only these fields of one are logged: PostgreSQL's `detail`, for one, quotes rows. */
function toLogged(error: Error | Logged): Logged {
  const { code } = ((error instanceof DatabaseAway ? error.cause : error) ?? {}) as { code?: unknown };
  const type = 'type' in error ? error.type : error.name;
  return { type, message: error.message, ...(code !== undefined && { code }) };
}

/**
 * Logs an error for the operator: as a warning when the database is away, which mends itself, and as an error with its stack
 * otherwise, which is a defect.
 */
export function logTrouble(log: Logger, error: unknown, fields: object, text: string): void {
  const away = error instanceof DatabaseAway;
  const { stack } = ((away ? error.cause : error) ?? {}) as Error;
  log[away ? 'warn' : 'error']({ ...fields, error, stack }, text);
}
