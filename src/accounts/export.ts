import type { Actor } from '../caller.ts';
import * as apiKeys from '../api-keys/api-keys.ts';
import type { KeyRecord } from '../api-keys/fields.ts';
import * as audit from '../audit/audit.ts';
import * as blocks from '../blocks/blocks.ts';
import * as bookings from '../bookings/for-operators.ts';
import * as calendars from '../calendars/calendars.ts';
import type { Context } from '../context.ts';
import type { OperatorSpace } from '../spaces/fields.ts';
import * as spaces from '../spaces/spaces.ts';
import { toTimestamp } from '../time/clock.ts';
import * as webhooks from '../webhooks/for-operators.ts';
import { get, type HostRecord } from '../hosts/hosts.ts';

// Reaches into all that a host has, like update.ts.

export interface HostExport {
  exported_at: string;
  host: HostRecord;
  spaces: OperatorSpace[];
  blocks: blocks.BlockedDay[];
  calendars: calendars.ListedCalendar[];
  bookings: bookings.OperatorBooking[];
  webhooks: webhooks.Overview[];
  /** Never the keys themselves. */
  keys: KeyRecord[];
}

/** More than any host has; it is one value in memory all the same. */
const ALL = 10_000_000;

/** Everything that is kept about a host, its guests too, to be handed over when it leaves. */
export async function exportHost(ctx: Context, actor: Actor, hostId: string): Promise<HostExport> {
  const host = await get(ctx.db, hostId);
  const ofHost = await spaces.listForOperator(ctx.db, hostId);
  const blocked: blocks.BlockedDay[] = [];
  for (const { id } of ofHost) blocked.push(...(await blocks.daysOf(ctx.db, hostId, id)));
  const exported = {
    exported_at: toTimestamp(ctx.clock.now()),
    host,
    spaces: ofHost,
    blocks: blocked,
    calendars: await calendars.listWithoutUrls(ctx, hostId),
    bookings: await bookings.list(ctx, { host: hostId, limit: ALL }),
    webhooks: await webhooks.list(ctx, hostId),
    keys: await apiKeys.list(ctx.db, ctx.clock.now(), hostId),
  };
  const change = { action: 'host.exported', hostId, environment: null, subject: hostId } as const;
  await ctx.db.transaction((tx) => audit.record(tx, ctx.clock.now(), actor, change));
  return exported;
}
