import type { Context } from '../context.ts';
import { OperatorError } from '../errors.ts';
import type { File, HostEntry } from './file.ts';
import { given, hostKind, type Found, type Kind } from './kinds.ts';
import { look, plan, withChildren, type Present } from './steps.ts';

/**
 * The file that would make what is there, of all hosts or of one. What has no name of the operator's goes by its id. Without the
 * URLs of calendars and the texts of keys, which are secrets.
 */
export async function exportFile(ctx: Context, hostId?: string): Promise<File> {
  const present = await look(ctx.db, ctx);
  const hosts = present.get(hostKind)?.get('') ?? [];
  const wanted = hosts.filter(({ id }) => hostId === undefined || id === hostId);
  if (hostId !== undefined && wanted.length === 0) throw new OperatorError(`there is no host ${hostId}`);
  return { hosts: wanted.map((host) => entryOf(hostKind, host, present) as HostEntry) };
}

function entryOf(kind: Kind, found: Found, present: Present): object {
  // The URL of a calendar is a secret, and its environment that of its space.
  if (kind.name === 'calendar') return { ref: found.ref ?? found.id };
  const { ref, id, environment, ...values } = found as Found & { environment?: string };
  const below = kind.children.map((child) => {
    const exported = (present.get(child)?.get(id) ?? []).filter((each) => child.isExported?.(each) ?? true);
    return [child.list, exported.map((each) => entryOf(child, each, present))];
  });
  return {
    ref: ref ?? id,
    ...(environment !== undefined && { environment }),
    ...given(kind.fields, values),
    ...Object.fromEntries(below),
  };
}

export interface Orphan {
  kind: Kind['name'];
  ref: string | null;
  id: string;
}

/** What is there and not in the file, after it was applied. A host that is missing stands for all it has. */
export async function orphans(ctx: Context, file: File): Promise<Orphan[]> {
  const present = await look(ctx.db, ctx);
  const known = new Set(
    (await plan(ctx, ctx.db, file)).flatMap(withChildren).flatMap((step) => step.present?.id ?? []),
  );
  return orphansAmong(hostKind, '', present, known);
}

function orphansAmong(kind: Kind, ownerId: string, present: Present, known: ReadonlySet<string>): Orphan[] {
  const here = (present.get(kind)?.get(ownerId) ?? []).filter((each) => !isRevoked(each));
  const missing = here
    .filter(({ id }) => !known.has(id))
    .map(({ id, ref }) => ({ kind: kind.name, ref, id }));
  const kept = here.filter(({ id }) => known.has(id));
  return [
    ...missing,
    ...kept.flatMap(({ id }) => kind.children.flatMap((child) => orphansAmong(child, id, present, known))),
  ];
}

function isRevoked(found: Found): boolean {
  return ((found as { revoked_at?: string | null }).revoked_at ?? null) !== null;
}
