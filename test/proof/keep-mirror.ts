import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Booking } from '../../src/bookings/schemas.ts';
import { send, type Answer } from '../support/world.ts';
import { reading } from './invariants.ts';
import type { Deployment } from './services.ts';

const LIST = '/api-bookings/api/v1/bookings';
/** As promised, unless a transaction is stuck for longer. */
const BEHIND_MS = 30_000;
const PAUSE_MS = 100;
const RETRY_MS = 50;
const GIVE_UP_MS = 10_000;

/** One who keeps a copy of a host's bookings, and knows nothing but what the list of changes says. */
export class Mirror {
  readonly records = new Map<string, Booking>();
  readonly wrong: string[] = [];
  walks = 0;
  pages = 0;
  behindMs = 0;
  readonly #deployment: Deployment;
  readonly #limit: number;
  readonly #first: number;
  #since = '1970-01-01T00:00:00Z';
  #stopping = false;

  /** `first`: the process that is asked for the first page, and so for the mark. */
  constructor(deployment: Deployment, first: number, limit: number) {
    this.#deployment = deployment;
    this.#first = first;
    this.#limit = limit;
  }

  async run(): Promise<void> {
    while (!this.#stopping) {
      await this.walk();
      await delay(PAUSE_MS);
    }
  }

  stop(): void {
    this.#stopping = true;
  }

  async walk(): Promise<void> {
    const begun = Date.now();
    let syncedTo: string | undefined;
    let cursor: string | null = null;
    let turn = this.#first;
    do {
      const after: string = cursor === null ? '' : `&cursor=${cursor}`;
      const query = `updated_since=${this.#since}&limit=${this.#limit}${after}`;
      // Each page from another process.
      const { bookings, pagination } = (await ask(this.#deployment, () => turn++, query)).body.data;
      for (const booking of bookings) this.records.set(booking.id, booking);
      syncedTo ??= pagination.synced_to;
      if (syncedTo === undefined || syncedTo !== pagination.synced_to)
        this.wrong.push(`synced_to is ${pagination.synced_to} on one page and ${syncedTo} on another`);
      cursor = pagination.next_cursor;
      this.pages++;
    } while (cursor !== null);
    this.walks++;
    this.#since = syncedTo!;
    const behind = begun - Date.parse(syncedTo!);
    this.behindMs = Math.max(this.behindMs, behind);
    if (behind > BEHIND_MS) this.wrong.push(`synced_to was ${behind} ms behind the clock`);
  }
}

/** All bookings, as they were before and after the last walk of all mirrors. */
export async function settled(
  deployment: Deployment,
  mirrors: readonly Mirror[],
): Promise<ReadonlyMap<string, Booking>> {
  for (;;) {
    const before = await readAll(deployment);
    await Promise.all(mirrors.map((mirror) => mirror.walk()));
    const after = await readAll(deployment);
    if (!isDeepStrictEqual(before, after)) continue;
    const { host } = deployment.demo;
    const [row] = await reading(deployment.settings, (all) =>
      all<{ count: number }>(
        `select count(*) as count from bookings where host_id = '${host.id}' and environment = 'production'`,
      ),
    );
    if (row?.count === after.size) return after;
    throw new Error(`${row?.count} bookings are stored, and ${after.size} are listed`);
  }
}

async function readAll(deployment: Deployment): Promise<Map<string, Booking>> {
  const found = new Map<string, Booking>();
  let cursor: string | null = null;
  do {
    const after: string = cursor === null ? '' : `&cursor=${cursor}`;
    const { bookings, pagination } = (await ask(deployment, () => 0, `limit=200${after}`)).body.data;
    for (const booking of bookings) found.set(booking.id, booking);
    cursor = pagination.next_cursor;
  } while (cursor !== null);
  return found;
}

/** Asks again, of whoever's turn it is, until there is an answer. */
async function ask(deployment: Deployment, turn: () => number, query: string): Promise<Answer> {
  const { demo, url } = deployment;
  for (;;) {
    const call = { key: demo.keys.production, signal: AbortSignal.timeout(GIVE_UP_MS) };
    const answer = await send(url(turn()), 'GET', `${LIST}?${query}`, call).catch(() => undefined);
    if (answer?.status === 200) return answer;
    if (answer !== undefined && answer.status !== 503) throw new Error(answer.text);
    await delay(RETRY_MS);
  }
}

export function differences(
  mirror: ReadonlyMap<string, Booking>,
  stored: ReadonlyMap<string, Booking>,
): string[] {
  const found = [...mirror.keys()].filter((id) => !stored.has(id)).map((id) => `${id} was never committed`);
  for (const [id, booking] of stored) {
    const mirrored = mirror.get(id);
    if (mirrored === undefined) found.push(`${id}, last changed ${booking.updated_at}, is missing`);
    else
      for (const field of Object.keys(booking) as (keyof Booking)[])
        if (mirrored[field] !== booking[field])
          found.push(`${id} has the ${field} ${mirrored[field]} instead of ${booking[field]}`);
  }
  return found;
}
