import { serialize } from 'node:v8';
import type { Actual, Operation, Request, Response, Settings, StoredEvent } from './operation.ts';
import type { Fault } from './faults.ts';
import type { Engine, Step } from './generator.ts';

/** What judges the service. The tests of this folder have one that knows little. */
export interface Model<World, Expected> {
  newWorld(settings: Settings): World;
  step(world: World, operation: Operation, now: number): Expected;
  /** The differences, in words. */
  compare(world: World, expected: Expected, actual: Actual): string[];
  /** The process has started anew. */
  restart?(world: World, engine: Engine): void;
}

export interface Seen extends Actual {
  /** The process ended before anybody saw the response: the operation was done whole or not at all. */
  readonly isUnknown: boolean;
  /** Of the requests at the same time. */
  readonly beside: readonly Response[];
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
        ? this.#orders(world, step.now, [operation as Request, ...beside], seen)
        : this.#outcomes(world, operation, step, seen),
    );
    const right = judged.filter(({ texts }) => texts.length === 0).map(({ world }) => world);
    if (right.length === 0) return judged.toSorted((a, b) => a.texts.length - b.texts.length)[0]!.texts;
    if (step.fault?.kind === 'crash' || step.fault?.kind === 'restart')
      for (const world of right) this.#model.restart?.(world, this.#engine);
    this.#possible = right.length > 1 ? distinct(right) : right;
    return [];
  }

  #outcomes(world: World, operation: Operation, { now, fault }: Step, seen: Seen): Judged<World>[] {
    const model = this.#model;
    const undone = mayBeUndone(operation, seen, fault) ? structuredClone(world) : undefined;
    // Nobody has been told what became of it.
    const known = outcomeOf(seen) === 'unknown' ? { events: seen.events, deliveries: [] } : seen;
    const expected = model.step(world, operation, now);
    if (known !== seen) Object.assign(expected as object, { response: undefined });
    const done = { world, texts: model.compare(world, expected, known) };
    if (undone === undefined) return [done];
    // The request was counted, whatever became of it.
    model.step(undone, readInstead(operation), now);
    return [
      done,
      { world: undone, texts: seen.events.length === 0 ? [] : [`what was not done has an event`] },
    ];
  }

  /** One after the other, in each order until one agrees: it could have been that. */
  #orders(world: World, now: number, requests: readonly Request[], seen: Seen): Judged<World>[] {
    const responses = [seen.response!, ...seen.beside];
    const judged: Judged<World>[] = [];
    for (const order of permutations(requests.map((_, i) => i))) {
      const tried = structuredClone(world);
      const texts = order.flatMap((i) => {
        const expected = this.#model.step(tried, requests[i]!, now);
        const id = requests[i]!.headers['x-request-id'];
        const isOwn = ({ body }: StoredEvent): boolean => body.request_id === id;
        const events = seen.events.filter(isOwn);
        return this.#model.compare(tried, expected, { response: responses[i]!, events, deliveries: [] });
      });
      judged.push({ world: tried, texts });
      if (texts.length === 0) return [judged.at(-1)!];
    }
    return judged;
  }
}

interface Judged<World> {
  readonly world: World;
  readonly texts: string[];
}

function* permutations(items: readonly number[]): Generator<number[]> {
  if (items.length <= 1) yield [...items];
  for (const first of items.length > 1 ? items : [])
    for (const rest of permutations(items.filter((item) => item !== first))) yield [first, ...rest];
}

function outcomeOf({ response }: Seen): string | undefined {
  const { error } = (response?.body ?? {}) as { error?: { code: string; outcome?: string } };
  return error?.code === 'SERVICE_UNAVAILABLE' ? error.outcome : undefined;
}

function mayBeUndone(operation: Operation, seen: Seen, fault?: Fault): boolean {
  const isRejected = outcomeOf(seen) !== undefined || seen.printed?.exit === 1;
  if (fault?.kind === 'cut') return isRejected;
  if (operation.kind === 'request' && operation.method === 'GET') return false;
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
