import type { PoolClient, QueryConfig } from 'pg';
import type { Pooler } from './pooler.ts';

// What our answers depend on, said on every connection and in every transaction: server, database and role may have
// other defaults.

/**
 * Dates come as YYYY-MM-DD. Poolers allow these two: PgBouncer keeps track of them for each of its clients, in transaction
 * mode too.
 */
const FORMS = `set datestyle = 'ISO, YMD'; set timezone = 'UTC'`;

/**
 * For statements outside of any transaction, and for sums of money, which are doubles. A pooler would hand these settings
 * to others. Behind it a single statement that writes is a transaction (`once`), and one that reads is the same at any level.
 */
const DEFAULTS = `set default_transaction_isolation = 'read committed'; set extra_float_digits = 1`;

/**
 * A plan that was made while a table had a few rows reads it from end to end, and is kept until the table is next counted: a
 * booking then read 9 098 pages of 100 000 events, and the rate limit's tables are empty after each crash of the server. Every
 * statement that has an index takes it instead. What has none would then look so dear that it is compiled, hence the second.
 */
const PLANS = 'set enable_seqscan = off; set jit = off';

/** Sent with the first statement of a connection. Without these settings its answers would be wrong, so it is closed, and whoever uses it is told why. */
export function settle(client: PoolClient, pooler: Pooler | undefined): void {
  client.query(pooler === undefined ? `${FORMS}; ${DEFAULTS}; ${PLANS}` : FORMS).catch((error: Error) => {
    client.connection.stream.destroy(error);
  });
}

/**
 * When the network loses a connection in the middle of a transaction, the server does not notice, and the rows stay
 * locked until this limit ends the transaction. Our transactions are idle for milliseconds. Much less than this would
 * also end those of a process that waits for a busy machine.
 */
const IDLE_IN_TRANSACTION_MS = 4000;
/**
 * Shorter than a lost transaction keeps a row. Those lost with it that wait for the row give up before they get it: they
 * would keep it for as long again, one after the other.
 */
const LOCK_WAIT_MS = 3000;

const LIMITS = {
  lock_timeout: LOCK_WAIT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
};

/** What the server is told when a connection is opened. Poolers refuse such parameters. */
export function limitsOfSession(pooler: Pooler | undefined): Partial<typeof LIMITS> {
  return pooler === undefined ? LIMITS : {};
}

/** Whoever waits for a lock must then see what the one before has written: velocity counts by that. */
export const BEGIN_TEXT = 'begin isolation level read committed';

const BEGIN: QueryConfig = { name: 'hk_begin', text: BEGIN_TEXT };
const SET_LIMITS: QueryConfig = {
  name: 'hk_limits',
  text: `select ${Object.entries(LIMITS)
    .map(([name, ms]) => `set_config('${name}', '${ms}', true)`)
    .join(', ')}`,
};

/**
 * Begins a transaction. Behind a pooler it brings its limits with it, in the same message. A single statement that reads
 * has none there: it leaves nothing locked, and the role can have a lock_timeout (docs/settings.md).
 */
export function beginWithLimits(pooler: Pooler | undefined): readonly QueryConfig[] {
  return pooler === undefined ? [BEGIN] : [BEGIN, SET_LIMITS];
}
