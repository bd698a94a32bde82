import { hashApiKey } from '../../src/ids/api-key.ts';
import { until } from './until.ts';
import type { Answer, World } from './world.ts';

/** As many as the overload limiter admits at most. */
const MAX_ADMITTED = 256 + 500;
const MAX_PER_KEY = 100;

export interface Held {
  /** How many requests wait. */
  readonly count: number;
  /** Lets them go on. */
  release(): void;
}

/** Keeps requests in progress: the database does not find anything by one of these values until it is told to. */
export function hold(world: World, values: readonly string[]): Held {
  const { db } = world.ctx;
  const get = db.get.bind(db);
  const gate = Promise.withResolvers<void>();
  let count = 0;
  db.get = async (statement, given = []) => {
    if (values.includes(String(given[0]))) {
      count++;
      await gate.promise;
    }
    return get(statement, given);
  };
  return {
    get count() {
      return count;
    },
    release: () => {
      db.get = get;
      gate.resolve();
    },
  };
}

/** So many calls of an agent with this key. They count towards no rate limit. */
export function callTools(world: World, key: string, times: number): Promise<Answer>[] {
  const params = { name: 'list_spaces', arguments: {} };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  return Array.from({ length: times }, () => world.call('POST', '/mcp', { key, body }));
}

/** Keeps a service overloaded until the answer is called. */
export async function overload(world: World): Promise<() => Promise<unknown>> {
  const hostId = await world.addHost();
  const keys: string[] = [];
  while (keys.length * MAX_PER_KEY <= MAX_ADMITTED) keys.push((await world.addKey(hostId)).key);
  const held = hold(world, keys.map(hashApiKey));
  const answers = keys.flatMap((key) =>
    Array.from({ length: MAX_PER_KEY }, () => world.call('GET', '/api-listings/api/v1/spaces', { key })),
  );
  await until(() => held.count === MAX_ADMITTED);
  return () => {
    held.release();
    return Promise.all(answers);
  };
}
