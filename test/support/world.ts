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
import { operator } from './operator.ts';
import { noted } from './statements-seen.ts';

export type { Answer } from './answer.ts';

export interface Call {
  key?: string | undefined;
  /** Sent as it is if it is text or bytes, else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export type SpaceOverrides = Partial<SeededSpace> & { environment?: Environment };
interface KeyOverrides {
  environment?: Environment;
  scopes?: readonly Scope[];
  expiresAt?: number;
}

export type World = Awaited<ReturnType<typeof startWorld>>;

/** A world for all tests of a suite: there when the first one starts, gone after the last. */
export function useWorld(engine: Engine, settings: Record<string, string> = {}, clock?: TestClock): World {
  const world = {} as World;
  before(async () => {
    Object.assign(world, await startWorld(engine, settings, clock));
  });
  after(() => world.close());
  return world;
}

/**
 * A running service on a real database behind a real port, with a clock that the test moves, and factories
 * for what the operator would add.
 */
export async function startWorld(
  engine: Engine,
  settings: Record<string, string> = {},
  clock = new TestClock(),
) {
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
  const base = (await app.listen({ host: '127.0.0.1', port: 0 })) + config.basePath;
  publishes(base, settings);
  /** A look into the database, past everything. Refuses to write. */
  const rows = async <Row>(text: string, values: SqlValue[] = []): Promise<Row[]> => {
    if (!/^\s*(select|explain)\b/.test(text)) throw new Error(`not a read: ${text}`);
    return db.all({ text, name: '', writes: false }, values);
  };
  /** Changes the database, past everything, and tells how many rows changed. */
  const write = (text: string, values: SqlValue[] = []): Promise<number> =>
    db.transaction((tx) => tx.run({ text, name: '', writes: true }, values));
  return {
    url: base,
    /** As DATABASE_URL takes it: for processes beside the service. */
    databaseUrl: database.url,
    ctx,
    clock,
    /** What the service has logged so far. */
    logText: () => logged.join(''),
    /** Its lines with this text. */
    logLines: (text: string) =>
      logged
        .join('')
        .split('\n')
        .filter((line) => line.includes(text)),
    call: (method: string, path: string, call?: Call) => send(base, method, path, call),
    addHost: (overrides: Partial<hosts.NewHost> = {}) =>
      db.transaction(async (tx) => {
        const host = { ...A_HOST, email: `host-${++serial}@example.com`, ...overrides };
        return (await hosts.add(tx, clock.now(), host)).id;
      }),
    addSpace: (hostId: string, { environment = 'production', ...overrides }: SpaceOverrides = {}) =>
      db.transaction(async (tx) => {
        const place = { host: await hosts.get(tx, hostId), environment };
        return (await spaces.add(tx, clock.now(), place, { ...A_SPACE, ...overrides })).id;
      }),
    addKey: (hostId: string, { expiresAt, ...overrides }: KeyOverrides = {}) =>
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
    /** A new token of the space's feed; the one before is rejected. */
    newFeedToken: (spaceId: string): Promise<string> =>
      db.transaction(async (tx) => {
        const caller = { ...(await spaces.ownerOf(tx, spaceId)), actor: operator };
        return spaces.renewFeed(tx, clock.now(), caller, spaceId);
      }),
    rows,
    /** The one row that this finds. */
    row: async <Row>(text: string, values: SqlValue[] = []): Promise<Row> => {
      const [row, ...others] = await rows<Row>(text, values);
      if (row === undefined || others.length > 0) throw new Error(`not one row: ${text}`);
      return row;
    },
    write,
    /** Subscribes a host to everything, where nobody listens: events that nobody wants are not written. */
    wantEvents: async (hostId: string, environment: Environment = 'production'): Promise<void> => {
      const id = newId();
      const values = [hostId, id, environment, NOBODY, EVENT_TYPES.join(' '), secrets.seal(id, 'whsec_AAAA')];
      await write(
        `insert into webhooks (host_id, id, environment, url, events, is_active, secret, old_secrets, created_at, updated_at)
        values ($1, $2, $3, $4, $5, 1, $6, '[]', 0, 0)`,
        values,
      );
    },
    /** What its subscriptions were to be told, oldest first. */
    events: async (hostId: string): Promise<Pick<Delivered, 'type' | 'data'>[]> => {
      const found = await rows<{ type: Delivered['type']; data: string }>(
        'select type, data from events where host_id = $1 order by id',
        [hostId],
      );
      return found.map(({ type, data }) => ({ type, data: JSON.parse(data) }));
    },
    close: async () => {
      await app.close();
      await db.close();
      await database.drop();
      assertErrorsHaveOneShape(logged.join(''));
    },
  };
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
