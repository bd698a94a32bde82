import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { withDatabase } from '../traffic/world.ts';
import * as apiKeys from '../../src/api-keys/api-keys.ts';
import { SCOPES } from '../../src/ids/scopes.ts';
import { Random } from '../simulate/random.ts';
import { CREATE } from '../support/booking.ts';
import { nextJune } from '../support/clock.ts';
import { startCluster } from '../support/cluster.ts';
import { NOBODY, send } from '../support/world.ts';
import { inspect, violations } from './kept.ts';
import { deploy, type Deployment } from './services.ts';
import { subscribe } from './subscriber.ts';
import { say } from './table.ts';
import { GUESTS, Traffic } from './traffic.ts';

// npm run race: many processes' requests at the same moment, on both engines, with a seed that can be given again.
//   node test/proof/race.ts [--seed N] [--requests 2000] [--rivals 500]

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    requests: { type: 'string', default: '2000' },
    rivals: { type: 'string', default: '500' },
  },
});
const [seed, requests, rivals] = [Number(options.seed), Number(options.requests), Number(options.rivals)];

/** Of one key at one process. */
const MAX_IN_PROGRESS = 100;

const cluster = process.env['TEST_DATABASE_URL'] ? undefined : await startCluster({ fsync: 'on' });
if (cluster !== undefined) process.env['TEST_DATABASE_URL'] = cluster.url;
const { engines } = await import('../support/engines.ts');

say(`race, seed ${seed}, engines: ${engines.map((engine) => engine.name).join(', ')}`);
if (!engines.some(({ name }) => name === 'postgres'))
  say('PostgreSQL is NOT TESTED: set TEST_DATABASE_URL or install the server');
let failures = 0;
for (const engine of engines) {
  const database = await engine.createDatabase('template');
  const deployment = await deploy(database.url);
  // Where nobody listens: events that nobody wants are not written.
  await subscribe(deployment.url(0), deployment.demo.keys.production, NOBODY);
  for (const [title, race] of [
    [`${rivals} for one slot`, raceForOneSlot],
    [`${requests} at random`, raceAtRandom],
  ] as const) {
    const { outcomes, wrong } = await race(deployment);
    const counts = Object.entries(Object.groupBy(outcomes, String)).map(
      ([outcome, all]) => `${all!.length} × ${outcome}`,
    );
    say(`${wrong.length === 0 ? 'ok  ' : 'FAIL'}  [${engine.name}] ${title}: ${counts.join(', ')}`);
    for (const text of wrong.slice(0, 20)) say(`      ${text}`);
    failures += wrong.length;
  }
  await deployment.close();
  await database.drop();
}
cluster?.stop();
process.exit(failures === 0 ? 0 : 1);

interface Race {
  outcomes: (string | number)[];
  wrong: string[];
}

/** Everybody wants the same two hours at the same moment. */
async function raceForOneSlot(deployment: Deployment): Promise<Race> {
  const space_id = deployment.demo.spaces[0]!.id;
  const body = { space_id, date: nextJune(10), start_hour: 10, end_hour: 12, guest_name: 'Rival' };
  const keys = await addKeys(deployment, Math.ceil(rivals / MAX_IN_PROGRESS));
  const answers = await Promise.all(
    Array.from({ length: rivals }, (_, i) =>
      send(deployment.url(i), 'POST', CREATE, {
        key: keys[i % keys.length]!,
        body: { ...body, guest_email: `rival-${i}@example.com` },
      }),
    ),
  );
  const conflicts = answers.filter(({ status }) => status === 409).map(({ body: { error } }) => error);
  const misnamed = conflicts.filter(
    ({ code, details }) => code !== 'BOOKING_CONFLICT' || details.hours.join() !== '10,11',
  );
  const made = answers.flatMap(({ status, body: { data } }) => (status === 200 ? [data.booking.id] : []));
  const isOneWinner = made.length === 1 && conflicts.length === rivals - 1;
  const acknowledged = new Set(made.map((id) => `booking.created ${id}`));
  return {
    outcomes: answers.map(({ status }) => status),
    wrong: [
      ...(isOneWinner ? [] : ['not exactly one winner']),
      ...misnamed.map((error) => `a conflict of other hours: ${JSON.stringify(error)}`),
      ...violations(await inspect(deployment.settings, acknowledged)),
    ],
  };
}

/** More keys of the demo's host. */
async function addKeys({ settings, demo }: Deployment, count: number): Promise<string[]> {
  const key = { hostId: demo.host.id, environment: 'production', name: 'race', scopes: SCOPES } as const;
  return withDatabase(settings['DATABASE_URL']!, async ({ db, clock }) => {
    const keys: string[] = [];
    while (keys.length < count)
      keys.push((await db.transaction((tx) => apiKeys.create(tx, clock.now(), key))).key);
    return keys;
  });
}

/** Creates, moves and cancellations over few hours of one day, many at once, so that most of them meet. */
async function raceAtRandom(deployment: Deployment): Promise<Race> {
  const pace = { callers: 48, thinkMs: 0, contested: true };
  const traffic = new Traffic(deployment, new Random(seed), pace);
  traffic.start();
  while (traffic.samples.length < requests) await delay(20);
  await traffic.stop();
  const wrong = traffic.samples.filter(({ outcome }) => outcome !== 'done' && outcome !== 'refused');
  return {
    outcomes: traffic.samples.map(({ outcome }) => outcome),
    wrong: [
      ...wrong.map(({ outcome, text }) => `${outcome} ${text}`),
      ...violations(await inspect(deployment.settings, traffic.acknowledged, GUESTS)),
    ],
  };
}
