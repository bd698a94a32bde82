import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../context.ts';
import type { Sql } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import { normalized, onlySettable, problemsIn } from '../fields/fields.ts';
import type { Schema } from '../http/input/type.ts';
import { Problems, validatorOf } from '../http/input/validation.ts';
import { SCHEMAS, type File, type HostEntry } from './file.ts';
import { hostKind, type Entry, type Found, type Kind, type Situation, type Step } from './kinds.ts';

/** Everything that a file can name, as it is now: of each kind by what it belongs to. */
export type Present = ReadonlyMap<Kind, ReadonlyMap<string, readonly Found[]>>;

/** One statement for each kind, however much there is: one by one it would be thousands. */
export async function look(db: Sql, { clock, secrets }: Context): Promise<Present> {
  const present = new Map<Kind, Map<string, Found[]>>();
  const now = clock.now();
  for (const kind of allKinds())
    present.set(kind, Map.groupBy(await kind.all(db, now, secrets), kind.ownerOf));
  return present;
}

function allKinds(kind: Kind = hostKind): Kind[] {
  return [kind, ...kind.children.flatMap(allKinds)];
}

/** An entry with all below it, in the order in which they are applied. */
export function withChildren(step: Step): Step[] {
  return [step, ...step.children.flatMap(withChildren)];
}

/** What is wrong with a file, each with its place: `hosts[3] (h003).spaces[0].title must not be blank`. */
export class Mistakes {
  /** By place and field: a field that is wrong by itself is not judged again. */
  readonly #found = new Map<string, string>();
  readonly #entries = new Set<string>();

  /** `place` is an entry's, and `field` empty where it is about the entry itself. */
  add(place: string, field: string, message: string): void {
    const where = [place, field].filter(Boolean).join('.') || 'the file';
    if (this.#found.has(where) || this.#found.has(place)) return;
    this.#found.set(where, `${where}${message.startsWith(':') ? '' : ' '}${message}`);
    this.#entries.add(place);
  }

  has(place: string): boolean {
    return this.#entries.has(place);
  }

  /** In the order of the file. */
  refuse(): void {
    if (this.#found.size === 0) return;
    const { compare } = new Intl.Collator('en', { numeric: true });
    const places = [...this.#found.keys()].toSorted(compare);
    throw new OperatorError(places.map((place) => this.#found.get(place)!));
  }
}

/** What each entry of a file means for what is there. Changes nothing. */
export async function plan(ctx: Context, db: Sql, file: unknown, mistakes: Mistakes): Promise<Step[]> {
  const situation = { now: ctx.clock.now(), canInvite: ctx.config.console };
  return planFor(await look(db, ctx), situation, file, mistakes);
}

export function planFor(present: Present, situation: Situation, file: unknown, mistakes: Mistakes): Step[] {
  const { hosts = [] } = checked(SCHEMAS.file, file, mistakes, () => '').kept as Partial<File>;
  return stepsOf(hostKind, hosts);

  function stepsOf(kind: Kind, entries: readonly unknown[], parent?: Step): Step[] {
    const here = present.get(kind)?.get(parent?.id ?? '') ?? [];
    const read = entries.map((entry, i) =>
      checked(SCHEMAS[kind.name], entry, mistakes, ({ ref = '' }: Partial<Entry>) => {
        if (parent !== undefined) return `${parent.place}.${kind.name}s[${i}]`;
        return `hosts[${i}]${ref === '' ? '' : ` (${ref})`}`;
      }),
    );
    const places = read.map(({ place }) => place);
    // One without a ref has an empty one, which is nobody's.
    const kept = read.map((each) => normalized(kind.fields, { ref: '', ...each.kept }) as Entry);
    const found = match(kind, kept, here, (i) =>
      mistakes.add(places[i]!, 'ref', 'stands for what an entry before it is about'),
    );
    return kept.map((said, i) => {
      const [place, now] = [places[i]!, found[i]];
      const tell = (field: string, message: string): void => mistakes.add(place, field, message);
      const { currency = '' } = (parent?.entry ?? said) as Partial<HostEntry>;
      const problems = problemsIn(kind.fields, said, currency);
      for (const { field, message } of problems) tell(field, message);
      const entry = (problems.length === 0 && kind.complete?.(said, now, tell)) || said;
      const differs = now === undefined ? [] : differencesOf(kind, entry, now);
      kind.check?.(entry, now, tell, { ...situation, here, before: kept.slice(0, i), differs });
      const step: Step = { kind, parent, place, entry, present: now, id: now?.id, differs, children: [] };
      for (const child of kind.children) {
        const below = (entry as unknown as Record<string, unknown[] | undefined>)[`${child.name}s`] ?? [];
        step.children.push(...stepsOf(child, below, step));
      }
      return step;
    });
  }
}

/** A value without the fields that are not as its schema says: the rest can be judged all the same. */
function checked(
  schema: Schema,
  value: unknown,
  mistakes: Mistakes,
  placeOf: (kept: object) => string,
): { kept: object; place: string } {
  const problems = new Problems(Infinity);
  validatorOf(schema)(value, problems);
  const wrong = new Set(problems.found.map(({ path }) => path[0]));
  // Without a path the value itself is wrong.
  const fields = wrong.has(undefined) ? [] : Object.entries(value as object);
  const kept = Object.fromEntries(fields.filter(([name]) => !wrong.has(name)));
  const place = placeOf(kept);
  for (const { path, message } of problems.found) mistakes.add(place, textOf(path), message);
  return { kept, place };
}

/** `['settlement_modes', 0]` → `settlement_modes[0]` */
function textOf(path: readonly (string | number)[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .slice(1);
}

/** By the operator's own name; or by id, which is what an export has where there is no name. */
function match(
  kind: Kind,
  entries: readonly Entry[],
  here: readonly Found[],
  tellTwin: (index: number) => void,
): (Found | undefined)[] {
  const byRef = new Map(here.flatMap((row) => (row.ref === null ? [] : [[row.ref, row]])));
  const byId = new Map(here.map((row) => [row.id, row]));
  const named = entries.map(({ ref }) => byRef.get(ref) ?? byId.get(ref.toLowerCase()));
  const nameless = here.filter((row) => row.ref === null && !named.includes(row));
  const used = new Set<string>();
  return entries.map((entry, i) => {
    const row = named[i] ?? kind.adopt?.(entry, nameless);
    const name = row?.id ?? entry.ref;
    if (used.has(name)) tellTwin(i);
    used.add(name);
    return row;
  });
}

function differencesOf(kind: Kind, entry: Entry, present: Found): string[] {
  const kept = normalized(kind.fields, present) as unknown as Record<string, unknown>;
  const differs = Object.entries(onlySettable(kind.fields, entry)).flatMap(([name, value]) =>
    value === undefined || isDeepStrictEqual(kept[name], value) ? [] : [name],
  );
  return [...(kind.moreDiffers?.(entry, present) ?? []), ...differs];
}
