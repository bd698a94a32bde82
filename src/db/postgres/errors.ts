import { DatabaseAway, OperatorError } from '../../errors.ts';
import { ChangedMeanwhile } from '../database.ts';
import { placeOf } from '../../postgres-url.ts';

export const DEADLOCK = '40P01';
const SERIALIZATION_FAILURE = '40001';
const READ_ONLY = '25006';

export function isRetryable(error: unknown): boolean {
  const code = codeOf(error);
  return code === DEADLOCK || code === SERIALIZATION_FAILURE || error instanceof ChangedMeanwhile;
}

export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === READ_ONLY;
}

/**
 * Connection lost, statement cancelled, server stopping or starting, too many connections or disk full, trouble with its
 * files (58...: a library that cannot be loaded after an upgrade), lock timeout, read-only, a transaction idle or too long.
 */
const AWAY_SQLSTATES = /^(?:08...|57014|57P0.|53...|58...|55P03|25006|25P0[34])$/;
const AWAY_SOCKET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** Of pg itself and of the monitor, which have no code. */
export const NO_ANSWER = /timeout|has not responded/i;
/** Errors of pg itself have no code. */
const AWAY_MESSAGES = /timeout|Connection terminated|connection error|Client was closed/i;

/** DatabaseAway for what keeps us from the database; other errors as they are. */
export function translated(error: unknown): unknown {
  if (error instanceof DatabaseAway) return error;
  const code = codeOf(error);
  if (code !== undefined)
    return AWAY_SQLSTATES.test(code) || AWAY_SOCKET.has(code) ? new DatabaseAway(error) : error;
  return error instanceof Error && AWAY_MESSAGES.test(error.message) ? new DatabaseAway(error) : error;
}

/** Whether the connection is not to be used any more. One that the server tells of is not ours: Citus has lost it to a node. */
export function isLost(error: unknown): boolean {
  return error instanceof DatabaseAway && codeOf(error.cause)?.startsWith('08') !== true;
}

/** Of a message that ended with a commit: unless the server itself said that it did not do it, it may have. */
export function mayBeCommitted(error: unknown): error is DatabaseAway {
  return error instanceof DatabaseAway && !SAID_BEFORE_COMMIT.test(codeOf(error.cause) ?? '');
}

/** Cancelled, no room, trouble with files, lock timeout, read-only, idle for too long. Not 57P0x: it may come behind the commit. */
const SAID_BEFORE_COMMIT = /^(?:57014|53...|58...|55P03|25006|25P0[34])$/;

/** PostgreSQL's SQLSTATE, or the operating system's code. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** No server takes writes; the message tells what each of them said. */
export class NoWriter extends Error {
  readonly code = 'NO_WRITER';

  constructor(said: readonly string[]) {
    super(`no server takes writes (${said.join('; ')})`);
  }
}

/**
 * Why a start failed, in one line: what the server said and what to do about it. Errors that are not about the server or
 * our access to it come back as they are.
 */
export function startError(error: unknown, url: string, setting = 'DATABASE_URL'): unknown {
  const cause = error instanceof DatabaseAway ? error.cause : error;
  if (!(cause instanceof Error) || cause instanceof OperatorError) return error;
  const text = `${codeOf(cause) ?? ''}: ${cause.message}`;
  const advice = ADVICE.find(([said]) => said.test(text))?.[1];
  if (advice === undefined) return error;
  const filled = advice.replaceAll('USER', placeOf(url).user).replaceAll('DATABASE_URL', setting);
  return refusalOf(url, `${reason(cause)}; ${filled}`);
}

export function refusalOf(url: string, why: string): OperatorError {
  return new OperatorError(`PostgreSQL at ${placeOf(url).hosts}: ${why}`);
}

/** Node gives no message when it has tried several addresses of one name, and its own advice about certificates. */
export function reason(cause: Error): string {
  return cause.message === '' ? (codeOf(cause) ?? '') : cause.message.replace(/; if the root CA .*/, '');
}

/**
 * What to do, by what the server said: a colon after the code (PostgreSQL's SQLSTATE, or the operating system's), and the message.
 * PgBouncer has one code for many errors, and pg's own errors have none.
 */
const ADVICE: readonly (readonly [said: RegExp, advice: string])[] = [
  [/^NO_WRITER:/, 'start or promote one of them, or correct DATABASE_URL'],
  [
    /startup parameter: (?:lock_timeout|idle_in_transaction)/,
    'this is a pooler: set DATABASE_POOLER to its mode, session or transaction, and DATABASE_DIRECT_URL to the server itself',
  ],
  [/pooling mode/, 'set in the pooler: pool_mode = session or transaction'],
  [/^53300:|max_client_conn/, 'raise that limit, or lower DATABASE_POOL_SIZE or the number of processes'],
  [/client password must be/, 'put the password into DATABASE_URL'],
  [/does not support SSL/, 'switch it on there (ssl = on), or leave sslmode out of DATABASE_URL'],
  [
    /no encryption$/,
    'add sslmode=require to DATABASE_URL, or let the user in without encryption (pg_hba.conf)',
  ],
  [
    /^[A-Z_]*(?:CERT|SIGNATURE)[A-Z_]*:/,
    'correct sslmode and sslrootcert in DATABASE_URL, or the server’s certificate (docs/settings.md, PostgreSQL URLs)',
  ],
  [
    new RegExp(`^(?:ECONNREFUSED|ENOTFOUND|ENOENT):|^:.*(?:${NO_ANSWER.source})`, 'i'),
    'start PostgreSQL, or correct host and port in DATABASE_URL',
  ],
  [/^57014:/, 'give it more time: alter role "USER" set statement_timeout = 0'],
  [/^3D000:/, 'create it, or correct its name in DATABASE_URL'],
  [/^28(?:000|P01):/, 'correct user and password in DATABASE_URL, or let the user in (pg_hba.conf)'],
  [/^55000:.*accepting connections/, 'allow them with: alter database … allow_connections true'],
  [
    /^(?:42501|3F000):/,
    'let "USER" own the database, or run "hourkeep migrate" as the role that owns its tables ' +
      '(docs/operations.md, Roles on PostgreSQL)',
  ],
  [/^25006:/, 'this server is a standby or read-only; name the one that takes writes in DATABASE_URL'],
  // Both look alike from here: a pooler that is too old, and one that is not told to track prepared statements.
  [
    /^(?:26000|42P05):/,
    'the pooler loses prepared statements; use PgBouncer 1.21 or newer with max_prepared_statements = 200, or set pool_mode = session in it',
  ],
];
