import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseAway, OperatorError } from '../../errors.ts';
import { NO_ANSWER } from './away.ts';
import { BEGIN_TEXT } from './session.ts';

/** An arbitrary number. It must never change: processes of all versions wait for the same lock. */
export const MIGRATION_LOCK = 4_150_711_225;

/**
 * Everybody who needs a table waits behind a migration that waits for it. So a migration waits this long, gives way, and
 * tries again later. Shorter than PostgreSQL's deadlock_timeout: in a deadlock with a request it is the migration that
 * gives way.
 */
const LOCK_WAIT_MS = 500;

/** The wait for another process's migration may take long; the wait for a table must not. */
export const BEGIN_EXCLUSIVE = {
  text: `${BEGIN_TEXT}; set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0;
    select pg_advisory_xact_lock(${MIGRATION_LOCK}); set local lock_timeout = ${LOCK_WAIT_MS}`,
};

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;
const GIVE_UP_AFTER_MS = 10 * 60_000;
const HELD_UP = 'a migration needs a table that an open transaction holds (pg_dump, say)';

/** Makes the attempt again and again, with longer and longer pauses, for as long as it fails only for a lock. */
export async function givingWay<T>(
  attempt: () => Promise<T>,
  onWait: (why: string) => void = () => undefined,
): Promise<T> {
  const deadline = performance.now() + GIVE_UP_AFTER_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLockTrouble(error)) throw error;
      if (performance.now() > deadline) throw new OperatorError(`${HELD_UP}; end it, then start again`);
      onWait(`${HELD_UP}; the next try is in ${pause / 1000} s`);
      await delay(pause);
    }
  }
}

/** A server that is just starting, or is slow to wake up, answers within this time. */
const WAIT_FOR_SERVER_MS = 15_000;
const ASK_AGAIN_MS = 200;

/** Makes the attempt again for as long as the server gives no answer. One that refuses us is not waited for. */
export async function waitingForServer<T>(
  attempt: () => Promise<T>,
  onWait: (why: string) => void = () => undefined,
): Promise<T> {
  const deadline = performance.now() + WAIT_FOR_SERVER_MS;
  for (let told = false; ; told = true) {
    try {
      return await attempt();
    } catch (error) {
      if (!isSlow(error) || performance.now() > deadline) throw error;
      if (!told) onWait(`${error.message}; waiting for it for ${WAIT_FOR_SERVER_MS / 1000} s`);
      await delay(ASK_AGAIN_MS);
    }
  }
}

const CANNOT_CONNECT_NOW = '57P03';

function isSlow(error: unknown): error is DatabaseAway {
  if (!(error instanceof DatabaseAway) || !(error.cause instanceof Error)) return false;
  const { cause } = error;
  if ('code' in cause && cause.code !== undefined)
    return cause.code === CANNOT_CONNECT_NOW || cause.code === 'ETIMEDOUT';
  return NO_ANSWER.test(cause.message);
}

const LOCK_TIMEOUT = '55P03';
const DEADLOCK = '40P01';

function isLockTrouble(error: unknown): boolean {
  const cause = error instanceof DatabaseAway ? error.cause : error;
  return (
    cause instanceof Error && 'code' in cause && (cause.code === LOCK_TIMEOUT || cause.code === DEADLOCK)
  );
}
