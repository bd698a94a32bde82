import { serialize } from 'node:v8';
import type { Actual, Operation, Request, Settings } from '../model/operation.ts';
import type { Fault } from './faults.ts';

/** What judges the service. The tests of this folder have one that knows little. */
export interface Model<World, Expected> {
  newWorld(settings: Settings): World;
  step(world: World, operation: Operation, now: number): Expected;
  /** The differences, in words. */
  compare(world: World, expected: Expected, actual: Actual): string[];
  /** The process has started anew. */
  restart?(world: World): void;
}

export interface Seen extends Actual {
  /** The process ended before anybody saw the response: the operation was done whole or not at all. */
  readonly isUnknown: boolean;
}

/** The worlds that could be: one, until an outcome is unknown. What is seen next decides. */
export class Worlds<World, Expected> {
  readonly #model: Model<World, Expected>;
  #possible: World[];

  constructor(model: Model<World, Expected>, settings: Settings) {
    this.#model = model;
    this.#possible = [model.newWorld(settings)];
  }

  /** The differences from the first world, where no world agrees. */
  judge(operation: Operation, now: number, seen: Seen, fault?: Fault): string[] {
    const judged = this.#possible.flatMap((world) => this.#outcomes(world, operation, now, seen, fault));
    const right = judged.filter(({ texts }) => texts.length === 0).map(({ world }) => world);
    if (right.length === 0) return judged[0]!.texts;
    if (fault !== undefined && fault.kind !== 'disk full')
      for (const world of right) this.#model.restart?.(world);
    this.#possible = right.length > 1 ? distinct(right) : right;
    return [];
  }

  #outcomes(
    world: World,
    operation: Operation,
    now: number,
    seen: Seen,
    fault?: Fault,
  ): { world: World; texts: string[] }[] {
    const model = this.#model;
    const undone = mayBeUndone(operation, seen, fault) ? structuredClone(world) : undefined;
    const texts = model.compare(world, model.step(world, operation, now), seen);
    const done = { world, texts };
    if (undone === undefined) return [done];
    // The request was counted, whatever became of it.
    model.step(undone, readInstead(operation), now);
    return [
      done,
      { world: undone, texts: seen.events.length === 0 ? [] : [`what was not done has an event`] },
    ];
  }
}

function mayBeUndone(operation: Operation, { isUnknown, response, printed }: Seen, fault?: Fault): boolean {
  if (operation.kind === 'request' && operation.method === 'GET') return false;
  const { error } = (response?.body ?? {}) as { error?: { code: string; outcome?: string } };
  const isRejected = error?.code === 'SERVICE_UNAVAILABLE' && error.outcome === 'not_done';
  return isUnknown || (fault?.kind === 'disk full' && (isRejected || printed?.exit === 1));
}

function readInstead(operation: Operation): Request {
  const { authorization, 'x-request-id': id } = operation.kind === 'request' ? operation.headers : {};
  const headers = { ...(id && { 'x-request-id': id }), ...(authorization && { authorization }) };
  return { kind: 'request', method: 'GET', path: '/api-listings/api/v1/spaces', headers, body: null };
}

function distinct<World>(worlds: readonly World[]): World[] {
  return [...new Map(worlds.map((world) => [serialize(world).toString('latin1'), world])).values()];
}
