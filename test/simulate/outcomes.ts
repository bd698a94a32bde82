import { serialize } from 'node:v8';
import type { Actual, Operation, Request, Response, Settings } from './operation.ts';
import type { Fault } from './faults.ts';
import type { Engine, Step } from './generator.ts';

/** What judges the service. The tests of this folder have one that knows little. */
export interface Model<World, Expected> {
  newWorld(settings: Settings): World;
  step(world: World, operation: Operation, now: number): Expected;
  /** The differences, in words. */
  compare(world: World, expected: Expected, actual: Actual): string[];
  /** The process has started anew. Returns the worlds that could be. */
  restart?(world: World, engine: Engine): World[];
  /** The next polls of calendars come in the opposite order. */
  turnPolls?(world: World): void;
  /** What these requests have changed, as it is now: equal where their order made no difference. */
  left?(world: World, changes: readonly Request[]): string;
}

export interface Seen extends Actual {
  /** The process ended before anybody saw the response: the operation was done whole or not at all. */
  readonly isUnknown: boolean;
  /** Of the requests at the same time. */
  readonly beside: readonly (Response | undefined)[];
}

/** The worlds that could be: one, until an outcome is unknown. What is seen next decides. */
export class Worlds<World, Expected> {
  readonly #model: Model<World, Expected>;
  readonly #engine: Engine;
  #possible: World[];

  constructor(model: Model<World, Expected>, settings: Settings, engine: Engine) {
    this.#model = model;
    this.#engine = engine;
    this.#possible = [model.newWorld(settings)];
  }

  /** The fewest differences, where no world agrees. */
  judge(step: Step, operation: Operation, beside: readonly Request[], seen: Seen): string[] {
    const judged = this.#possible.flatMap((world) =>
      beside.length > 0
        ? this.#orders(world, step, [operation as Request, ...beside], seen)
        : this.#outcomes(world, operation, step, seen),
    );
    const right = judged.filter(({ texts }) => texts.length === 0).map(({ world }) => world);
    if (right.length === 0) return judged.toSorted((a, b) => a.texts.length - b.texts.length)[0]!.texts;
    const isAnew = ['crash', 'restart', 'kill'].includes(step.fault?.kind ?? '');
    const possible = isAnew
      ? right.flatMap((world) => this.#model.restart?.(world, this.#engine) ?? world)
      : right;
    // Telling worlds apart takes longer than judging them: only where there are more than before.
    this.#possible = possible.length > this.#possible.length ? distinct(possible) : possible;
    return [];
  }

