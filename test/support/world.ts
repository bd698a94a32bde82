import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { Writable } from 'node:stream';
import * as apiKeys from '../../src/api-keys/api-keys.ts';
import { SCOPES, type Scope } from '../../src/ids/scopes.ts';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import type { SqlValue } from '../../src/db/database.ts';
import { EVENT_TYPES } from '../../src/events/events.ts';
import * as hosts from '../../src/hosts/hosts.ts';
import type { Environment } from '../../src/ids/api-key.ts';
import { newId } from '../../src/ids/uuid.ts';
import { HostFigures } from '../../src/host-figures.ts';
import { createLogger } from '../../src/log.ts';
import { createGuard } from '../../src/outbound/guard.ts';
import { createSecrets, type Secrets } from '../../src/secrets/secrets.ts';
import type { SeededSpace } from '../../src/spaces/fields.ts';
import * as spaces from '../../src/spaces/spaces.ts';
import type { Answer, Delivered } from './answer.ts';
import { TestClock } from './clock.ts';
import { contractOf, holdToContract, publishes } from './contract.ts';
import type { Engine } from './engines.ts';
import { A_HOST, A_SPACE } from './host-and-space.ts';
import { noted } from './statements-seen.ts';

export type { Answer } from './answer.ts';

export interface Call {
  key?: string | undefined;
  /** Sent as it is if it is text or bytes, else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/**
 * A running service on a real database behind a real port, with a clock that the test moves, and factories
 * for what the operator would add.
 */
export type SpaceOverrides = Partial<SeededSpace> & { environment?: Environment };

export interface World {
  url: string;
  /** As DATABASE_URL takes it: for processes beside the service. */
  databaseUrl: string;
  ctx: Context;
  clock: TestClock;
  /** What the service has logged so far. */
  logText(): string;
  call(method: string, path: string, call?: Call): Promise<Answer>;
  addHost(overrides?: Partial<hosts.NewHost>): Promise<string>;
  addSpace(hostId: string, overrides?: SpaceOverrides): Promise<string>;
  addKey(
    hostId: string,
    overrides?: { environment?: Environment; scopes?: readonly Scope[]; expiresAt?: number },
  ): Promise<{ id: string; key: string }>;
  /** A look into the database, past everything. Refuses to write. */
  rows<Row>(text: string, values?: SqlValue[]): Promise<Row[]>;
  /** The one row that this finds. */
  row<Row>(text: string, values?: SqlValue[]): Promise<Row>;
  /** Changes the database, past everything, and tells how many rows changed. */
  write(text: string, values?: SqlValue[]): Promise<number>;
  /** Subscribes a host to everything, where nobody listens: events that nobody wants are not written. */
  wantEvents(hostId: string, environment?: Environment): Promise<void>;
  /** What its subscriptions were to be told, oldest first. */
  events(hostId: string): Promise<Pick<Delivered, 'type' | 'data'>[]>;
  close(): Promise<void>;
}

/** A world for all tests of a suite: there when the first one starts, gone after the last. */
export function useWorld(engine: Engine, settings: Record<string, string> = {}, clock?: TestClock): World {
  const world = {} as World;
  before(async () => {
    Object.assign(world, await startWorld(engine, settings, clock));
  });
  after(() => world.close());
  return world;
}

export async function startWorld(
  engine: Engine,
  settings: Record<string, string> = {},
  clock: TestClock = new TestClock(),
): Promise<World> {
  const database = await engine.createDatabase('template');
  const config = readConfig({
    DATABASE_URL: database.url,
    PORT: '0',
    RATE_LIMIT_PRODUCTION: '0',
    RATE_LIMIT_SANDBOX: '0',
    ...settings,
  });
  const logged: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged.push(chunk.toString());
      done();
    },
  });
  const log = createLogger(settings['LOG_LEVEL'] ?? 'info', sink);
  const db = openDatabase(config, log);
  await migrate(db, clock);
  const secrets = testSecrets();
  const guard = createGuard(config.webhookAllowCidrs);
  const ctx: Context = { db, config, clock, log, secrets, guard, figures: new HostFigures() };
  const app = await buildApp(noted(ctx));
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  publishes(url + config.basePath, settings);
  const world: World = {
    url: url + config.basePath,
    databaseUrl: database.url,
    ctx,
    clock,
    logText: () => logged.join(''),
    call: (method, path, call) => send(world.url, method, path, call),
    addHost: (overrides = {}) =>
      db.transaction(async (tx) => {
        const host = { ...A_HOST, email: `host-${++serial}@example.com`, ...overrides };
        return (await hosts.add(tx, clock.now(), host)).id;
      }),
    addSpace: (hostId, { environment = 'production', ...overrides } = {}) =>
      db.transaction(async (tx) => {
        const place = { host: await hosts.get(tx, hostId), environment };
        return (await spaces.add(tx, clock.now(), place, { ...A_SPACE, ...overrides })).id;
      }),
    addKey: (hostId, { expiresAt, ...overrides } = {}) =>
      db.transaction((tx) =>
        apiKeys.create(tx, clock.now(), {
          hostId,
          environment: 'production',
          name: 'test',
          scopes: SCOPES,
          expires_at: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
          ...overrides,
        }),
      ),
    rows: async (text, values = []) => {
      if (!/^\s*(select|explain)\b/.test(text)) throw new Error(`not a read: ${text}`);
      return db.all({ text, name: '', writes: false }, values);
    },
    row: async <Row>(text: string, values: SqlValue[] = []) => {
      const [row, ...others] = await world.rows<Row>(text, values);
      if (row === undefined || others.length > 0) throw new Error(`not one row: ${text}`);
      return row;
    },
    write: (text, values = []) => db.transaction((tx) => tx.run({ text, name: '', writes: true }, values)),
    wantEvents: async (hostId, environment = 'production') => {
      const id = newId();
      const values = [hostId, id, environment, NOBODY, EVENT_TYPES.join(' '), secrets.seal(id, 'whsec_AAAA')];
      await world.write(
        `insert into webhooks (host_id, id, environment, url, events, is_active, secret, old_secrets, created_at, updated_at)
        values ($1, $2, $3, $4, $5, 1, $6, '[]', 0, 0)`,
        values,
      );
    },
    events: async (hostId) => {
      const rows = await world.rows<{ type: Delivered['type']; data: string }>(
        'select type, data from events where host_id = $1 order by id',
        [hostId],
      );
      return rows.map(({ type, data }) => ({ type, data: JSON.parse(data) }));
    },
    close: async () => {
      await app.close();
      await db.close();
      await database.drop();
      assertErrorsHaveOneShape(world.logText());
    },
  };
  return world;
}

