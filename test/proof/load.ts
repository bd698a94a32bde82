import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median, quantile } from '../traffic/figures.ts';
import { folderOnDisk } from '../traffic/folder.ts';
import { LoadClient } from '../traffic/load-client.ts';
import type { Outcome } from '../traffic/load-process.ts';
import { startService, type Server } from '../traffic/servers.ts';
import type { Work } from '../traffic/work.ts';
import { addHosts, datesFrom, withDatabase } from '../traffic/world.ts';
import { startCluster } from '../support/cluster.ts';
import { idleShare } from './idle.ts';
import { printTable, say, type Line } from './table.ts';

// npm run load: ten times what one process can take, on both engines.
//   node test/proof/load.ts [--seconds 15] [--engine sqlite,postgres]
// --seconds: how long each of the three rounds lasts, a third of it calm, a third storm and a third calm again.
//
// A quarter of the requests are bookings, the others read availability. The load comes from the same machine and
// takes its share of it, so nothing is judged by itself: figures are compared with those of the same minute, and are
// medians of three rounds. Whoever else is busy on the machine spoils them, so there are more rounds then, and the
// three with the least of it count. Where even those were noisy, times are told and not judged.

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '15' },
    engine: { type: 'string', default: 'sqlite,postgres' },
  },
});
const SECONDS = Number(options.seconds);
const THIRD = SECONDS / 3;
const WARM_UP_SECONDS = 1.5;
const ROUNDS = 3;
const MOST_ROUNDS = 6;
/** In the calm the service takes a quarter of one core, and the load and PostgreSQL as much together. */
const QUIET = 0.4;
const TIMES = 10;
/** The promises: p99 in the storm against p99 in the calm, and MiB on top of what a busy process has. */
const WITHIN = 5;
const MEMORY_GROWTH_MIB = 256;
const ORDINARY_CONNECTIONS = 64;
const MANY_CONNECTIONS = 2000;
const CROWD = 500;

const COLUMNS = ['wanted/s', 'asked/s', 'served/s', 'p50 ms', 'p99 ms', '503/s', 'p50 ms'];

const failures: string[] = [];
const folder = folderOnDisk();
say(`load, ${ROUNDS} rounds of ${SECONDS} s, ${cpus().length} cores, Node ${process.versions.node}`);
try {
  for (const engine of options.engine.split(',')) await overload(engine);
} finally {
  folder.remove();
}
for (const failure of failures) say(`FAIL  ${failure}`);
process.exitCode = failures.length === 0 ? 0 : 1;

async function overload(engine: string): Promise<void> {
  const cluster = engine === 'postgres' ? await startCluster({ fsync: 'on' }) : undefined;
  if (engine === 'postgres' && cluster === undefined) {
    say('\npostgres: NOT TESTED, there is no PostgreSQL here');
    return;
  }
  const path = join(folder.path, engine);
  const url = cluster?.url ?? `sqlite:${path}/hourkeep.db`;
  // Of one key at most 100 requests are in progress.
  const callers = await withDatabase(url, (ctx) => addHosts(ctx, 20, 10));
  const dates = datesFrom(30, 365);
  const read: Work = { kind: 'read', callers, dates };
  const works: Work[] = [{ kind: 'create', callers, dates }, read, read, read];
  const service = await startService(path, { DATABASE_URL: url });
  const client = new LoadClient();
  try {
    await measure(engine, service, works, client);
  } finally {
    client.stop();
    await service.stop();
    cluster?.stop();
  }
}

