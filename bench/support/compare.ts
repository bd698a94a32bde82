import { join } from 'node:path';
import type { Bench, EngineName, Place } from './bench.ts';
import type * as Filling from './fill.ts';
import type { Row } from './report.ts';
import { ROOT, type Server } from './servers.ts';
import { inTurns, loadedSide, rowOf, type Load, type Side } from './turns.ts';
import type { Work } from './work.ts';
import type * as World from './world.ts';

/** How many requests are under way at once where there are many. */
export const CONNECTIONS = 64;
/** Before one connection, many have warmed the process up. */
const LONE_WARM_UP_SECONDS = 0.3;

/** A checkout of the project. Another one fills its own database, whose schema may be different. */
export interface Tree extends Pick<typeof World, 'withDatabase' | 'addHosts'>, Pick<typeof Filling, 'fill'> {
  readonly root: string;
}

async function treeAt(root: string): Promise<Tree> {
  const files = ['world.ts', 'fill.ts'].map((file) => import(join(root, 'bench/support', file)));
  const [world, filling] = (await Promise.all(files)) as [typeof World, typeof Filling];
  return { root, withDatabase: world.withDatabase, addHosts: world.addHosts, fill: filling.fill };
}

/** Something that the service is asked. */
export interface Case {
  readonly what: string;
  readonly work: Work;
  /** One request at a time. Then what counts is how long it takes, not how many there are in a second. */
  readonly isLone?: boolean;
  /** What the yardstick is called beside it, and how much of its throughput was promised. */
  readonly against: string;
  readonly atLeast?: number;
}

/** A filled database, what the service on it is asked, and what does the same work with less. */
export interface Prepared {
  readonly cases: readonly Case[];
  readonly settings?: Record<string, string>;
  yardstick(start: () => Promise<Server>): Promise<Side>;
}

/** Fills the database with the tree's own code. */
type Prepare = (bench: Bench, tree: Tree, place: Place) => Promise<Prepared>;

/** The service on both engines, against a yardstick or against another checkout of itself. */
export async function compare(
  bench: Bench,
  prepareOn: Readonly<Record<EngineName, Prepare>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const engine of bench.engines) {
    const prepared = async (root: string) => {
      const place = await bench.newPlace(engine);
      const { cases, settings, yardstick } = await prepareOn[engine](bench, await treeAt(root), place);
      const start = () => place.start(settings, 'serve', root);
      const side = loadedSide(place, start, loadsOf(bench, cases));
      return { cases, side, yardstick: () => yardstick(start) };
    };
    const here = await prepared(ROOT);
    const there = bench.against === undefined ? undefined : await prepared(bench.against);
    const sides = [here.side, there?.side ?? (await here.yardstick())];
    const [ours, theirs] = await inTurns(bench.pace.rounds, sides);
    for (const { what, against, isLone, atLeast } of here.cases) {
      const by = isLone ? 'ms' : 'perSecond';
      const pair = (figure = '') => [`${engine}, ${what}${figure}`, ours![what]!] as const;
      if (there === undefined) {
        const target = atLeast === undefined ? undefined : { atLeast };
        rows.push(rowOf(by, pair(), [against, theirs![what]!], { target }));
        continue;
      }
      // After ÷ before: of throughput or a lone request's median, and of the CPU that a request costs.
      const before = ['the other checkout', theirs![what]!] as const;
      const speed = isLone ? pair(': p50') : pair(': per second');
      rows.push(rowOf(by, speed, before, { better: isLone ? 'less' : 'more' }));
      rows.push(rowOf('cpu', pair(': CPU'), before, { better: 'less' }));
    }
  }
  return rows;
}

export function loadsOf({ pace }: Bench, cases: readonly Case[]): Load[] {
  const many = { connections: CONNECTIONS, seconds: pace.seconds, warmUp: pace.warmUp };
  const lone = { ...many, connections: 1, warmUp: Math.min(LONE_WARM_UP_SECONDS, pace.warmUp) };
  return cases.map(({ what, work, isLone }) => ({ what, work, ...(isLone ? lone : many) }));
}
