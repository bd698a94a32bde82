import { withDatabase } from '../traffic/world.ts';
import * as apiKeys from '../../src/api-keys/api-keys.ts';
import { SCOPES } from '../../src/api-keys/scopes.ts';
import { read } from '../../src/db/database.ts';
import { CREATE } from '../support/booking.ts';
import { nextJune } from '../support/clock.ts';
import { send, type Answer } from '../support/world.ts';
import { violations } from './invariants.ts';
import type { Deployment } from './services.ts';

export interface Race {
  /** How many answers of each kind: `200`, `409 BOOKING_CONFLICT`, … */
  answers: Record<string, number>;
  violations: string[];
}

/** Everybody wants the same two hours at the same moment. */
export async function raceForOneSlot(deployment: Deployment, rivals: number): Promise<Race> {
  const { demo } = deployment;
  const body = {
    space_id: demo.spaces[0]!.id,
    date: nextJune(10),
    start_hour: 10,
    end_hour: 12,
    guest_name: 'Rival',
  };
  const keys = await addKeys(deployment, Math.ceil(rivals / MAX_IN_PROGRESS));
  const answers = await Promise.all(
    Array.from({ length: rivals }, (_, i) =>
      send(deployment.url(i), 'POST', CREATE, {
        key: keys[i % keys.length]!,
        body: { ...body, guest_email: `rival-${i}@example.com` },
      }),
    ),
  );
  const unnamed = answers.filter(
    (answer) => answer.status === 409 && answer.body.error.details.hours.join() !== '10,11',
  );
  const made = new Set(
    answers.filter((answer) => answer.status === 200).map((answer) => answer.body.data.booking.id),
  );
  return {
    answers: tally(answers),
    violations: [
      ...unnamed.map((answer) => `a conflict named other hours: ${JSON.stringify(answer.body.error)}`),
      ...(await violations(deployment.settings, made)),
    ],
  };
}

/** Of one key at one process. */
const MAX_IN_PROGRESS = 100;

const hostOf = read<{ host_id: string }>('select host_id from spaces where id = $1');

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
 * them meet. `random` decides everything: the same seed asks the same questions.
 */
export async function raceAtRandom(
  deployment: Deployment,
  requests: number,
  random: () => number,
): Promise<Race> {
  const { demo } = deployment;
  const space = demo.spaces[0]!.id;
  const key = demo.keys.production;
  const made = new Set<string>();
  const standing: string[] = [];
  const answers: Answer[] = [];
  const pick = (count: number): number => Math.floor(random() * count);
  const step = async (n: number): Promise<void> => {
    const start_hour = pick(22);
    const range = { date: nextJune(1 + pick(3)), start_hour, end_hour: start_hour + 1 + pick(3) };
    const kind = random();
    const url = deployment.url(n);
    const blocks = `/api-blocks/api/v1/spaces/${space}/blocks`;
    if (kind < 0.55) {
      const body = { ...range, space_id: space, guest_name: 'Racer', guest_email: `racer-${n}@example.com` };
      const answer = await send(url, 'POST', CREATE, { key, body });
      answers.push(answer);
      if (answer.status === 200) {
        made.add(answer.body.data.booking.id);
        standing.push(answer.body.data.booking.id);
      }
    } else if (kind < 0.8 && standing.length > 0) {
      const [id] = standing.splice(pick(standing.length), 1);
      const path = `/api-cancel-booking/api/v1/bookings/${id}/cancel`;
      answers.push(await send(url, 'POST', path, { key, body: { reason: 'race' } }));
    } else {
      answers.push(await send(url, kind < 0.9 ? 'POST' : 'DELETE', blocks, { key, body: range }));
    }
  };
  let next = 0;
  const runner = async (): Promise<void> => {
    while (next < requests) await step(next++);
  };
  await Promise.all(Array.from({ length: 48 }, runner));
  return { answers: tally(answers), violations: await violations(deployment.settings, made) };
}

/** Small, fast, and the same everywhere (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) {
    const name = answer.status < 300 ? String(answer.status) : `${answer.status} ${answer.body?.error?.code}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