async function measure(
  engine: string,
  service: Server,
  works: readonly Work[],
  client: LoadClient,
): Promise<void> {
  const judge = (holds: boolean, text: string): void => {
    if (!holds) failures.push(`${engine}: ${text}`);
  };
  // Numbers of requests go on from one run to the next.
  const job = { ports: [service.port], works, keepsConnections: true };
  let first = 0;
  const run = async (seconds: number, connections: number, rate?: number): Promise<Outcome> => {
    const outcome = await client.ask({ ...job, first, seconds, connections, rate });
    first = outcome.next;
    judge(outcome.others === 0, `${outcome.others} other answers, such as ${outcome.anOther}`);
    return outcome;
  };

  await run(WARM_UP_SECONDS, ORDINARY_CONNECTIONS);
  const full = figuresOf(await run(WARM_UP_SECONDS, ORDINARY_CONNECTIONS), WARM_UP_SECONDS);
  const before = residentMemory(service.pid);
  const crowd = figuresOf(await run(0, CROWD), 1);
  const tenth = full.served / 10;
  const flood = full.served * TIMES;
  // A storm begins with a crowd, which is served as such. What is asked when that is done is judged.
  const begun = 1 + 1000 / full.served;
  const rounds: Round[] = [];
  const isQuiet = ({ busy }: Round): boolean => busy < QUIET;
  while (rounds.filter(isQuiet).length < ROUNDS && rounds.length < MOST_ROUNDS) {
    const idle = idleShare();
    const calm = await run(THIRD, ORDINARY_CONNECTIONS, tenth);
    const busy = 1 - idle();
    const watch = watchOver(service);
    const storm = await run(begun + THIRD, MANY_CONNECTIONS, flood);
    const after = await run(THIRD, ORDINARY_CONNECTIONS, tenth);
    const { memory, unwell } = await watch();
    judge(unwell === 0, `/readyz did not answer 200 in the storm, ${unwell} times`);
    rounds.push({
      calm: figuresOf(calm, THIRD, { wanted: tenth }),
      start: figuresOf(storm, begun, { wanted: flood, to: begun }),
      storm: figuresOf(storm, THIRD, { wanted: flood, from: begun }),
      after: figuresOf(after, THIRD, { wanted: tenth }),
      drainMs: storm.drainMs,
      memory,
      busy,
    });
  }
  const best = rounds.toSorted((a, b) => a.busy - b.busy).slice(0, ROUNDS);
  const [calm, start, storm, after] = (['calm', 'start', 'storm', 'after'] as const).map((phase) =>
    medians(best.map((round) => round[phase])),
  ) as [Figures, Figures, Figures, Figures];

  const lines = [
    lineOf(`as fast as it goes, ${ORDINARY_CONNECTIONS} connections`, full),
    lineOf('a tenth of that', calm),
    lineOf(`${CROWD} at the same moment`, crowd),
    lineOf(`${TIMES} times as many: the crowd at first`, start),
    lineOf(`${TIMES} times as many: from then on`, storm),
    lineOf('a tenth again, right afterwards', after),
  ];
  printTable([engine, ...COLUMNS], lines, 1);
  const times = storm.p99 / calm.p99;
  const growth = Math.max(...rounds.map(({ memory }) => memory)) - before;
  const busy = median(best.map((round) => round.busy));
  say(
    `  p99 of what is served in the storm is ${times.toFixed(1)} times that in the calm (promised: ${WITHIN}), ` +
      `memory grew by ${Math.max(0, Math.round(growth))} MiB (${MEMORY_GROWTH_MIB}),\n` +
      `  and ${Math.round(median(best.map(({ drainMs }) => drainMs)))} ms after the storm everybody had an answer; ` +
      `${rounds.length} rounds, and in the calm the machine was ${Math.round(busy * 100)} % busy`,
  );
  const quiet = busy < QUIET;
  if (!quiet) say('  NOISY: something else is busy on this machine; times mean little and are NOT JUDGED');

  judge(full.shed === 0, `${ORDINARY_CONNECTIONS} connections were too many`);
  judge(crowd.served === CROWD, `of ${CROWD} at the same moment ${crowd.served} were served`);
  judge(storm.shed > 0, 'nothing was shed');
  judge(!quiet || times <= WITHIN, `p99 is ${times.toFixed(1)} times what it is without load`);
  judge(!(growth > MEMORY_GROWTH_MIB), `memory grew by ${Math.round(growth)} MiB`);
  judge(
    rounds.every((round) => round.after.shed === 0),
    'after the storm some were still refused',
  );
  judge(!quiet || after.p99 <= calm.p99 * WITHIN, `after the storm p99 was ${after.p99.toFixed(1)} ms`);
}

interface Round {
  calm: Figures;
  start: Figures;
  storm: Figures;
  after: Figures;
  drainMs: number;
  /** The most there was in the storm, in MiB. */
  memory: number;
  /** What part of the whole machine was, in the calm. */
  busy: number;
}

interface Figures {
  wanted: number;
  asked: number;
  served: number;
  p50: number;
  p99: number;
  shed: number;
  shedP50: number;
}

/** Of what was asked between two moments of a run. */
function figuresOf(
  outcome: Outcome,
  seconds: number,
  { from = 0, to = Infinity, wanted = NaN } = {},
): Figures {
  const within = ({ at, ms }: Outcome['accepted']): number[] =>
    ms.filter((_, i) => at[i]! >= from && at[i]! < to);
  const served = within(outcome.accepted);
  const shed = within(outcome.shed);
  return {
    wanted,
    asked: (served.length + shed.length) / seconds,
    served: served.length / seconds,
    p50: quantile(served, 0.5),
    p99: quantile(served, 0.99),
    shed: shed.length / seconds,
    shedP50: quantile(shed, 0.5),
  };
}

function medians(all: readonly Figures[]): Figures {
  const names = Object.keys(all[0]!) as (keyof Figures)[];
  return Object.fromEntries(
    names.map((name) => [name, median(all.map((figures) => figures[name]))]),
  ) as unknown as Figures;
}

function lineOf(title: string, figures: Figures): Line {
  return { title, cells: [title, ...Object.values(figures).map(numberText)], violations: [] };
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return '';
  return value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
}

/** Asks how it is while it lasts; answers with the most memory there was, and how often it was not well. */
function watchOver(service: Server): () => Promise<{ memory: number; unwell: number }> {
  const seen = { memory: 0, unwell: 0 };
  const end = new AbortController();
  const watching = (async () => {
    while (!end.signal.aborted) {
      seen.memory = Math.max(seen.memory, residentMemory(service.pid));
      const { ok } = await fetch(`http://127.0.0.1:${service.port}/readyz`);
      if (!ok) seen.unwell++;
      await delay(100);
    }
  })();
  return async () => {
    end.abort();
    await watching;
    return seen;
  };
}

/** In MiB; NaN where the system does not tell. */
function residentMemory(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  } catch {
    return NaN;
  }
}