  #outcomes(world: World, operation: Operation, { now, fault }: Step, seen: Seen): Judged<World>[] {
    const model = this.#model;
    const undone = mayBeUndone(operation, seen, fault) ? structuredClone(world) : undefined;
    const turned =
      operation.kind === 'clock' && this.#engine === 'postgres' ? structuredClone(world) : undefined;
    // Nobody has been told what became of it.
    const isSilent = isTrouble(fault) && seen.printed?.exit === 1;
    const isUnseen = seen.isUnknown && seen.response === undefined && seen.printed === undefined;
    const known =
      isSilent || isUnseen || outcomeOf(seen.response) === 'unknown'
        ? { events: seen.events, deliveries: [] }
        : seen;
    const expected = model.step(world, operation, now);
    if (known !== seen) Object.assign(expected as object, { response: undefined, printed: undefined });
    const done = { world, texts: model.compare(world, expected, known) };
    // Two polls of a host run side by side: which of them is first decides which hours are announced.
    if (turned !== undefined && done.texts.length > 0) {
      model.turnPolls?.(turned);
      const texts = model.compare(turned, model.step(turned, operation, now), seen);
      return [done, { world: turned, texts }];
    }
    if (undone === undefined) return [done];
    // The request was counted, whatever became of it.
    model.step(undone, readInstead(operation), now);
    return [
      done,
      { world: undone, texts: seen.events.length === 0 ? [] : [`what was not done has an event`] },
    ];
  }

  /**
   * One after the other, in each order that could have been. Orders are told apart where they leave something else: of changes to the
   * same thing, and of what was done and nobody saw.
   */
  #orders(world: World, { now, fault }: Step, requests: readonly Request[], seen: Seen): Judged<World>[] {
    const parts = requests.map((request, i) => {
      const response = i === 0 ? seen.response : seen.beside[i - 1];
      const id = request.headers['x-request-id'];
      const events = seen.events.filter(({ body }) => body.request_id === id);
      const isUnknown = response === undefined || outcomeOf(response) === 'unknown';
      const mayBeUndone = isUnknown || (fault !== undefined && outcomeOf(response) === 'not_done');
      const isChange = request.method === 'PATCH' && (response?.status ?? 0) < 300;
      return { request, response, events, isUnknown, mayBeUndone, isChange };
    });
    const changes = parts.filter(({ isChange }) => isChange).map(({ request }) => request);
    const judged: Judged<World>[] = [];
    const found = new Set<string>();
    for (const done of subsets(parts, ({ mayBeUndone }) => mayBeUndone))
      for (const order of permutations(done)) {
        const unseen = order.flatMap((part) => (part.isUnknown ? [parts.indexOf(part)] : [])).join(' ');
        if (changes.length === 0 && found.has(unseen)) continue;
        const tried = structuredClone(world);
        const undone = parts.filter((part) => !done.includes(part) && part.events.length > 0);
        const texts = undone.map(() => 'what was not done has an event');
        for (const { request, response, events, isUnknown } of order) {
          const expected = this.#model.step(tried, request, now);
          if (isUnknown) Object.assign(expected as object, { response: undefined });
          const actual = { ...(response && { response }), events, deliveries: [] };
          texts.push(...this.#model.compare(tried, expected, actual));
        }
        const kind = unseen + (this.#model.left?.(tried, changes) ?? '');
        if (!found.has(kind)) judged.push({ world: tried, texts });
        if (texts.length === 0) found.add(kind);
      }
    return judged;
  }
}

interface Judged<World> {
  readonly world: World;
  readonly texts: string[];
}

function* permutations<Item>(items: readonly Item[]): Generator<Item[]> {
  if (items.length <= 1) yield [...items];
  for (const first of items.length > 1 ? items : [])
    for (const rest of permutations(items.filter((item) => item !== first))) yield [first, ...rest];
}

/** With and without each that is open. */
function subsets<Item>(items: readonly Item[], isOpen: (item: Item) => boolean): Item[][] {
  return items.reduce<Item[][]>(
    (some, item) => [...some.map((each) => [...each, item]), ...(isOpen(item) ? some : [])],
    [[]],
  );
}

function outcomeOf(response: Response | undefined): string | undefined {
  const { error } = (response?.body ?? {}) as { error?: { code: string; outcome?: string } };
  return error?.code === 'SERVICE_UNAVAILABLE' ? error.outcome : undefined;
}

const isTrouble = (fault: Fault | undefined): boolean => fault !== undefined && 'afterMs' in fault;

function mayBeUndone(operation: Operation, seen: Seen, fault?: Fault): boolean {
  const isRejected = outcomeOf(seen.response) !== undefined || seen.printed?.exit === 1;
  // A read that was rejected is nothing that was done.
  if (isTrouble(fault) && isRejected) return true;
  if (operation.kind === 'clock' || (operation.kind === 'request' && operation.method === 'GET'))
    return false;
  return seen.isUnknown || (fault?.kind === 'disk full' && isRejected);
}

function readInstead(operation: Operation): Request {
  const { authorization, 'x-request-id': id } = operation.kind === 'request' ? operation.headers : {};
  const headers = { ...(id && { 'x-request-id': id }), ...(authorization && { authorization }) };
  return { kind: 'request', method: 'GET', path: '/api-listings/api/v1/spaces', headers, body: null };
}

function distinct<World>(worlds: readonly World[]): World[] {
  return [...new Map(worlds.map((world) => [serialize(world).toString('latin1'), world])).values()];
}
