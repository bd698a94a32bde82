import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { buildApp } from '../src/app.ts';
import type { Contract, Endpoint } from './contract/document.ts';
import { ask, openStage, rowOf, type Input, type Stage } from './contract/rows.ts';
import { refused } from './support/answer.ts';
import { startCluster } from './support/cluster.ts';
import { contractOf, holdToContract } from './support/contract.ts';
import { engines, onBothEngines, onPostgres } from './support/engines.ts';
import { overload } from './support/overload.ts';
import { tablesOf } from './support/tables.ts';
import { startWorld, useWorld, type Answer, type World } from './support/world.ts';

// Brings every operation of the published document to every status that it names. send() checks that each answer is
// as documented. A documented status that `ways` does not know is a failure.

/** One request a minute, so that a key's second one is refused; sandbox keys have no limit. */
const LIMITS = { RATE_LIMIT_PRODUCTION: '1', RATE_LIMIT_SANDBOX: '0' };

onBothEngines('every operation answers as documented', (engine) => {
  const world = useWorld(engine, LIMITS);
  let contract: Contract;
  let stage: Stage;
  before(async () => {
    contract = await contractOf(world.url);
    stage = await openStage(world, await world.addHost());
  });

  const ways: Record<string, (endpoint: Endpoint, input: Input) => Promise<Answer>> = {
    200: succeed,
    201: succeed,
    304: async (endpoint, input) => {
      const first = await ask(world, endpoint, input);
      return ask(world, endpoint, input, { headers: { 'if-none-match': first.headers.get('etag')! } });
    },
    400: async (endpoint) => notHttp(world, endpoint),
    401: (endpoint, { query = {}, ...rest }) =>
      ask(world, endpoint, { ...rest, query: isPublic(endpoint) ? { ...query, token: 'wrong' } : query }),
    403: async (endpoint, input) => ask(world, endpoint, input, { key: (await stage.newKey([])).key }),
    404: async (endpoint, input) => {
      const stranger = await world.addHost();
      return ask(world, endpoint, input, { key: (await world.addKey(stranger)).key });
    },
    409: async (endpoint, input) => {
      await succeed(endpoint, input);
      return succeed(endpoint, input);
    },
    413: async (endpoint, input) =>
      ask(world, endpoint, input, { key: (await stage.newKey()).key, body: ' '.repeat(257 * 1024) }),
    415: async (endpoint, input) =>
      ask(world, endpoint, input, {
        key: (await stage.newKey()).key,
        headers: { 'content-type': 'text/plain' },
        body: 'plain text',
      }),
    422: async (endpoint, input) => {
      const { key } = await stage.newKey();
      if (input.body !== undefined) return ask(world, endpoint, input, { key, body: { nonsense: true } });
      if (endpoint.method !== 'GET') return ask(world, endpoint, input, { key, body: 'not JSON' });
      const query = endpoint.operation.parameters?.find((parameter) => parameter.in === 'query');
      return ask(world, endpoint, { ...input, query: { [query?.name ?? 'unknown']: 'nonsense' } }, { key });
    },
    429: async (endpoint, input) => {
      const { key } = await stage.newKey();
      const times = isPublic(endpoint) ? 60 : 1;
      await Promise.all(Array.from({ length: times }, () => ask(world, endpoint, input, { key })));
      const answer = await ask(world, endpoint, input, { key });
      if (isPublic(endpoint)) world.clock.advance({ minutes: 1 });
      return answer;
    },
    // In tests of their own below: the service must be in trouble.
    500: async () => Promise.reject(new Error('not here')),
    503: async () => Promise.reject(new Error('not here')),
  };

  async function succeed(endpoint: Endpoint, input: Input): Promise<Answer> {
    return ask(world, endpoint, input, isPublic(endpoint) ? {} : { key: (await stage.newKey()).key });
  }

  test('there is a way to every status that is documented', () => {
    const documented = contract.endpoints.flatMap(({ operation }) => Object.keys(operation.responses));
    assert.deepEqual(
      [...new Set(documented)].filter((status) => ways[status] === undefined),
      [],
    );
  });

  for (const [status, reach] of Object.entries(ways)) {
    // Told before the database has a part in it.
    if (engine !== engines[0] && ['400', '413', '415'].includes(status)) continue;
    if (Number(status) >= 500) continue;
    test(`${status}, with what is left of the limit wherever a key was valid`, async () => {
      for (const endpoint of contract.endpoints) {
        if (endpoint.operation.responses[status] === undefined) continue;
        const answer = await reach(endpoint, await rowOf(endpoint).input(stage));
        const where = `${endpoint.operation.operationId}: ${String(answer.bytes)}`;
        assert.equal(answer.status, Number(status), where);
        if (!isPublic(endpoint) && status !== '401') assert.ok(answer.headers.has('ratelimit'), where);
      }
    });
  }

  test('404 for an id that is unknown or malformed', async () => {
    for (const endpoint of contract.endpoints) {
      const input = await rowOf(endpoint).input(stage);
      for (const name of Object.keys(input.params ?? {}))
        for (const id of ['0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01', 'nonsense']) {
          const { key } = await stage.newKey();
          const answer = await ask(world, endpoint, { ...input, params: { [name]: id } }, { key });
          assert.match(refused(answer, 404, 'NOT_FOUND').message, /^Not found: no such /);
        }
    }
  });

  test('500 when a table is not there', async () => {
    // While the tables are still there: the requests need a space, a booking and so on.
    const asked = await prepare(world, contract, stage);
    for (const table of (await tablesOf(world)).keys()) {
      if (table === 'api_keys' || table === 'rate_windows') continue;
      await world.write(`alter table ${table} rename to ${table}_away`);
    }
    for (const { endpoint, input, key } of asked) {
      if (endpoint.operation.operationId === 'getOpenApi') continue;
      const answer = await ask(world, endpoint, input, { key });
      assertStatus(answer, 500, endpoint);
      assert.doesNotMatch(String(answer.bytes), /table|relation|column|select|sqlite|postgres/i);
    }
  });

  test('500 when the document itself cannot be made', async () => {
    const config = { ...world.ctx.config };
    Object.defineProperty(config, 'publicUrl', {
      get: () => {
        throw new Error('broken');
      },
    });
    const app = await buildApp({ ...world.ctx, config });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const response = await fetch(`${url}/api-openapi`);
    const { status, headers } = response;
    holdToContract(contract, {
      method: 'GET',
      path: '/api-openapi',
      status,
      headers,
      text: await response.text(),
    });
    assert.equal(status, 500);
    await app.close();
  });
});

