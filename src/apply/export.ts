import type * as calendars from '../calendars/calendars.ts';
import type { Context } from '../context.ts';
import { OperatorError } from '../errors.ts';
import type { File, HostEntry } from './file.ts';
import { onlySettable } from '../fields/fields.ts';
import { hostKind, type Found, type Kind, type Within } from './kinds.ts';
import { look, Mistakes, plan, withChildren, type Present } from './steps.ts';

/**
 * The file that would make what is there, of all hosts or of one. What has no name of the operator's goes by its id. Without the
 * texts of keys, which nobody has, and without the URLs of calendars, which are secrets, unless they are wanted.
 */
export async function exportFile(ctx: Context, hostId?: string, { withUrls = false } = {}): Promise<File> {
  const present = await look(ctx.db, ctx);
  const hosts = present.get(hostKind)?.get('') ?? [];
  const wanted = hosts.filter(({ id }) => hostId === undefined || id === hostId);
  if (hostId !== undefined && wanted.length === 0) throw new OperatorError(`there is no host ${hostId}`);
  return { hosts: wanted.map((host) => entryOf(hostKind, host, present, withUrls) as HostEntry) };
}

function entryOf(kind: Kind, found: Found, present: Present, withUrls: boolean): object {
  const ref = found.ref ?? found.id;
  // Its environment is that of its space.
  if (kind.name === 'calendar') return { ref, ...(withUrls && { url: urlOf(found as calendars.Named) }) };
  const { id, environment } = found as Found & { environment?: string };
  const below = kind.children.map((child) => {
    const exported = (present.get(child)?.get(id) ?? []).filter((each) => child.isExported?.(each) ?? true);
    return [`${child.name}s`, exported.map((each) => entryOf(child, each, present, withUrls))];
  });
  return {
    ref,
    ...(environment !== undefined && { environment }),
    ...onlySettable<object>(kind.fields, found),
    ...kind.moreFields?.(found),
    ...Object.fromEntries(below),
  };
}

function urlOf({ id, url }: calendars.Named): string {
  if (url === null)
    throw new OperatorError(
      `the URL of calendar ${id} cannot be decrypted with this SECRET_KEY; set SECRET_KEY_OLD too`,
    );
  return url;
}

export interface Orphan extends Within {
  kind: Kind['name'];
  ref: string | null;
  id: string;
}

/** What is there and not in the file, after it was applied. A host that is missing stands for all it has. */
export async function orphans(ctx: Context, file: File): Promise<Orphan[]> {
  const present = await look(ctx.db, ctx);
  const steps = await plan(ctx, ctx.db, file, new Mistakes());
  const known = new Set(steps.flatMap(withChildren).flatMap((step) => step.present?.id ?? []));
  return orphansAmong(hostKind, { id: '' }, present, known);
}

/** With the names of what each belongs to, or ids where these have none. */
function orphansAmong(
  kind: Kind,
  owner: { readonly id: string; readonly within?: Within },
  present: Present,
  known: ReadonlySet<string>,
): Orphan[] {
  const here = (present.get(kind)?.get(owner.id) ?? []).filter((each) => !isRevoked(each));
  return here.flatMap(({ id, ref }) => {
    const name = ref ?? id;
    const within = owner.within ?? { host: name };
    if (!known.has(id)) return [{ kind: kind.name, ...within, ref, id }];
    const below = kind.name === 'space' ? { ...within, space: name } : within;
    return kind.children.flatMap((child) => orphansAmong(child, { id, within: below }, present, known));
  });
}

function isRevoked(found: Found): boolean {
  return ((found as { revoked_at?: string | null }).revoked_at ?? null) !== null;
}
