import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { NO_MOVABLE_CLOCK } from '../support/movable-clock.ts';
import { startPair, type Pair } from '../support/pair.ts';
import { query } from '../support/query.ts';
import type { Fault } from './faults.ts';
import { deploy } from './services.ts';
import { HEADER, sufferAll } from './suffer.ts';
import { printTable, say } from './table.ts';

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
const [rounds, seconds, seed] = [Number(options.rounds), Number(options.seconds), Number(options.seed)];

const LISTENS_WITHIN_MS = 5000;
/** By how much the clock of the server that is promoted is ahead, round by round: the one before is the other's. */
const AHEAD_S = [20, 0, 3600, 0];

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
const deployment = await deploy(pair.url, {}, 1);
const processes = deployment.processes.length + deployment.workers.length;
const faults = Array.from({ length: rounds }, (_, round) => failover(pair, round, processes));
const lines = await sufferAll('postgres', deployment, faults, { seconds, seed });
await deployment.close();
pair.stop();
printTable(HEADER, lines, 2);
process.exit(lines.every(({ violations }) => violations.length === 0) ? 0 : 1);

function failover(servers: Pair, round: number, deployed: number): Fault {
  let isHeard: Promise<boolean>;
  return {
    name: `failover ${round + 1}`,
    meanwhile: 'all 503',
    begin: async () => {
      servers.standby.stepClock?.(AHEAD_S[round % AHEAD_S.length]!);
      servers.primary.kill();
    },
    end: async () => {
      await servers.promote();
      isHeard = allListen(servers.primary.url, deployed);
    },
    after: async (traffic) => {
      const first = traffic.samples.length;
      traffic.start();
      await servers.rebuildStandby();
      await traffic.stop();
      const answers = traffic.samples.slice(first);
      return [
        ...((await isHeard) ? [] : [`not all processes listened within ${LISTENS_WITHIN_MS} ms`]),
        ...answers
          .filter(({ outcome }) => outcome !== 'done' && outcome !== 'refused')
          .map(({ outcome, text }) => `while the standby was made anew, an answer was ${outcome} ${text}`),
      ];
    },
  };
}

/** Whether all processes listen in time: after that they ask how the server is. */
async function allListen(url: string, deployed: number): Promise<boolean> {
  for (const begin = performance.now(); performance.now() < begin + LISTENS_WITHIN_MS; await delay(50)) {
    const heard = await query(
      url,
      "select 1 from pg_stat_activity where application_name like 'hourkeep % monitor' and query not like 'listen %' and query <> ''",
    );
    if (heard.length === deployed) return true;
  }
  return false;
}
