import type { QueryConfig } from 'pg';
import type { Pooler } from './pooler.ts';

/**
 * When the network loses a connection in the middle of a transaction, the server does not notice, and the rows stay
 * locked until this limit ends the transaction. Our transactions are idle for milliseconds. Much less than this would
 * also end those of a process that waits for a busy machine.
 */
const IDLE_IN_TRANSACTION_MS = 4000;
/** Longer than a lost transaction keeps a row, so those who wait for it get it. */
const LOCK_WAIT_MS = 2 * IDLE_IN_TRANSACTION_MS;

const LIMITS = {
  lock_timeout: LOCK_WAIT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
};

/** What the server is told when a connection is opened. Poolers refuse such parameters. */
export function limitsOfSession(pooler: Pooler | undefined): Partial<typeof LIMITS> {
  return pooler === undefined ? LIMITS : {};
}

const BEGIN: QueryConfig = { name: 'hk_begin', text: 'begin' };
const SET_LIMITS: QueryConfig = {
  name: 'hk_limits',
  text: `select ${Object.entries(LIMITS)
    .map(([name, ms]) => `set_config('${name}', '${ms}', true)`)
    .join(', ')}`,
};

/**
 * Begins a transaction. Behind a pooler it brings its limits with it, in the same message. A single statement has none
 * there: it leaves nothing locked, and the role can have a lock_timeout (docs/settings.md).
 */
export function beginWithLimits(pooler: Pooler | undefined): readonly QueryConfig[] {
  return pooler === undefined ? [BEGIN] : [BEGIN, SET_LIMITS];
}
