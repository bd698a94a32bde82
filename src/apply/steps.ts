import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../context.ts';
import type { Sql } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import { normalized, problemsIn } from '../fields/fields.ts';
import { Problems, validatorOf } from '../http/input/validation.ts';
import { File, type HostEntry } from './file.ts';
import { given, hostKind, type Entry, type Found, type Kind, type Step } from './kinds.ts';

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

const MAX_PROBLEMS_PRINTED = 20;

/** What is wrong with a file, each with its place: `hosts[3].spaces[0].title must not be blank`. */
export class Mistakes {
  readonly #found: string[] = [];

  add(place: string, message: string): void {
    this.#found.push(`${place} ${message}`);
  }

  refuse(): void {
    const more = this.#found.length - MAX_PROBLEMS_PRINTED;
    const rest = more > 0 ? [`and ${more} more`] : [];
    if (this.#found.length > 0)
      throw new OperatorError([...this.#found.slice(0, MAX_PROBLEMS_PRINTED), ...rest]);
  }
}

export function readFile(value: unknown): File {
  const problems = new Problems(Infinity);
  validatorOf(File)(value, problems);
  const mistakes = new Mistakes();
  for (const { path, message } of problems.found) mistakes.add(placeOf(path), message);
  mistakes.refuse();
  return value as File;
}

/** `['hosts', 3, 'title']` → `hosts[3].title` */
function placeOf(path: readonly (string | number)[]): string {
  const place = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  return place === '' ? 'the file' : place.slice(1);
}

/** What each entry of a file means for what is there. Changes nothing. */
export async function plan(ctx: Context, db: Sql, file: File): Promise<Step[]> {
  const now = ctx.clock.now();
  const planner = new Planner(await look(db, ctx), { now, canInvite: ctx.config.console });
  const steps = planner.stepsOf(hostKind, file.hosts, '', '', undefined);
  planner.mistakes.refuse();
  return steps;
}

class Planner {
  readonly mistakes = new Mistakes();
  readonly #present: Present;
  readonly #situation: { now: number; canInvite: boolean };

  constructor(present: Present, situation: { now: number; canInvite: boolean }) {
    this.#present = present;
    this.#situation = situation;
  }

  stepsOf(
    kind: Kind,
    entries: readonly Entry[],
    place: string,
    ownerId: string,
    currency: string | undefined,
  ): Step[] {
    const here = this.#present.get(kind)?.get(ownerId) ?? [];
    const kept = entries.map((entry) => normalized(kind.fields, entry));
    const found = this.#match(kind, kept, here, place);
    return kept.map((said, i) => {
      const inside = `${place}${kind.list}[${i}]`;
      const present = found[i];
      const money = (said as Partial<HostEntry>).currency ?? currency;
      const tell = (field: string, message: string): void => this.mistakes.add(`${inside}.${field}`, message);
      const problems = problemsIn(kind.fields, said, money ?? '');
      for (const { field, message } of problems) tell(field, message);
      const entry = (problems.length === 0 && kind.complete?.(said, present, tell)) || said;
      const differs = present === undefined ? [] : differencesOf(kind, entry, present);
      kind.check?.(entry, present, tell, { ...this.#situation, here, before: kept.slice(0, i), differs });
      const children = kind.children.flatMap((child) => {
        const below = (entry as unknown as Record<string, Entry[] | undefined>)[child.list] ?? [];
        return this.stepsOf(child, below, `${inside}.`, present?.id ?? '', money);
      });
      return { kind, place: inside, entry, present, differs, children };
    });
  }

  /** By the operator's own name; or by id, which is what an export has where there is no name. */
  #match(
    kind: Kind,
    entries: readonly Entry[],
    here: readonly Found[],
    place: string,
  ): (Found | undefined)[] {
    const byRef = new Map(here.flatMap((row) => (row.ref === null ? [] : [[row.ref, row]])));
    const byId = new Map(here.map((row) => [row.id, row]));
    const named = entries.map(({ ref }) => byRef.get(ref) ?? byId.get(ref.toLowerCase()));
    const nameless = here.filter((row) => row.ref === null && !named.includes(row));
    const used = new Set<string>();
    return entries.map((entry, i) => {
      const row = named[i] ?? kind.adopt?.(entry, nameless);
      const name = row?.id ?? entry.ref;
      if (used.has(name))
        this.mistakes.add(`${place}${kind.list}[${i}].ref`, 'stands for what an entry before it is about');
      used.add(name);
      return row;
    });
  }
}

function differencesOf(kind: Kind, entry: Entry, present: Found): string[] {
  const kept = normalized(kind.fields, present) as unknown as Record<string, unknown>;
  const differs = Object.entries(given(kind.fields, entry)).flatMap(([name, value]) =>
    value === undefined || isDeepStrictEqual(kept[name], value) ? [] : [name],
  );
  return [...(kind.moreDiffers?.(entry, present) ?? []), ...differs];
}
