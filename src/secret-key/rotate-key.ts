import type { Actor } from '../caller.ts';
import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import { write, type Sql, type Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import { NO_ID } from '../ids/uuid.ts';
import { allCurrent, sealedAnew } from '../secrets/signing-secrets.ts';
import { sealedRows, type SealedRow } from './sealed-rows.ts';
import { beginRotation, endRotation, SEALING } from './secret-key.ts';

const ROWS_PER_TRANSACTION = 100;

/**
 * Encrypts webhook secrets and calendars' URLs anew with SECRET_KEY, while processes that have both keys go on. Returns how many
 * webhooks and calendars were changed.
 */
export async function rotateKey(
  ctx: Context,
  actor: Actor,
  progress: (done: number) => void = () => undefined,
): Promise<number> {
  const { db, config } = ctx;
  await db.transaction((tx) => beginRotation(tx, config));
  let changed = 0;
  do {
    const rows = await notCurrent(ctx, db);
    for (let i = 0; i < rows.length; i += ROWS_PER_TRANSACTION) {
      changed += await sealAnew(ctx, rows.slice(i, i + ROWS_PER_TRANSACTION));
      progress(changed);
    }
  } while (!(await db.transaction((tx) => ended(tx, ctx, actor, changed))));
  return changed;
}

/**
 * False when there is something to encrypt again: a process that has only the old key may have stored a secret until
 * now. From the end on its secrets are refused.
 */
async function ended(tx: Tx, ctx: Context, actor: Actor, changed: number): Promise<boolean> {
  await tx.lock(SEALING);
  if ((await notCurrent(ctx, tx)).length > 0) return false;
  const isNew = await endRotation(tx, ctx.config);
  if (isNew || changed > 0)
    await audit.record(tx, ctx.clock.now(), actor, {
      action: 'secret.rotated',
      hostId: NO_ID,
      environment: null,
      subject: 'SECRET_KEY',
    });
  return true;
}

/** What is encrypted with another key than today's. */
async function notCurrent({ secrets, clock }: Context, db: Sql): Promise<SealedRow[]> {
  return (await sealedRows(db)).filter((row) => !allCurrent(secrets, row, clock.now()));
}

async function sealAnew({ db, secrets, clock }: Context, rows: readonly SealedRow[]): Promise<number> {
  const changes = rows.map((row) => {
    const sealed = sealedAnew(secrets, row.id, row, clock.now());
    if (sealed === undefined) throw opensWithNeither(row);
    const key = [row.host_id, row.id];
    return row.kind === 'webhook'
      ? ([updateWebhook, [...key, sealed.secret, sealed.old_secrets, row.secret, row.old_secrets]] as const)
      : ([updateCalendar, [...key, sealed.secret, row.secret]] as const);
  });
  return db.transaction(async (tx) => {
    const counts = await Promise.all(changes.map(([statement, values]) => tx.run(statement, values)));
    return counts.reduce((sum, count) => sum + count, 0);
  });
}

function opensWithNeither({ kind, id }: SealedRow): OperatorError {
  const what = kind === 'webhook' ? `the secret of webhook ${id}` : `the URL of calendar ${id}`;
  return new OperatorError(
    `${what} opens with neither key; give the key it was made with as SECRET_KEY_OLD and run this again`,
  );
}

// Only what was read: what a host has replaced meanwhile must not come back.
const updateWebhook = write(`
  update webhooks set secret = $3, old_secrets = $4
  where host_id = $1 and id = $2 and secret = $5 and old_secrets = $6`);

const updateCalendar = write(`
  update calendars set sealed_url = $3 where host_id = $1 and id = $2 and sealed_url = $4`);
