import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import { hashToken, newToken } from '../ids/token.ts';
import { toTimestamp } from '../time/clock.ts';
import { DAY_MS, HOUR_MS } from '../time/units.ts';
import * as sql from './sql.ts';

export const REMEMBERED_MS = 30 * DAY_MS;
const UNREMEMBERED_MS = 12 * HOUR_MS;

export interface Session {
  /** What the browser has. */
  readonly token: string;
  /** Of the key that the person signed in with. */
  readonly keyHash: string;
  /** This device stays signed in. */
  readonly remember: boolean;
  readonly expiresAt: number;
}

/** Signs a browser in with a key that was checked. A session that it had before ends: nobody else may hold its token. */
export async function start(
  ctx: Context,
  key: { readonly id: string; readonly hash: string },
  remember: boolean,
  former: string | undefined,
): Promise<Session> {
  const token = newToken();
  const expiresAt = ctx.clock.now() + (remember ? REMEMBERED_MS : UNREMEMBERED_MS);
  await ctx.db.transaction(async (tx) => {
    if (former !== undefined) await tx.run(sql.deleteSession, [hashToken(former)]);
    await tx.run(sql.insertSession, [hashToken(token), key.id, remember ? 1 : 0, expiresAt]);
  });
  return { token, keyHash: key.hash, remember, expiresAt };
}

/** Undefined: unknown, expired or signed out. Whether its key works is for the caller to check. */
export async function find(ctx: Context, token: string): Promise<Session | undefined> {
  const row = await ctx.db.get(sql.selectSession, [hashToken(token), ctx.clock.now()]);
  return row && { token, keyHash: row.key_hash, remember: row.remember === 1, expiresAt: row.expires_at };
}

/** A remembered session with the time that its use gives it, once a day; undefined where nothing changes. */
export async function renew(ctx: Context, session: Session): Promise<Session | undefined> {
  const expiresAt = ctx.clock.now() + REMEMBERED_MS;
  if (!session.remember || expiresAt - session.expiresAt < DAY_MS) return undefined;
  try {
    await ctx.db.transaction((tx) => tx.run(sql.renewSession, [hashToken(session.token), expiresAt]));
    return { ...session, expiresAt };
  } catch (error) {
    // The next request renews it; a database that cannot write may still be read.
    ctx.log.debug({ error }, 'session not renewed');
    return undefined;
  }
}

/** Whom the page is signed in as. */
export async function describe(ctx: Context, keyId: string, { remember, expiresAt }: Session) {
  const row = (await ctx.db.get(sql.selectSignedIn, [keyId]))!;
  return {
    host: { id: row.host_id, name: row.host_name },
    environment: row.environment,
    key: { id: row.key_id, name: row.key_name },
    scopes: row.scopes.split(' '),
    remember,
    expires_at: toTimestamp(expiresAt),
  };
}

export async function end(ctx: Context, { token }: Session): Promise<void> {
  await ctx.db.transaction((tx) => tx.run(sql.deleteSession, [hashToken(token)]));
}

/** Signs everybody out: a backup may hold sessions that were ended since. */
export async function endSessions(tx: Tx): Promise<void> {
  await tx.run(sql.deleteAll);
}

/** Deletes the expired ones. Those of revoked keys stay until then, so that the person is told why. */
export async function prune(ctx: Context): Promise<boolean> {
  await ctx.db.transaction((tx) => tx.run(sql.deleteExpired, [ctx.clock.now()]));
  return false;
}