/** Whatever a test has made go wrong. */
function assertErrorsHaveOneShape(log: string): void {
  for (const line of log.split('\n').filter((text) => text.includes('"error":'))) {
    const { error } = JSON.parse(line) as { error: Record<string, unknown> };
    const { type, message, code: _, ...others } = error;
    assert.deepEqual([typeof type, typeof message, others], ['string', 'string', {}], line);
  }
}

let serial = 0;

/** As every world has them. */
export const TEST_SECRET_KEY = 'a key that only tests use';
export const testSecrets = (): Secrets => createSecrets(() => TEST_SECRET_KEY);

/** The discard port: nothing listens there. */
export const NOBODY = 'http://127.0.0.1:9/';

export async function send(base: string, method: string, path: string, call: Call = {}): Promise<Answer> {
  const headers: Record<string, string> = { ...call.headers };
  if (call.key !== undefined) headers['authorization'] = `Bearer ${call.key}`;
  const init: RequestInit = { method, headers, redirect: 'manual' };
  if (call.signal !== undefined) init.signal = call.signal;
  if (call.body !== undefined) {
    headers['content-type'] ??= 'application/json';
    const written = typeof call.body === 'string' || call.body instanceof Uint8Array;
    init.body = written ? (call.body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(call.body);
  }
  const contract = contractOf(base);
  const [response] = await Promise.all([fetch(base + path, init), contract]);
  const { status, headers: answered } = response;
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString();
  holdToContract(await contract, { method, path, status, headers: answered, text });
  const isJson = answered.get('content-type')?.startsWith('application/json') === true;
  return {
    status,
    headers: answered,
    bytes,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}
