import { DatabaseAway, OperatorError } from '../../errors.ts';
import { placeOf } from './address.ts';
import { NO_ANSWER } from './away.ts';
import type { FoundServer } from './backends.ts';
import { NoWriter } from './servers.ts';

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

/** Throws where the service could not work on this database, whatever is granted and set up otherwise. */
export function refuseUnfit({ encoding, schema, search_path }: FoundServer, url: string): void {
  const { hosts, user, database } = placeOf(url);
  const unfit = (why: string): OperatorError => new OperatorError(`PostgreSQL at ${hosts}: ${why}`);
  if (encoding !== 'UTF8' && encoding !== 'SQL_ASCII')
    throw unfit(
      `the database "${database}" is in ${encoding}, which has not the letters of all names; ` +
        `create one in UTF8: create database … encoding 'UTF8' template template0`,
    );
  if (schema === null)
    throw unfit(
      `search_path is ${search_path || "''"}, and no schema of it can be used; ` +
        `let the user use one, or: alter role "${user}" set search_path = public`,
    );
}

/** Node gives no message when it has tried several addresses of one name, and its own advice about certificates. */
function reason(cause: Error): string {
  return cause.message === '' ? codeOf(cause) : cause.message.replace(/; if the root CA .*/, '');
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
  if (codeOf(cause) === '' && NO_ANSWER.test(cause.message))
    return 'start PostgreSQL, or correct host and port in DATABASE_URL';
  switch (codeOf(cause)) {
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

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : '';
}
