import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Job, Load } from '../load-client.ts';
import type { Server } from './servers.ts';
import type { Work } from './work.ts';

export interface Figure {
  readonly perSecond: number;
  /** Milliseconds; undefined where the tool does not tell. */
  readonly p50?: number;
  readonly p99?: number;
  /** Microseconds of the server's CPU for one request. */
  readonly cpu?: number;
}

/** A server and what it is asked; numbers of requests go on from round to round. */
export class Target {
  readonly #server: Server;
  readonly #work: Work;
  #next: number;

  constructor(server: Server, work: Work, first = 0) {
    this.#server = server;
    this.#work = work;
    this.#next = first;
  }

  async load(client: LoadClient, connections: number, seconds: number): Promise<Figure> {
    const before = this.#server.cpu();
    const load = await client.run({
      ports: [this.#server.port],
      work: this.#work,
      connections,
      seconds,
      first: this.#next,
    });
    const cpu = (this.#server.cpu() - before) / load.requests;
    this.#next = load.next;
    return { perSecond: load.requests / load.seconds, p50: load.p50, p99: load.p99, cpu };
  }
}

/** The load generator's process, kept for a whole part so that it is as warm as what it measures. */
export class LoadClient {
  readonly #child: ChildProcess = fork(new URL('../load-client.ts', import.meta.url));

  async run(job: Job): Promise<Load> {
    this.#child.send(job);
    const [load] = (await once(this.#child, 'message')) as [Load];
    if (load.refusal !== undefined) throw new Error(`not every answer was 200: ${load.refusal}`);
    return load;
  }

  stop(): void {
    this.#child.kill();
  }
}

/**
 * Measures two things in turns, so that whatever else the machine does falls on both, and answers with the
 * median of each.
 */
export async function sideBySide(
  rounds: number,
  first: () => Promise<Figure>,
  second: () => Promise<Figure>,
): Promise<[Figure, Figure]> {
  const figures: [Figure[], Figure[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    figures[0].push(await first());
    figures[1].push(await second());
  }
  return [medianFigure(figures[0]), medianFigure(figures[1])];
}

function medianFigure(figures: readonly Figure[]): Figure {
  const of = (field: 'p50' | 'p99' | 'cpu') => {
    const values = figures.flatMap((figure) => figure[field] ?? []).filter((value) => !Number.isNaN(value));
    return values.length === 0 ? {} : { [field]: median(values) };
  };
  return {
    perSecond: median(figures.map((figure) => figure.perSecond)),
    ...of('p50'),
    ...of('p99'),
    ...of('cpu'),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
