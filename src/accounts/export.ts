import type { Actor } from '../caller.ts';
import * as apiKeys from '../api-keys/api-keys.ts';
import * as audit from '../audit/audit.ts';
import * as blocks from '../blocks/blocks.ts';
import * as bookings from '../bookings/for-operators.ts';
import * as calendars from '../calendars/calendars.ts';
import type { Context } from '../context.ts';
import * as spaces from '../spaces/spaces.ts';
import { toTimestamp } from '../time/clock.ts';
import * as webhooks from '../webhooks/for-operators.ts';
import { get } from '../hosts/hosts.ts';

// Reaches into all that a host has, like update.ts.

/** More than any host has; it is one value in memory all the same. */
const ALL = 10_000_000;

/** Everything that is kept about a host, its guests too, to be handed over when it leaves. */
export async function exportHost(ctx: Context, actor: Actor, hostId: string) {
  const host = await get(ctx.db, hostId);
  const ofHost = await spaces.listForOperator(ctx.db, hostId);
  const exported = {
    exported_at: toTimestamp(ctx.clock.now()),
    host,
    spaces: ofHost,
    blocks: (await Array.fromAsync(ofHost, ({ id }) => blocks.daysOf(ctx.db, hostId, id))).flat(),
    calendars: await calendars.listWithoutUrls(ctx, hostId),
    bookings: await bookings.list(ctx, { host: hostId, limit: ALL }),
    webhooks: await webhooks.list(ctx, hostId),
    // Never the keys themselves.
    keys: await apiKeys.list(ctx.db, ctx.clock.now(), hostId),
  };
  const change = { action: 'host.exported', hostId, environment: null, subject: hostId } as const;
  await ctx.db.transaction((tx) => audit.record(tx, ctx.clock.now(), actor, change));
  return exported;
}
