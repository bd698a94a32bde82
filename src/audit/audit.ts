import { isDeepStrictEqual } from 'node:util';
import { write, type Tx } from '../db/database.ts';
import type { Actor } from '../caller.ts';
import type { Environment } from '../ids/api-key.ts';

/** A task of the worker, by its name. */
export function byClock(task: string): Actor {
  return { type: 'clock', id: task, requestId: null };
}

/** What was done, in the form of an event's type. */
export type Action =
  | 'host.added'
  | 'host.updated'
  | 'host.deactivated'
  | 'host.activated'
  | 'host.exported'
  | 'key.created'
  | 'key.updated'
  | 'key.rotated'
  | 'key.revoked'
  | 'invitation.created'
  | 'invitation.updated'
  | 'invitation.withdrawn'
  | 'space.added'
  | 'space.updated'
  | 'ical_token.rotated'
  | 'calendar.added'
  | 'calendar.updated'
  | 'calendar.synced'
  | 'calendar.removed'
  | 'block.created'
  | 'block.removed'
  | 'booking.created'
  | 'booking.cancelled'
  | 'booking.completed'
  | 'payment.confirmed'
  | 'payment.updated'
  | 'payment.refunded'
  | 'payment.voided'
  | 'payout.recorded'
  | 'payout.voided'
  | 'webhook.created'
  | 'webhook.updated'
  | 'webhook.secret_rotated'
  | 'webhook.disabled'
  | 'webhook.enabled'
  | 'webhook.resent'
  | 'webhook.deleted'
  | 'guest.exported'
  | 'guest.erased'
  | 'secret.rotated'
  | 'database.copied'
  | 'database.restored';

export interface Change {
  readonly action: Action;
  /** Only zeros (NO_ID): the change concerns no single host. */
  readonly hostId: string;
  /** Null where the subject belongs to no environment. */
  readonly environment: Environment | null;
  /** The id of what was changed; for blocks, which have no id that anybody sees, their space's. Never a guest's data. */
  readonly subject: string;
  /** In the operator's words, where a command asks for them; or why the clock disabled a subscription. */
  readonly reason?: string | undefined;
  /** Of an update. */
  readonly changes?: Changes | undefined;
}

/**
 * Fields as the record names them, each with its values before and after. Never a secret, and nothing of a guest but what the operator
 * wrote into a payment's reference: `guest erase` cuts it out.
 */
export type Changes = Readonly<Record<string, readonly [before: unknown, after: unknown]>>;

/** Stands for what must not be written down: a secret. */
export const CHANGED = [null, 'changed'] as const;

/** What is different between two states of one record. */
export function differences<T extends object>(before: T, after: T): Changes {
  const changed = Object.keys(after).flatMap((field) => {
    const pair = [before[field as keyof T], after[field as keyof T]] as const;
    return isDeepStrictEqual(...pair) ? [] : [[field, pair] as const];
  });
  return Object.fromEntries(changed);
}

/** Addresses that others chose often have a password in their path. */
export function originOf(url: string): string {
  return new URL(url).origin;
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
    change.changes === undefined ? null : JSON.stringify(change.changes),
  ]);
}

const insertEntry = write(`
  insert into audit (host_id, at, actor_type, actor_id, action, environment, subject, reason, request_id, changes)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`);