describe('every operation answers 503 as documented', () => {
  const world = useWorld(engines[0]!);

  test('when more is asked at once than it can serve, and all is well again when they have gone', async () => {
    const contract = await contractOf(world.url);
    const asked = await prepare(world, contract, await openStage(world, await world.addHost()));
    const leave = await overload(world);
    try {
      for (const { endpoint, input, key } of asked) {
        assertStatus(await ask(world, endpoint, input, { key }), 503, endpoint);
      }
    } finally {
      await leave();
    }
    while ((await world.call('GET', '/api-openapi')).status === 503);
  });
});

onPostgres('every operation answers 503 as documented', () => {
  let world: World;
  let cluster: Awaited<ReturnType<typeof startCluster>>;
  before(async () => {
    cluster = await startCluster();
    assert.ok(cluster, 'this test takes a server down and needs one of its own');
    const { url } = cluster;
    const createDatabase = async () => ({ url, drop: async () => undefined });
    world = await startWorld({ name: 'postgres', createDatabase });
  });
  after(async () => {
    await world.close();
    cluster?.stop();
  });

  test('when the database is down', async () => {
    const contract = await contractOf(world.url);
    const asked = await prepare(world, contract, await openStage(world, await world.addHost()));
    await cluster?.crash();
    for (const { endpoint, input, key } of asked) {
      if (endpoint.operation.operationId === 'getOpenApi') continue;
      assertStatus(await ask(world, endpoint, input, { key }), 503, endpoint);
    }
  });
});

describe('every operation that writes answers 503 as documented [sqlite]', () => {
  const world = useWorld(engines[0]!);

  test('when somebody else keeps the database locked', async () => {
    assert.equal(world.ctx.config.database.engine, 'sqlite');
    const contract = await contractOf(world.url);
    const asked = await prepare(world, contract, await openStage(world, await world.addHost()));
    const { database } = world.ctx.config;
    const intruder = new DatabaseSync('file' in database ? database.file : '');
    intruder.exec('begin immediate');
    // All at once, since each of them waits for the lock until its time is up.
    await Promise.all(
      asked.map(async ({ endpoint, input, key }) => {
        const status = endpoint.method === 'GET' ? 200 : 503;
        assertStatus(await ask(world, endpoint, input, { key }), status, endpoint);
      }),
    );
    intruder.exec('rollback');
    intruder.close();
  });
});

/** A request with a header line that has no colon. */
async function notHttp(world: World, { method, template }: Endpoint): Promise<Answer> {
  const { hostname, port } = new URL(world.url);
  const socket = connect(Number(port), hostname);
  socket.end(`${method} ${template} HTTP/1.1\r\nHost: ${hostname}\r\nnonsense\r\n\r\n`);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = new Headers(fields.map((field) => field.split(': ') as [string, string]));
  const status = Number(line.split(' ')[1]);
  holdToContract(await contractOf(world.url), { method, path: template, status, headers, text: body });
  return { status, headers, bytes: Buffer.from(body), text: body, body: JSON.parse(body) };
}

/** Requests that would succeed now, to be sent when the service is in trouble. */
async function prepare(world: World, contract: Contract, stage: Stage) {
  const asked: { endpoint: Endpoint; input: Input; key: string }[] = [];
  for (const endpoint of contract.endpoints) {
    const { key } = await world.addKey(stage.hostId);
    asked.push({ endpoint, input: await rowOf(endpoint).input(stage), key });
  }
  return asked;
}

function isPublic({ operation }: Endpoint): boolean {
  return operation.security.length === 0;
}

function assertStatus(answer: Answer, status: number, { operation }: Endpoint): void {
  assert.equal(answer.status, status, `${operation.operationId}: ${String(answer.bytes)}`);
}
