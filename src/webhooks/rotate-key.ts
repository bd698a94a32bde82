import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import { read, write } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import { NO_ID } from '../ids/uuid.ts';
import { beginRotation, endRotation } from '../secrets/secret-key.ts';
import { allCurrent, sealedAnew, type SealedSecrets } from './signing-secrets.ts';

const ROWS_AT_ONCE = 100;

/**
 * Encrypts every webhook secret anew with SECRET_KEY, while processes that have both keys go on sending. Returns how many
 * subscriptions were changed.
 */
export async function rotateKey(
  ctx: Context,
  actor: audit.Actor,
  progress: (done: number) => void = () => undefined,
): Promise<number> {
  const { db, config } = ctx;
  // As at the start of a process, only one at a time looks at the fingerprints.
  await db.exclusive((tx) => beginRotation(tx, config));
  let changed = 0;
  // Again until a pass finds nothing: a host may have replaced a secret meanwhile.
  for (let found = true; found;) {
    found = false;
    for await (const page of pages(ctx)) {
      found ||= page.length > 0;
      changed += await sealAnew(ctx, page);
      progress(changed);
    }
  }
  await db.exclusive(async (tx) => {
    const ended = await endRotation(tx, config);
    const entry = {
      action: 'secret.rotated' as const,
      hostId: NO_ID,
      environment: null,
      subject: 'SECRET_KEY',
    };
    if (ended || changed > 0) await audit.record(tx, ctx.clock.now(), actor, entry);
  });
  return changed;
}

interface SealedRow extends SealedSecrets {
  host_id: string;
  id: string;
}

/** Page by page, the subscriptions with a secret that is encrypted with another key than today's. */
async function* pages({ db, secrets, clock }: Context): AsyncGenerator<SealedRow[]> {
  let after = [NO_ID, NO_ID];
  for (let full = true; full;) {
    const rows = await db.all(selectSealed, [...after, ROWS_AT_ONCE]);
    yield rows.filter((row) => !allCurrent(secrets, row, clock.now()));
    full = rows.length === ROWS_AT_ONCE;
    after = [rows.at(-1)?.host_id ?? NO_ID, rows.at(-1)?.id ?? NO_ID];
  }
}

async function sealAnew({ db, secrets, clock }: Context, rows: readonly SealedRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  const changes = rows.map((row) => {
    const sealed = sealedAnew(secrets, row.id, row, clock.now());
    if (sealed === undefined) throw opensWithNeither(row.id);
    return [row.host_id, row.id, sealed.secret, sealed.old_secrets, row.secret, row.old_secrets];
  });
  return db.transaction(async (tx) => {
    const counts = await tx.inOrder(changes.map((values) => tx.run(updateSealed, values)));
    return counts.reduce((sum, count) => sum + count, 0);
  });
}

function opensWithNeither(webhookId: string): OperatorError {
  return new OperatorError(
    `the secret of webhook ${webhookId} opens with neither key; give the key it was made with as SECRET_KEY_OLD and run this again`,
  );
}

const selectSealed = read<SealedRow>(`
  select host_id, id, secret, old_secrets from webhooks
  where (host_id, id) > ($1, $2) and deleted_at is null order by host_id, id limit $3`);

/** Only what was read: a secret that its host has replaced meanwhile must not come back. */
const updateSealed = write(`
  update webhooks set secret = $3, old_secrets = $4
  where host_id = $1 and id = $2 and secret = $5 and old_secrets = $6`);
