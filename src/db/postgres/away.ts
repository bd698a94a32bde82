import { DatabaseAway, NodeAway } from '../../errors.ts';
import { ChangedMeanwhile } from '../database.ts';

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
/** Of pg itself, of Servers and of StallWatch, which have no code. */
export const NO_ANSWER = /timeout|no answer within|has answered nobody/i;
/** Errors of pg itself have no code. */
const AWAY_MESSAGES = /timeout|Connection terminated|connection error|Client was closed/i;

/** DatabaseAway for what keeps us from the database; other errors as they are. */
export function translated(error: unknown): unknown {
  const code = codeOf(error);
  if (code !== undefined) {
    if (isSaidOfNode(error, code)) return new NodeAway(error);
    return AWAY_SQLSTATES.test(code) || AWAY_SOCKET.has(code) ? new DatabaseAway(error) : error;
  }
  return error instanceof Error && AWAY_MESSAGES.test(error.message) ? new DatabaseAway(error) : error;
}

/** A lost connection that a server tells of is not ours: Citus has lost one to a node. */
function isSaidOfNode(error: unknown, code: string): boolean {
  return (
    code.startsWith('08') && error instanceof Error && 'severity' in error && error.severity !== undefined
  );
}

/** Whether the connection is not to be used any more. */
export function isLost(error: unknown): boolean {
  return error instanceof DatabaseAway && !(error instanceof NodeAway);
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
