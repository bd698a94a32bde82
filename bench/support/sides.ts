import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoFile } from '../../src/demo/demo.ts';
import type { Cluster } from '../../test/support/cluster.ts';
import { createDatabase } from './databases.ts';
import { cpuOfFamily } from './cpu.ts';
import type * as Filling from './fill.ts';
import { FIRST_FREE_DAY, filledDates, tidy } from './fill.ts';
import { type LoadClient, Target } from './measure.ts';
import { GENEROUS_LIMIT } from './pgbench.ts';
import { ROOT, startService, type Server } from './servers.ts';
import type { Figures, Pace, Side } from './turns.ts';
import { availabilityPath, type Work } from './work.ts';
import type * as World from './world.ts';
import { datesFrom, type BenchHost } from './world.ts';

/** How many requests are under way at once where there are many. */
export const CONNECTIONS = 64;

/** `many`: 64 connections. `lone`: one, one request at a time. `crowd`: 64 that all want the same hour. */
export type Reads = 'many' | 'lone';
export type Creates = Reads | 'crowd';

/** A checkout of the project. Another one fills its own database, whose schema may be different. */
export interface Tree {
  readonly root: string;
  readonly world: Pick<typeof World, 'withDatabase' | 'addHosts'>;
  readonly filling: Pick<typeof Filling, 'fill'>;
}

export async function treeAt(root: string): Promise<Tree> {
  const support = join(root, 'bench/support');
  const [world, filling] = (await Promise.all(
    ['world.ts', 'fill.ts'].map((file) => import(join(support, file))),
  )) as [Tree['world'], Tree['filling']];
  return { root, world, filling };
}

export const thisTree = (): Promise<Tree> => treeAt(ROOT);

/** What all sides of a part share. */
export interface Stage {
  readonly client: LoadClient;
  readonly pace: Pace;
}

/** A side, and what it takes to build a yardstick beside it. */
export interface Prepared<What extends string> {
  readonly side: Side<What>;
  readonly hosts: readonly BenchHost[];
  readonly works: Readonly<Record<What, Work>>;
  readonly start: () => Promise<Server>;
}

/** The demo data, whose key and spaces stand in a file once the service has started. */
export async function embeddedReads(stage: Stage, tree: Tree, folder: string): Promise<Prepared<Reads>> {
  const start = (): Promise<Server> => startService(folder, {}, 'serve', tree.root);
  await (await start()).stop();
  const demo = JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')) as DemoFile;
  const path = availabilityPath(demo.spaces[0]!.id, datesFrom(2, 1)[0]!);
  const work: Work = { kind: 'paths', paths: [{ path, key: demo.keys.production }] };
  return prepared(stage, start, [], { many: work, lone: work });
}

export async function embeddedCreates(stage: Stage, tree: Tree, folder: string): Promise<Prepared<Creates>> {
  const hosts = await tree.world.withDatabase(`sqlite:${folder}/hourkeep.db`, (ctx) =>
    tree.world.addHosts(ctx, 1, SPACES),
  );
  return prepared(stage, () => startService(folder, {}, 'serve', tree.root), hosts, createWorks(hosts));
}

const SPACES = 25;
/** So that PostgreSQL has seen what it plans for. */
const STORED = 10_000;
/** Enough that nobody reaches a limit. */
const READING_HOSTS = 50;

export interface OnPostgres<What extends string> extends Prepared<What> {
  readonly url: string;
  readonly databaseCpu: () => number;
}

export async function postgresReads(
  stage: Stage,
  tree: Tree,
  folder: string,
  cluster: Cluster,
): Promise<OnPostgres<Reads>> {
  return onPostgres(stage, tree, folder, cluster, READING_HOSTS, (hosts) => {
    const work: Work = { kind: 'read', callers: hosts, dates: filledDates() };
    return { many: work, lone: work };
  });
}

export async function postgresCreates(
  stage: Stage,
  tree: Tree,
  folder: string,
  cluster: Cluster,
): Promise<OnPostgres<Creates>> {
  // The second host is for pgbench.
  return onPostgres(stage, tree, folder, cluster, 2, (hosts) => createWorks([hosts[0]!]));
}

async function onPostgres<What extends string>(
  stage: Stage,
  tree: Tree,
  folder: string,
  cluster: Cluster,
  hostCount: number,
  worksOf: (hosts: readonly BenchHost[]) => Record<What, Work>,
): Promise<OnPostgres<What>> {
  const url = await createDatabase(cluster.url);
  const hosts = await tree.world.withDatabase(url, async (ctx) => {
    const added = await tree.world.addHosts(ctx, hostCount, SPACES);
    await tree.filling.fill(ctx, added, STORED);
    return added;
  });
  await tidy(url);
  const settings = { DATABASE_URL: url, RATE_LIMIT_PRODUCTION: limitFor(hostCount) };
  const start = (): Promise<Server> => startService(folder, settings, 'serve', tree.root);
  const databaseCpu = (): number => cpuOfFamily(cluster.pid());
  return { ...prepared(stage, start, hosts, worksOf(hosts), databaseCpu), url, databaseCpu };
}

/** Counted as in production where there are keys enough; one key that makes all bookings has none. */
function limitFor(hostCount: number): string {
  return String(hostCount === READING_HOSTS ? GENEROUS_LIMIT : 0);
}

function createWorks(callers: readonly BenchHost[]): Record<Creates, Work> {
  const work: Work = { kind: 'create', callers, dates: datesFrom(FIRST_FREE_DAY, 365) };
  const dates = datesFrom(FIRST_FREE_DAY + 365, 365);
  return { many: work, crowd: { ...work, dates, crowd: CONNECTIONS }, lone: work };
}

const LONE_WARM_UP_SECONDS = 0.3;

/** Numbers of requests go on from process to process, so that each asks for what is still free. */
function prepared<What extends string>(
  { client, pace }: Stage,
  start: () => Promise<Server>,
  hosts: readonly BenchHost[],
  works: Readonly<Record<What, Work>>,
  databaseCpu?: () => number,
): Prepared<What> {
  const targets = new Map<Work, Target>();
  for (const work of new Set(Object.values<Work>(works)))
    targets.set(work, new Target(work, databaseCpu === undefined ? {} : { databaseCpu }));
  const side = async (): Promise<Figures<What>> => {
    const server = await start();
    try {
      const figures: Partial<Record<What, Awaited<ReturnType<Target['load']>>>> = {};
      for (const what of Object.keys(works) as What[]) {
        const target = targets.get(works[what])!;
        const [connections, warmUp] =
          what === 'lone' ? [1, Math.min(LONE_WARM_UP_SECONDS, pace.warmUp)] : [CONNECTIONS, pace.warmUp];
        await target.load(server, client, connections, warmUp);
        figures[what] = await target.load(server, client, connections, pace.seconds);
      }
      return figures as Figures<What>;
    } finally {
      await server.stop();
    }
  };
  return { side, hosts, works, start };
}
