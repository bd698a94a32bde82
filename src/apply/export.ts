import type { Context } from '../context.ts';
import { OperatorError } from '../errors.ts';
import type { File } from './file.ts';
import { look, plan, type HostStep, type Present } from './plan.ts';
import { Problems } from './check.ts';

/**
 * The file that would make what is there, of all hosts or of one. What has no name of the operator's goes by its id. Without the
 * addresses of calendars and the texts of keys, which are secrets.
 */
export async function exportFile(ctx: Context, hostId?: string): Promise<File> {
  const present = await look(ctx.db, ctx.clock.now());
  const wanted = present.hosts.filter(({ id }) => hostId === undefined || id === hostId);
  if (hostId !== undefined && wanted.length === 0) throw new OperatorError(`there is no host ${hostId}`);
  return { hosts: wanted.map((host) => hostEntry(host, present)) };
}

type Entry = File['hosts'][number];

function hostEntry(host: Present['hosts'][number], present: Present): Entry {
  return {
    ref: host.ref ?? host.id,
    name: host.name,
    email: host.email,
    timezone: host.timezone,
    currency: host.currency,
    commission_rate: host.commission_rate,
    settlement_modes: host.settlement_modes as NonNullable<Entry['settlement_modes']>,
    max_booking_value: host.max_booking_value,
    spaces: (present.spaces.get(host.id) ?? []).map((space) => ({
      ref: space.ref ?? space.id,
      environment: space.environment as 'production' | 'sandbox',
      title: space.title,
      price_per_hour: space.price_per_hour,
      timezone: space.timezone,
      operating_hours: space.operating_hours,
      category_slug: space.category_slug,
      description: space.description,
      address: space.address,
      area: space.area,
      capacity: space.capacity,
      cancellation_notice_hours: space.cancellation_notice_hours,
      is_active: space.is_active,
      amenities: space.amenities,
      photo_urls: space.photo_urls,
      calendars: (present.calendars.get(space.id) ?? []).map(({ id, ref }) => ({ ref: ref ?? id })),
    })),
    keys: (present.keys.get(host.id) ?? [])
      .filter(({ status }) => status !== 'revoked' && status !== 'invited')
      .map((key) => ({
        ref: key.ref ?? key.id,
        environment: key.environment as 'production' | 'sandbox',
        name: key.name,
        scopes: key.scopes as NonNullable<NonNullable<Entry['keys']>[number]['scopes']>,
        expires_at: key.expires_at,
      })),
  };
}

export interface Orphan {
  kind: 'host' | 'space' | 'calendar' | 'key';
  ref: string | null;
  id: string;
}

/** What is there and not in the file, after it was applied. A host that is missing stands for all it has. */
export async function orphans(ctx: Context, file: File): Promise<Orphan[]> {
  const now = ctx.clock.now();
  const present = await look(ctx.db, now);
  const steps = plan(file, { present, now, canInvite: ctx.config.console, problems: new Problems() });
  const known = new Set(steps.flatMap(idsOf));
  const rest = (kind: Orphan['kind'], rows: readonly { id: string; ref: string | null }[] = []): Orphan[] =>
    rows.filter(({ id }) => !known.has(id)).map(({ id, ref }) => ({ kind, ref, id }));
  const inside = steps.flatMap(({ present: host }) => {
    if (host === undefined) return [];
    const spaces = present.spaces.get(host.id) ?? [];
    const keys = (present.keys.get(host.id) ?? []).filter(({ revoked_at }) => revoked_at === null);
    const ofSpaces = spaces.filter(({ id }) => known.has(id));
    return [
      ...rest('space', spaces),
      ...ofSpaces.flatMap(({ id }) => rest('calendar', present.calendars.get(id))),
      ...rest('key', keys),
    ];
  });
  return [...rest('host', present.hosts), ...inside];
}

function idsOf(host: HostStep): string[] {
  const all = [host, ...host.spaces, ...host.spaces.flatMap(({ calendars }) => calendars), ...host.keys];
  return all.flatMap(({ present }) => present?.id ?? []);
}
