import { startCluster, type Cluster } from '../../test/support/cluster.ts';
import { LoadClient } from './measure.ts';
import { CLUSTER_SETTINGS } from './pgbench.ts';
import type { Row } from './report.ts';
import { thisTree, treeAt, type OnPostgres, type Prepared, type Stage, type Tree } from './sides.ts';
import type { Promised } from './spread.ts';
import { inTurns, rowOf, type Pace, type Pair, type Side } from './turns.ts';

export interface Options {
  readonly pace: Pace;
  /** The folder of another checkout: hold this one against it instead of the yardsticks. */
  readonly against?: string;
  /** The larger size of growth. */
  readonly bookings?: number;
}

interface OnEngine<What extends string, Ours extends Prepared<What>> {
  /** Fills a database with the tree's own code. */
  prepare(stage: Stage, tree: Tree, name: string, cluster: Cluster): Promise<Ours>;
  yardstick(stage: Stage, ours: Ours): Promise<Side<What>>;
  readonly called: Readonly<Record<What, string>>;
  readonly promised: Readonly<Partial<Record<What, Promised>>>;
}

interface Engines<What extends string> {
  readonly embedded: OnEngine<What, Prepared<What>>;
  readonly postgres: OnEngine<What, OnPostgres<What>>;
}

/** The service on both engines, against a yardstick or against another checkout of itself. */
export async function compare<What extends string>(
  { pace, against }: Options,
  labels: Readonly<Record<What, string>>,
  engines: Engines<What>,
): Promise<Row[]> {
  const stage: Stage = { client: new LoadClient(), pace };
  const cluster = await startCluster(CLUSTER_SETTINGS);
  if (cluster === undefined)
    process.stderr.write('bench: no PostgreSQL on this machine; its part is left out\n');
  try {
    const [ours, theirs] = [await thisTree(), against === undefined ? undefined : await treeAt(against)];
    const onEngine = async <Ours extends Prepared<What>>(
      engine: string,
      { prepare, yardstick, called, promised }: OnEngine<What, Ours>,
    ): Promise<Row[]> => {
      const here = await prepare(stage, ours, 'here', cluster!);
      if (theirs === undefined) {
        const turns = await inTurns(pace.rounds, [here.side, await yardstick(stage, here)]);
        return yardstickRows(turns as Pair<What>, engine, labels, called, promised);
      }
      const there = await prepare(stage, theirs, 'there', cluster!);
      const turns = await inTurns(pace.rounds, [here.side, there.side]);
      return changeRows(turns as Pair<What>, engine, labels);
    };
    return [
      ...(await onEngine('embedded engine', engines.embedded)),
      ...(cluster === undefined ? [] : await onEngine('PostgreSQL', engines.postgres)),
    ];
  } finally {
    stage.client.stop();
    cluster?.stop();
  }
}

/** How much of the yardstick's throughput there is, and how many times longer a lone request takes. */
function yardstickRows<What extends string>(
  turns: Pair<What>,
  engine: string,
  labels: Readonly<Record<What, string>>,
  called: Readonly<Record<What, string>>,
  promised: Readonly<Partial<Record<What, Promised>>>,
): Row[] {
  return (Object.keys(labels) as What[]).map((what) => {
    const names = { what: `${engine}, ${labels[what]}`, against: called[what] };
    return rowOf(turns, what, what === 'lone' ? 'p50' : 'perSecond', names, promised[what]);
  });
}

/** After ÷ before: of throughput or a lone request's p50, and of the CPU that a request costs. */
function changeRows<What extends string>(
  turns: Pair<What>,
  engine: string,
  labels: Readonly<Record<What, string>>,
): Row[] {
  return (Object.keys(labels) as What[]).flatMap((what) => {
    const called = (figure: string) => ({
      what: `${engine}, ${labels[what]}: ${figure}`,
      against: 'the other checkout',
    });
    const speed =
      what === 'lone'
        ? ({ ...rowOf(turns, what, 'p50', called('p50')), better: 'less' } as const)
        : ({ ...rowOf(turns, what, 'perSecond', called('per second')), better: 'more' } as const);
    const cost = { ...rowOf(turns, what, 'cpu', called('CPU')), better: 'less' } as const;
    return [speed, cost];
  });
}
