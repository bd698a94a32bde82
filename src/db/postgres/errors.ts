import { DatabaseAway, OperatorError } from '../../errors.ts';
import { ChangedMeanwhile } from '../database.ts';
import { placeOf } from '../../postgres-url.ts';
import { NoWriter } from './servers.ts';

const DEADLOCK = '40P01';
const SERIALIZATION_FAILURE = '40001';
const READ_ONLY = '25006';

export function isRetryable(error: unknown): boolean {
  const code = codeOf(error);
  return (
    code === DEADLOCK ||
    code === SERIALIZATION_FAILURE ||
    isStalePlan(error) ||
    error instanceof ChangedMeanwhile
  );
}

/**
 * "cached plan must not change result type": its code stands for much else, and its text is in the server's language, so
 * it is known by the function of the server that found it.
 */
export function isStalePlan(error: unknown): boolean {
  return error instanceof Error && 'routine' in error && error.routine === 'RevalidateCachedQuery';
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
/** Of pg itself, of Servers and of the monitor, which have no code. */
export const NO_ANSWER = /timeout|no response within|has not responded/i;
/** Errors of pg itself have no code. */
const AWAY_MESSAGES = /timeout|Connection terminated|connection error|Client was closed/i;

/** DatabaseAway for what keeps us from the database; other errors as they are. */
export function translated(error: unknown): unknown {
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

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

type Setting = 'DATABASE_URL' | 'DATABASE_DIRECT_URL';

/**
 * Why a start failed, in one line: what the server said and what to do about it. Errors that are not about the server or
 * our access to it come back as they are.
 */
export function startError(error: unknown, url: string, setting: Setting = 'DATABASE_URL'): unknown {
  const cause = error instanceof DatabaseAway ? error.cause : error;
  if (!(cause instanceof Error) || cause instanceof OperatorError) return error;
  const where = placeOf(url);
  const advice = adviceFor(cause, where, setting)?.replaceAll('DATABASE_URL', setting);
  return advice === undefined
    ? error
    : new OperatorError(`PostgreSQL at ${where.hosts}: ${reason(cause)}; ${advice}`);
}

/** Node gives no message when it has tried several addresses of one name, and its own advice about certificates. */
function reason(cause: Error): string {
  return cause.message === '' ? codeOrNothing(cause) : cause.message.replace(/; if the root CA .*/, '');
}

/** What to do, by the server's code (PostgreSQL's SQLSTATE, or the operating system's). */
function adviceFor(
  cause: Error,
  { user, database }: ReturnType<typeof placeOf>,
  setting: Setting,
): string | undefined {
  if (cause instanceof NoWriter) return 'start or promote one of them, or correct DATABASE_URL';
  // PgBouncer has one code for many errors, and pg's own errors have none.
  if (/startup parameter: (?:lock_timeout|idle_in_transaction)/.test(cause.message))
    return setting === 'DATABASE_DIRECT_URL'
      ? 'this is a pooler; DATABASE_URL must lead past it, to the server'
      : 'set DATABASE_POOLER to the mode of this pooler, session or transaction';
  if (/pooling mode/.test(cause.message)) return 'set in the pooler: pool_mode = session or transaction';
  if (/max_client_conn/.test(cause.message))
    return 'raise it in the pooler, or lower DATABASE_POOL_SIZE or the number of processes';
  if (/client password must be/.test(cause.message)) return 'put the password into DATABASE_URL';
  if (/does not support SSL/.test(cause.message))
    return 'switch it on there (ssl = on), or leave sslmode out of DATABASE_URL';
  if (cause.message.endsWith('no encryption'))
    return 'add sslmode=require to DATABASE_URL, or let the user in without encryption (pg_hba.conf)';
  if (codeOrNothing(cause) === '' && NO_ANSWER.test(cause.message))
    return 'start PostgreSQL, or correct host and port in DATABASE_URL';
  switch (codeOrNothing(cause)) {
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return 'name the file with its authority’s certificate as sslrootcert in DATABASE_URL, or set sslmode=require, which trusts any';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'use the name that the certificate has as the host in DATABASE_URL, or set sslmode=verify-ca';
    case 'CERT_HAS_EXPIRED':
      return 'renew the server’s certificate';
    case 'ECONNREFUSED':
    case 'ENOTFOUND':
    case 'ENOENT':
      return 'start PostgreSQL, or correct host and port in DATABASE_URL';
    case '57014':
      return `give it more time: alter role "${user}" set statement_timeout = 0`;
    case '3D000':
      return 'create it, or correct its name in DATABASE_URL';
    case '28000':
    case '28P01':
      return 'correct user and password in DATABASE_URL, or let the user in (pg_hba.conf)';
    case '55000':
      return /accepting connections/.test(cause.message)
        ? `allow them with: alter database "${database}" allow_connections true`
        : undefined;
    case '42501':
    case '3F000':
      if (/must be owner/.test(cause.message))
        return 'run "hourkeep migrate" as the role that owns the tables, then start again';
      if (/ schema /.test(cause.message))
        return (
          `let "${user}" own the database; or, where another role owns the tables, run "hourkeep migrate" with ` +
          `that role in DATABASE_URL (docs/operations.md, Roles on PostgreSQL)`
        );
      return `let the user own it, or: ${missingGrant(cause.message)} to "${user}"`;
    case '25006':
      return 'this server is a standby or read-only; name the one that takes writes in DATABASE_URL';
    case '53300':
      return 'raise max_connections, or lower DATABASE_POOL_SIZE or the number of processes';
    case '26000':
    case '42P05':
      return `the pooler loses prepared statements; ${TRACKING_POOLER}`;
    default:
      return undefined;
  }
}

/** Both look alike from here: a pooler that is too old, and one that is not told to track prepared statements. */
const TRACKING_POOLER =
  'use PgBouncer 1.21 or newer with max_prepared_statements = 200, or set pool_mode = session in it';

function missingGrant(message: string): string {
  if (/ database /.test(message)) return 'grant connect on this database';
  return 'grant all on it';
}

function codeOrNothing(error: Error): string {
  return 'code' in error ? String(error.code) : '';
}
