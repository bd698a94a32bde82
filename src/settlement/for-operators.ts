import type { Owner } from '../caller.ts';
import type { Context } from '../context.ts';
import { longReads } from '../db/long-reads.ts';
import * as hosts from '../hosts/hosts.ts';
import type { SettlementLine, SettlementReport } from './schemas.ts';
import { report } from './settlement.ts';

/** One host's own report. */
export interface HostSettlement extends SettlementReport {
  host_id: string;
  host_name: string;
}

/** Of every host, those without bookings too, or of one; by name. One host after the other: requests wait for none of them. */
export async function ofHosts(
  ctx: Context,
  month: string,
  { hostId, withLines = false }: { hostId?: string | undefined; withLines?: boolean | undefined } = {},
): Promise<HostSettlement[]> {
  const all = hostId === undefined ? await hosts.list(ctx.db) : [await hosts.get(ctx.db, hostId)];
  const settled: HostSettlement[] = [];
  for (const { id, name } of all.toSorted(byName)) {
    const owner: Owner = { hostId: id, environment: 'production' };
    const longRead = longReads.begin(id, new AbortController().signal);
    const { head, pages, totals } = await report(ctx, owner, month, longRead);
    const lines: SettlementLine[] = [];
    // The totals of an open month are those of the lines that have been read.
    if (withLines || head.status === 'open')
      for await (const page of pages) if (withLines) lines.push(...page);
    settled.push({ host_id: id, host_name: name, ...head, ...totals(), lines });
  }
  return settled;
}

function byName(a: hosts.HostRecord, b: hosts.HostRecord): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
