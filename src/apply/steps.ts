import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../context.ts';
import type { Sql } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import { normalized, problemsIn } from '../fields/fields.ts';
import { Problems, validatorOf } from '../http/input/validation.ts';
import { File, MAX_REF_LENGTH, type HostEntry } from './file.ts';
import { given, hostKind, type Entry, type Found, type Kind, type Step, type Within } from './kinds.ts';

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

  get isEmpty(): boolean {
    return this.#found.size === 0;
  }

  /** Whether something is wrong with the entry at this place. */
  has(place: string): boolean {
    return this.#entries.has(place);
  }

  /** In the order of the file. */
  refuse(): void {
    if (this.isEmpty) return;
    const { compare } = new Intl.Collator('en', { numeric: true });
    const places = [...this.#found.keys()].toSorted(compare);
    throw new OperatorError(places.map((place) => this.#found.get(place)!));
  }
}

type Path = readonly (string | number)[];

/** The file, without the fields that are not as its schema says: the rest can be judged all the same. */
export function readFile(value: unknown, mistakes: Mistakes): File {
  const problems = new Problems(Infinity);
  validatorOf(File)(value, problems);
  if (problems.found.length === 0) return value as File;
  const file = { hosts: [], ...(structuredClone(value) as Partial<File>) };
  for (const { path, message } of problems.found) {
    const depth = depthOf(path);
    mistakes.add(placeOf(value, path.slice(0, depth)), textOf(path.slice(depth)), message);
    dropField(file, path.slice(0, depth), path[depth]);
  }
  return file;
}

const LISTS: ReadonlySet<unknown> = new Set(allKinds().map(({ name }) => `${name}s`));

/** How many parts of a path lead to an entry of a list. */
function depthOf(path: Path): number {
  let depth = 0;
  while (LISTS.has(path[depth]) && typeof path[depth + 1] === 'number') depth += 2;
  return depth;
}

type Values = Record<string | number, unknown>;

/** Without a field the entry itself is none. One without a ref has an empty one, which is nobody's. */
function dropField(file: object, entryPath: Path, field: string | number | undefined): void {
  const at = (path: Path): Values =>
    path.reduce<unknown>((value, part) => (value as Values)[part], file) as Values;
  if (field === undefined && entryPath.length > 0)
    at(entryPath.slice(0, -1))[entryPath.at(-1)!] = { ref: '' };
  else if (field === 'ref') at(entryPath)['ref'] = '';
  else if (field === 'hosts') at(entryPath)['hosts'] = [];
  else if (field !== undefined) delete at(entryPath)[field];
}

/** `['hosts', 3, 'spaces', 0]` → `hosts[3] (h003).spaces[0]` */
function placeOf(file: unknown, [hosts, i, ...below]: Path): string {
  if (hosts === undefined) return '';
  const { ref } = ((file as File).hosts[i as number] ?? {}) as { ref?: unknown };
  return [placeOfHost(i as number, ref), textOf(below)].filter(Boolean).join('.');
}

function placeOfHost(i: number, ref: unknown): string {
  const isShown = typeof ref === 'string' && ref.trim() !== '' && ref.length <= MAX_REF_LENGTH;
  return `hosts[${i}]${isShown ? ` (${ref})` : ''}`;
}

/** `['spaces', 3, 'title']` → `spaces[3].title` */
function textOf(path: Path): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .slice(1);
}

/** What each entry of a file means for what is there. Changes nothing. */
export async function plan(ctx: Context, db: Sql, file: File, mistakes: Mistakes): Promise<Step[]> {
  const situation = { now: ctx.clock.now(), canInvite: ctx.config.console };
  return new Planner(await look(db, ctx), mistakes, situation).stepsOf(hostKind, file.hosts);
}

/** What the entries of a list stand in. */
interface Above {
  /** With a dot behind it, or empty. */
  readonly place: string;
  readonly ownerId: string;
  readonly within?: Within;
  readonly currency?: string | undefined;
}

class Planner {
  readonly #mistakes: Mistakes;
  readonly #present: Present;
  readonly #situation: { now: number; canInvite: boolean };

  constructor(present: Present, mistakes: Mistakes, situation: { now: number; canInvite: boolean }) {
    this.#present = present;
    this.#mistakes = mistakes;
    this.#situation = situation;
  }

  stepsOf(kind: Kind, entries: readonly Entry[], above: Above = { place: '', ownerId: '' }): Step[] {
    const here = this.#present.get(kind)?.get(above.ownerId) ?? [];
    const kept = entries.map((entry) => normalized(kind.fields, entry));
    const places = kept.map(({ ref }, i) =>
      kind === hostKind ? placeOfHost(i, ref) : `${above.place}${kind.name}s[${i}]`,
    );
    const found = this.#match(kind, kept, here, places);
    return kept.map((said, i) => {
      const place = places[i]!;
      const present = found[i];
      const within = above.within ?? { host: said.ref };
      const currency = (said as Partial<HostEntry>).currency ?? above.currency;
      const tell = (field: string, message: string): void => this.#mistakes.add(place, field, message);
      const problems = problemsIn(kind.fields, said, currency ?? '');
      for (const { field, message } of problems) tell(field, message);
      const entry = (problems.length === 0 && kind.complete?.(said, present, tell)) || said;
      const differs = present === undefined ? [] : differencesOf(kind, entry, present);
      kind.check?.(entry, present, tell, { ...this.#situation, here, before: kept.slice(0, i), differs });
      const children = kind.children.flatMap((child) => {
        const below = (entry as unknown as Record<string, Entry[] | undefined>)[`${child.name}s`] ?? [];
        return this.stepsOf(child, below, {
          place: `${place}.`,
          ownerId: present?.id ?? '',
          within: kind.name === 'space' ? { ...within, space: said.ref } : within,
          currency,
        });
      });
      return { kind, place, within, entry, present, differs, children };
    });
  }

  /** By the operator's own name; or by id, which is what an export has where there is no name. */
  #match(
    kind: Kind,
    entries: readonly Entry[],
    here: readonly Found[],
    places: readonly string[],
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
        this.#mistakes.add(places[i]!, 'ref', 'stands for what an entry before it is about');
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
