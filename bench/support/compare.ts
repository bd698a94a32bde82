import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/cluster.ts';
import { loadedSide, type Bench, type EngineName, type Load, type Place } from './bench.ts';
import type * as Filling from '../../test/traffic/fill.ts';
import { answerTo } from '../../test/traffic/load-client.ts';
import { inTurns, type Side } from './measure.ts';
import { CLIENTS, type Script } from './pgbench.ts';
import { rowOf, type Row } from './report.ts';
import type { Figure } from '../../test/traffic/figures.ts';
import { ROOT, startServer, withServer, type Server } from '../../test/traffic/servers.ts';
import type { Work } from '../../test/traffic/work.ts';
import type * as World from '../../test/traffic/world.ts';

/** How many requests are under way at once where there are many. */
export const CONNECTIONS = 64;

/** A checkout of the project. Another one fills its own database, whose schema may be different. */
export interface Tree
  extends Pick<typeof World, 'withDatabase' | 'addHosts'>, Pick<typeof Filling, 'fill' | 'fillDays'> {
  readonly root: string;
}

async function treeAt(root: string): Promise<Tree> {
  // Until 0.3.0 they were in the other folder.
  const folder = ['test/traffic', 'bench/support'].map((path) => join(root, path)).find(existsSync)!;
  const files = ['world.ts', 'fill.ts'].map((file) => import(join(folder, file)));
  const [world, filling] = (await Promise.all(files)) as [typeof World, typeof Filling];
  const { withDatabase, addHosts } = world;
  const { fill, fillDays } = filling;
  return { root, withDatabase, addHosts, fill, fillDays };
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

/** A filled database, and what the service on it is asked. */
export interface Prepared {
  readonly cases: readonly Case[];
  readonly settings?: Record<string, string>;
  /** Where there are not as many as usual. */
  readonly connections?: number;
  /** With these, one for each case, the yardstick is pgbench; else a bare route. */
  scripts?(): Promise<readonly Script[]>;
}

/** Fills the database with the tree's own code. */
type Prepare = (tree: Tree, place: Place) => Promise<Prepared>;

/** The service on both engines, against a yardstick or against another checkout of itself. */
export async function compare(
  bench: Bench,
  prepareOn: Readonly<Record<EngineName, Prepare>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const engine of bench.engines) {
    const prepared = async (root: string) => {
      const place = await bench.newPlace(engine);
      const { cases, settings, connections, scripts } = await prepareOn[engine](await treeAt(root), place);
      const start = () => place.start(settings, 'serve', root);
      const loads = (each: readonly Case[]) => loadsOf(bench, each, connections);
      const side = loadedSide(place, start, loads(cases));
      const yardstick = async () =>
        scripts === undefined
          ? bareSide(place, cases, start, loads)
          : pgbenchSide(bench, place, cases, await scripts());
      return { cases, side, yardstick };
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

function loadsOf({ pace }: Bench, cases: readonly Case[], connections = CONNECTIONS): Load[] {
  const many = { connections, seconds: pace.seconds, warmUp: pace.warmUp };
  return cases.map(({ what, work, isLone }) => ({ what, work, ...many, ...(isLone && { connections: 1 }) }));
}

/** Bare routes that answer the same bytes. They have no hours that could be taken, so a crowd is for them as any other. */
async function bareSide(
  place: Place,
  cases: readonly Case[],
  start: () => Promise<Server>,
  loads: (cases: readonly Case[]) => Load[],
): Promise<Side> {
  const bodies = await withServer(start, async (server) => {
    const answers: string[] = [];
    for (const { work } of cases) answers.push(await answerTo(server, work));
    return answers;
  });
  const bareCases = cases.map((each, i) => ({ ...each, work: { ...each.work, path: `/${i}` } }));
  return loadedSide(place, () => startBare(place.folder, bodies), loads(bareCases));
}

/** pgbench sends the same statements, one after the other: with as many clients as the service has connections, or one. */
function pgbenchSide(
  { pace }: Bench,
  place: Place,
  cases: readonly Case[],
  scripts: readonly Script[],
): Side {
  return async () => {
    const figures: Record<string, Figure> = {};
    for (const [i, { what, isLone }] of cases.entries())
      figures[what] = await scripts[i]!(place, isLone ? 1 : CLIENTS, pace.seconds);
    return figures;
  };
}

/** Answers each of the bodies at its number. */
async function startBare(folder: string, bodies: readonly string[]): Promise<Server> {
  const port = await freePort();
  const files = bodies.map((body, i) => {
    const file = join(folder, `body-${i}`);
    writeFileSync(file, body);
    return file;
  });
  const script = join(ROOT, 'bench/bare-server.ts');
  return startServer(folder, port, '/0', [process.execPath, script, String(port), ...files]);
}
