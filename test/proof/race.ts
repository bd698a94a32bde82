import { parseArgs } from 'node:util';
import { withDatabase } from '../traffic/world.ts';
import * as apiKeys from '../../src/api-keys/api-keys.ts';
import { SCOPES } from '../../src/ids/scopes.ts';
import { read } from '../../src/db/database.ts';
import { Random } from '../simulate/random.ts';
import { CREATE } from '../support/booking.ts';
import { nextJune } from '../support/clock.ts';
import { startCluster } from '../support/cluster.ts';
import { send, type Answer } from '../support/world.ts';
import { inspect, violations } from './kept.ts';
import type { Deployment } from './services.ts';
import { say } from './table.ts';

// npm run race: many processes' requests at the same moment, on both engines, with a seed that can be given again.
//   node test/proof/race.ts [--seed N] [--requests 2000] [--rivals 500]

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    requests: { type: 'string', default: '2000' },
    rivals: { type: 'string', default: '500' },
  },
});
const [seed, requests, rivals] = [options.seed, options.requests, options.rivals].map(Number) as [
  number,
  number,
  number,
];

/** Of one key at one process. */
const MAX_IN_PROGRESS = 100;
const RUNNERS = 48;
const hostOf = read<{ host_id: string }>('select host_id from spaces where id = $1');

const cluster = process.env['TEST_DATABASE_URL'] ? undefined : await startCluster({ fsync: 'on' });
if (cluster !== undefined) process.env['TEST_DATABASE_URL'] = cluster.url;
const { engines } = await import('../support/engines.ts');
const { deploy, wantEvents } = await import('./services.ts');

say(`race, seed ${seed}, engines: ${engines.map((engine) => engine.name).join(', ')}`);
if (!engines.some(({ name }) => name === 'postgres'))
  say('PostgreSQL is NOT TESTED: set TEST_DATABASE_URL or install the server');
let failures = 0;
for (const engine of engines) {
  const deployment = await deploy(engine);
  await wantEvents(deployment);
  for (const [title, race] of [
    [`${rivals} for one slot`, raceForOneSlot],
    [`${requests} at random`, raceAtRandom],
  ] as const) {
    const { answers, wrong } = await race(deployment);
    say(
      `${wrong.length === 0 ? 'ok  ' : 'FAIL'}  [${engine.name}] ${title}: ${JSON.stringify(tally(answers))}`,
    );
    for (const text of wrong.slice(0, 20)) say(`      ${text}`);
    failures += wrong.length;
  }
  await deployment.close();
}
cluster?.stop();
process.exit(failures === 0 ? 0 : 1);

interface Race {
  answers: Answer[];
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
  const isOneWinner = made(answers).size === 1 && conflicts.length === rivals - 1;
  return {
    answers,
    wrong: [
      ...(isOneWinner ? [] : ['not exactly one winner']),
      ...misnamed.map((error) => `a conflict of other hours: ${JSON.stringify(error)}`),
      ...violations(await inspect(deployment.settings, made(answers))),
    ],
  };
}

/** More keys of the demo's host. */
async function addKeys({ settings, demo }: Deployment, count: number): Promise<string[]> {
  return withDatabase(settings['DATABASE_URL']!, async ({ db, clock }) => {
    const { host_id: hostId } = (await db.get(hostOf, [demo.spaces[0]!.id]))!;
    const key = { hostId, environment: 'production', name: 'race', scopes: SCOPES, expiresAt: null } as const;
    const keys: string[] = [];
    while (keys.length < count)
      keys.push((await db.transaction((tx) => apiKeys.create(tx, clock.now(), key))).key);
    return keys;
  });
}

/**
 * Random creates, cancellations, blocks and releases over few hours of few days, many at once, so that most of
 * them meet. The seed decides everything: it asks the same questions again.
 */
async function raceAtRandom(deployment: Deployment): Promise<Race> {
  const { demo } = deployment;
  const random = new Random(seed);
  const space_id = demo.spaces[0]!.id;
  const standing: string[] = [];
  const answers: Answer[] = [];
  const acknowledged = new Set<string>();
  const ask = async (n: number, method: string, path: string, body: object): Promise<Answer> => {
    const answer = await send(deployment.url(n), method, path, { key: demo.keys.production, body });
    answers.push(answer);
    return answer;
  };
  const step = async (n: number): Promise<void> => {
    const start_hour = random.below(22);
    const range = {
      date: nextJune(random.between(1, 3)),
      start_hour,
      end_hour: start_hour + random.between(1, 3),
    };
    const kind = random.next();
    if (kind < 0.55) {
      const guest = { guest_name: 'Racer', guest_email: `racer-${n}@example.com` };
      const answer = await ask(n, 'POST', CREATE, { ...range, space_id, ...guest });
      if (answer.status === 200) standing.push(answer.body.data.booking.id);
    } else if (kind < 0.8 && standing.length > 0) {
      const [id] = standing.splice(random.below(standing.length), 1);
      const path = `/api-cancel-booking/api/v1/bookings/${id}/cancel`;
      if ((await ask(n, 'POST', path, { reason: 'race' })).status === 200)
        acknowledged.add(`booking.cancelled ${id}`);
    } else {
      await ask(n, kind < 0.9 ? 'POST' : 'DELETE', `/api-blocks/api/v1/spaces/${space_id}/blocks`, range);
    }
  };
  let next = 0;
  const runner = async (): Promise<void> => {
    while (next < requests) await step(next++);
  };
  await Promise.all(Array.from({ length: RUNNERS }, runner));
  const told = new Set([...made(answers), ...acknowledged]);
  return { answers, wrong: violations(await inspect(deployment.settings, told)) };
}

/** The events that these answers acknowledge. */
function made(answers: readonly Answer[]): Set<string> {
  const bookings = answers.flatMap(({ status, body }) => (status === 200 ? (body.data.booking ?? []) : []));
  return new Set(
    bookings.filter(({ status }) => status === 'confirmed').map(({ id }) => `booking.created ${id}`),
  );
}

function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const name = status < 300 ? String(status) : `${status} ${body?.error?.code}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
