import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster } from '../support/cluster.ts';
import { NO_MOVABLE_CLOCK } from '../support/movable-clock.ts';
import { networkTo } from '../support/network.ts';
import { makeFolder } from '../support/process.ts';
import {
  connectionsCut,
  databaseClockStep,
  databaseCrash,
  databaseFrozen,
  killing,
  networkLost,
  type Fault,
} from './faults.ts';
import { deploy } from './services.ts';
import { HEADER, sufferAll } from './suffer.ts';
import { printTable, say, type Line } from './table.ts';

// npm run chaos: one fault after another, under a mixed load, and what became of what had been acknowledged.
//   node test/proof/chaos.ts [--seconds 5] [--seed N] [--fault frozen]
// --seconds: how long each fault lasts. --fault: only those with this in their name.
// On PostgreSQL three API processes and two workers; on SQLite one process.

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    fault: { type: 'string', default: '' },
  },
});
const run = { seconds: Number(options.seconds), seed: Number(options.seed) };

/** Of PostgreSQL's server: beyond what a transaction may come late, and beyond a window of the rate limit; both ways. */
const CLOCK_STEPS_S = [20, 3600, -20, -3600];

say(`chaos, seed ${run.seed}, ${run.seconds} s a fault`);
const lines = [...(await onPostgres()), ...(await onSqlite())];
printTable(HEADER, lines, 2);
process.exit(lines.every(({ violations }) => violations.length === 0) ? 0 : 1);

async function onPostgres(): Promise<Line[]> {
  const cluster = await startCluster({ fsync: 'on' }, { movesClock: true });
  if (cluster === undefined) return [notRun('postgres', 'all faults', 'there is no PostgreSQL here')];
  const { port } = new URL(cluster.url);
  const network = await networkTo(Number(port));
  const url = cluster.url.replace(port, String(network.port));
  const deployment = await deploy(url, { RATE_LIMIT_SANDBOX: '20' }, 2);
  const { stepClock } = cluster;
  try {
    const lines = await sufferAll(
      'postgres',
      deployment,
      chosen([
        killing('kill -9 of API processes', deployment, deployment.processes),
        killing('kill -9 of workers', deployment, deployment.workers),
        databaseCrash(cluster),
        databaseFrozen(cluster),
        networkLost(network),
        connectionsCut(cluster.url),
        ...(stepClock === undefined ? [] : CLOCK_STEPS_S).map((seconds) =>
          databaseClockStep({ ...cluster, stepClock: stepClock! }, seconds, deployment),
        ),
      ]),
      run,
    );
    return stepClock === undefined
      ? [...lines, notRun('postgres', 'PostgreSQL’s clock steps', NO_MOVABLE_CLOCK)]
      : lines;
  } finally {
    await deployment.close();
    network.close();
    cluster.stop();
  }
}

async function onSqlite(): Promise<Line[]> {
  const folder = makeFolder();
  const deployment = await deploy(`sqlite:${join(folder.path, 'hourkeep.db')}`);
  const faults = chosen([killing('kill -9 of the process', deployment, deployment.processes)]);
  try {
    return await sufferAll('sqlite', deployment, faults, run);
  } finally {
    await deployment.close();
    folder.remove();
  }
}

/** A fault that cannot be had here is no reason to fail, but must not pass unseen. */
function notRun(engine: string, fault: string, why: string): Line {
  return { title: `[${engine}] ${fault}`, cells: [engine, fault, `NOT TESTED: ${why}`], violations: [] };
}

function chosen(faults: readonly Fault[]): Fault[] {
  return faults.filter(({ name }) => name.includes(options.fault));
}
