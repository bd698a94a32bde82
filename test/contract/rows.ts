import assert from 'node:assert/strict';
import { SCOPES, type Scope } from '../../src/ids/scopes.ts';
import type { Environment } from '../../src/ids/api-key.ts';
import { CREATE } from '../support/booking.ts';
import type { Answer, World } from '../support/world.ts';
import type { Endpoint } from './document.ts';

/** What fills in an operation's parameters and body. */
export interface Input {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
}

interface Row {
  /** The scope that a key needs; null where no key is needed. */
  scope: Scope | null;
  /** The status for a key of another host, or of the other environment, with the same request. */
  stranger: 200 | 201 | 404;
  /** Makes whatever must exist, and returns a request that succeeds. */
  input(stage: Stage): Input | Promise<Input>;
}

/**
 * One row for every operation of the API. This is the table that the generated tests of contract and
 * authorisation go by; an operation without a row fails them. It is written by hand on purpose: what the
 * document says about scopes is compared with it.
 */
const ROWS: Record<string, Row> = {
  listSpaces: { scope: 'spaces:read', stranger: 200, input: () => ({}) },
  getSpace: { scope: 'spaces:read', stranger: 404, input: ofSpace },
  getAvailability: {
    scope: 'availability:read',
    stranger: 404,
    input: (stage) => ({ ...ofSpace(stage), query: { date: '2027-06-01' } }),
  },
  listBookings: {
    scope: 'bookings:read',
    stranger: 200,
    input: withBooking({ query: { status: 'confirmed', limit: '10' } }),
  },
  createBooking: {
    scope: 'bookings:write',
    stranger: 404,
    input: (stage) => ({ body: stage.bookingBody() }),
  },
  getBooking: { scope: 'bookings:read', stranger: 404, input: ofBooking },
  cancelBooking: {
    scope: 'bookings:write',
    stranger: 404,
    input: async (stage) => ({ ...(await ofBooking(stage)), body: { reason: 'changed plans' } }),
  },
  getSettlementReport: {
    scope: 'settlement:read',
    stranger: 200,
    input: withBooking({ query: { month: '2027-06' } }),
  },
  getEarnings: { scope: 'earnings:read', stranger: 200, input: withBooking({}) },
  createBlocks: { scope: 'blocks:write', stranger: 404, input: freeHour },
  deleteBlocks: { scope: 'blocks:write', stranger: 404, input: freeHour },
  updateListing: {
    scope: 'spaces:write',
    stranger: 404,
    input: (stage) => ({ ...ofSpace(stage), body: { title: `Studio ${stage.freeHour().date}` } }),
  },
  listWebhooks: {
    scope: 'webhooks:read',
    stranger: 200,
    input: async (stage) => {
      await stage.subscribe();
      return {};
    },
  },
  createWebhook: {
    scope: 'webhooks:write',
    stranger: 201,
    input: async (stage) => {
      await stage.unsubscribeOldest();
      return { body: A_WEBHOOK };
    },
  },
  updateWebhook: {
    scope: 'webhooks:write',
    stranger: 404,
    input: async (stage) => ({ params: { id: await stage.subscribe() }, body: { rotate_secret: true } }),
  },
  deleteWebhook: {
    scope: 'webhooks:write',
    stranger: 404,
    input: async (stage) => ({ params: { id: await stage.subscribe() } }),
  },
  getIcalFeed: {
    scope: null,
    stranger: 200,
    input: (stage) => ({ query: { space_id: stage.spaceId, token: stage.icalToken } }),
  },
  getOpenApi: { scope: null, stranger: 200, input: () => ({}) },
};

export function rowOf({ operation }: Endpoint): Row {
  const row = ROWS[operation.operationId];
  assert.ok(
    row,
    `${operation.operationId} has no row in test/contract/rows.ts: who may call it, and with what?`,
  );
  return row;
}

/** Rows that no operation has any more. */
export function orphanRows(endpoints: readonly Endpoint[]): string[] {
  const served = new Set(endpoints.map(({ operation }) => operation.operationId));
  return Object.keys(ROWS).filter((id) => !served.has(id));
}

