import { write, type Tx } from '../db/database.ts';
import type { Environment } from '../ids/api-key.ts';

/** Who makes a change. */
export interface Actor {
  readonly type: 'key' | 'operator' | 'clock';
  /** A key's id, an operator's name on the machine, or a task's name. */
  readonly id: string;
  /** Of the API's request; null for the command line and the clock. */
  readonly requestId: string | null;
}

export interface Change {
  /** What was done, in the form of an event's type: `booking.cancelled`. */
  readonly action: string;
  /** Only zeros (NO_ID): the change concerns no single host. */
  readonly hostId: string;
  /** Null where the subject belongs to no environment. */
  readonly environment: Environment | null;
  /** The id of what was changed. Never a guest's data. */
  readonly subject: string;
  /** In the operator's words, where a command asks for them. */
  readonly reason?: string;
}

/** Writes an entry of the audit trail, in the transaction of the change it tells about. */
export async function record(tx: Tx, now: number, actor: Actor, change: Change): Promise<void> {
  await tx.run(insertEntry, [
    change.hostId,
    now,
    actor.type,
    actor.id,
    change.action,
    change.environment,
    change.subject,
    change.reason ?? null,
    actor.requestId,
  ]);
}

const insertEntry = write(`
  insert into audit (host_id, at, actor_type, actor_id, action, environment, subject, reason, request_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`);
