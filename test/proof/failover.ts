import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import type { Engine } from '../support/engines.ts';
import { NO_MOVABLE_CLOCK } from '../support/movable-clock.ts';
import { startPair, type Pair } from '../support/pair.ts';
import type { Fault } from './faults.ts';
import { compare, type Kept } from './kept.ts';
import { suffer, type Outage } from './outage.ts';
import { seeded } from './race.ts';
import { deploy, type Deployment } from './services.ts';
import { Subscriber } from './subscriber.ts';
import { printTable, say, type Line } from './table.ts';
import { Traffic, type Sample } from './traffic.ts';

// npm run failover: the primary dies under load and its synchronous standby is promoted, again and again.
//   node test/proof/failover.ts [--rounds 5] [--seconds 1] [--seed N]
// --seconds: how long nobody has noticed that the primary is dead.
// Three API processes and a worker, which know both servers from DATABASE_URL. Whoever gets no clear answer asks again
// with the same idempotency key. After each promotion the dead server is made anew as the standby, under load too. The
// servers' clocks differ: every failover is a step of the clock.

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const rounds = Number(options.rounds);
const seed = Number(options.seed);

/** Longer than any lease of a worker that lost its database in the middle of a delivery. */
const ARRIVE_WITHIN_MS = 60_000;
const LISTENS_WITHIN_MS = 5000;
/** By how much the clock of the server that is promoted is ahead, round by round: the one before is the other's. */
const AHEAD_S = [20, 0, 3600, 0];

const HEADER = [
  'round',
  'requests',
  '503',
  'seconds of 503',
  'slowest',
  'found after',
  'listens after',
  'lost',
  'double holders',
  'events missing',
  'else',
];

const pair = await startPair();
if (pair === undefined) {
  say('NOT TESTED: PostgreSQL’s server programs are missing');
  process.exit(process.env['CI'] === 'true' ? 1 : 0);
}
say(`failover, seed ${seed}, ${rounds} rounds`);
if (pair.primary.stepClock === undefined) {
  say(`NOT TESTED: servers whose clocks differ: ${NO_MOVABLE_CLOCK}`);
  if (process.env['CI'] === 'true') process.exit(1);
}
const lines = await failOver(pair);
printTable(HEADER, lines, 1);
process.exit(lines.every(({ violations }) => violations.length === 0) ? 0 : 1);

async function failOver(servers: Pair): Promise<Line[]> {
  const engine: Engine = {
    name: 'postgres',
    createDatabase: async () => ({ url: servers.url, drop: async () => undefined }),
  };
  const deployment = await deploy(engine, {}, 1);
  const subscriber = await Subscriber.of(deployment);
  const traffic = new Traffic(deployment, seeded(seed));
  const known = new Set<string>();
  const suffered: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round}: 127.0.0.1:${servers.primary.port} dies`);
    const ahead = AHEAD_S[(round - 1) % AHEAD_S.length]!;
    const suffering = await sufferRound(servers, deployment, traffic, ahead);
    const kept = await compare(deployment, traffic.ledger);
    const events = kept.events.filter((id) => !known.has(id));
    for (const id of events) known.add(id);
    suffered.push({ ...suffering, kept, events });
  }
  await subscriber.waitFor([...known], ARRIVE_WITHIN_MS);
  const invented = subscriber.invented([...known]).map((id) => `event ${id} arrived and is not there`);
  const found = suffered.map((round, i) => {
    const silent = subscriber.missing(round.events).map((id) => `event ${id} never arrived`);
    return toLine(i + 1, round, silent, i === suffered.length - 1 ? invented : []);
  });
  await subscriber.close();
  await deployment.close();
  servers.stop();
  return found;
}

interface Round {
  outage: Outage;
  secondsOf503: number;
  /** How long after the promotion all processes listened again; undefined: they did not. */
  listensAfter: number | undefined;
  /** What was not answered as it should while the new standby was made. */
  meanwhile: string[];
  kept: Kept;
  events: string[];
}

async function sufferRound(
  servers: Pair,
  deployment: Deployment,
  traffic: Traffic,
  ahead: number,
): Promise<Omit<Round, 'kept' | 'events'>> {
  let listensAfter: Promise<number | undefined> = Promise.resolve(undefined);
  const fault: Fault = {
    name: 'failover',
    meanwhile: 'all 503',
    kills: [],
    begin: async () => {
      servers.standby.stepClock?.(ahead);
      servers.primary.kill();
    },
    end: async () => {
      await servers.promote();
      listensAfter = timeUntilListening(
        servers.primary.url,
        deployment.processes.length + deployment.workers.length,
      );
    },
  };
  const first = traffic.samples.length;
  const outage = await suffer(traffic, fault, deployment.processes.length, Number(options.seconds));
  const refused = traffic.samples.slice(first).filter(({ outcome }) => outcome === 'unavailable');
  const rebuilt = traffic.samples.length;
  traffic.start();
  await servers.rebuildStandby();
  await traffic.stop();
  return {
    outage,
    secondsOf503: duration(refused),
    listensAfter: await listensAfter,
    meanwhile: traffic.samples
      .slice(rebuilt)
      .filter(({ outcome }) => outcome !== 'done' && outcome !== 'refused')
      .map(({ outcome, text }) => `while the standby was made anew, an answer was ${outcome} ${text}`),
  };
}

/** From the first to the last of them. */
function duration(samples: readonly Sample[]): number {
  const first = Math.min(...samples.map(({ sentAt }) => sentAt));
  const last = Math.max(...samples.map(({ answeredAt }) => answeredAt));
  return samples.length === 0 ? 0 : (last - first) / 1000;
}

/** All processes listen: after that they ask how the server is. */
async function timeUntilListening(url: string, deployed: number): Promise<number | undefined> {
  const begin = performance.now();
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    while (performance.now() < begin + LISTENS_WITHIN_MS) {
      const { rowCount } = await client.query(
        "select 1 from pg_stat_activity where application_name like 'hourkeep % monitor' and query not like 'listen %' and query <> ''",
      );
      if (rowCount === deployed) return performance.now() - begin;
      await delay(20);
    }
    return undefined;
  } finally {
    await client.end();
  }
}

function toLine(number: number, round: Round, silent: string[], invented: string[]): Line {
  const { outage, kept, listensAfter } = round;
  const missing = [...kept.untold, ...silent];
  const deaf =
    listensAfter === undefined ? [`not all processes listened within ${LISTENS_WITHIN_MS} ms`] : [];
  const other = [...outage.violations, ...round.meanwhile, ...deaf, ...kept.other, ...invented];
  return {
    title: `round ${number}`,
    cells: [
      String(number),
      String(outage.requests),
      String(outage.unavailable),
      round.secondsOf503.toFixed(1),
      `${Math.round(outage.slowest)} ms`,
      `${Math.round(outage.backAfter)} ms`,
      listensAfter === undefined ? 'never' : `${Math.round(listensAfter)} ms`,
      ...[kept.lost, kept.doubleHolders, missing, other].map((list) => String(list.length)),
    ],
    violations: [...kept.lost, ...kept.doubleHolders, ...missing, ...other],
  };
}