/** A host in one environment, with what its operations need. */
export interface Stage {
  hostId: string;
  environment: Environment;
  spaceId: string;
  icalToken: string;
  newKey(scopes?: readonly Scope[], expiresAt?: number): Promise<{ id: string; key: string }>;
  /** The ids of everything that was made here. */
  ids: Set<string>;
  /** Hours that nobody has asked for yet. */
  freeHour(): { date: string; start_hour: number; end_hour: number };
  bookingBody(): Record<string, unknown>;
  book(): Promise<string>;
  subscribe(): Promise<string>;
  /** Keeps the number of subscriptions below the limit of a host. */
  unsubscribeOldest(): Promise<void>;
}

const WEBHOOKS = '/api-webhooks/api/v1/webhooks';
const A_WEBHOOK = { url: 'http://127.0.0.1:9/owned', events: ['booking.created'], description: 'Owned' };
const ROOM = 15;

export async function openStage(
  world: World,
  hostId: string,
  environment: Environment = 'production',
): Promise<Stage> {
  const spaceId = await world.addSpace(hostId, { environment });
  const icalToken = await world.newFeedToken(spaceId);
  let used = 0;
  // A new key each time, so that the rate limit is never reached.
  const call = async (method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await world.call(method, path, { key: (await stage.newKey()).key, body });
    assert.ok(answer.status < 300, `${method} ${path}: ${String(answer.bytes)}`);
    return answer;
  };
  const keep = (id: string): string => {
    stage.ids.add(id);
    return id;
  };
  const stage: Stage = {
    hostId,
    environment,
    spaceId,
    icalToken,
    ids: new Set([hostId, spaceId, icalToken]),
    newKey: (scopes = SCOPES, expiresAt) =>
      world.addKey(hostId, { environment, scopes, ...(expiresAt !== undefined && { expiresAt }) }),
    freeHour: () => {
      const day = new Date(Date.UTC(2027, 5, 1 + Math.floor(used / 24)));
      const start_hour = used++ % 24;
      return { date: day.toISOString().slice(0, 10), start_hour, end_hour: start_hour + 1 };
    },
    bookingBody: () => ({
      ...stage.freeHour(),
      space_id: spaceId,
      guest_name: 'Ada Miller',
      guest_email: `guest-${used}@example.com`,
    }),
    book: async () => keep((await call('POST', CREATE, stage.bookingBody())).body.data.booking.id),
    subscribe: async () => {
      await stage.unsubscribeOldest();
      return keep((await call('POST', WEBHOOKS, A_WEBHOOK)).body.data.webhook.id);
    },
    unsubscribeOldest: async () => {
      const [oldest, ...others] = (await call('GET', WEBHOOKS)).body.data.webhooks;
      if (others.length >= ROOM) await call('DELETE', `${WEBHOOKS}/${oldest!.id}`);
    },
  };
  return stage;
}

function ofSpace(stage: Stage): Input {
  return { params: { space_id: stage.spaceId } };
}

function freeHour(stage: Stage): Input {
  return { ...ofSpace(stage), body: stage.freeHour() };
}

function withBooking(input: Input) {
  return async (stage: Stage): Promise<Input> => {
    await stage.book();
    return input;
  };
}

async function ofBooking(stage: Stage): Promise<Input> {
  return { params: { booking_id: await stage.book() } };
}

/** The address of an endpoint with its parameters filled in. */
export function pathOf({ template }: Endpoint, { params = {}, query = {} }: Input): string {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? name),
  );
  const search = String(new URLSearchParams(query));
  return search === '' ? path : `${path}?${search}`;
}

export function ask(
  world: World,
  endpoint: Endpoint,
  input: Input,
  call: { key?: string | undefined; headers?: Record<string, string>; body?: unknown } = {},
): Promise<Answer> {
  return world.call(endpoint.method, pathOf(endpoint, input), {
    ...(input.body === undefined ? {} : { body: input.body }),
    ...call,
  });
}
