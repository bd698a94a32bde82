// One request: route, key, limit, scope, input, existence, rules, in this order (contract §1 to §3).
import { createBlocks, deleteBlocks } from './blocks.ts';
import { cancelBooking, createBooking, getBooking, listBookings } from './bookings.ts';
import { feed } from './feed.ts';
import { availability } from './hours.ts';
import { checkQuery, invalid, isObject, notFound, Rejection, rejected } from './input.ts';
import type { Body, ExpectedResponse } from './input.ts';
import type { Request } from './operation.ts';
import { earnings } from './earnings.ts';
import { reportOf } from './settlement.ts';
import { getSpace, listSpaces, updateListing } from './spaces.ts';
import { createWebhook, deleteWebhook, listWebhooks, updateWebhook } from './webhooks.ts';
import { nameOf, type Account, type Key, type World } from './world.ts';

export interface Call {
  world: World;
  now: number;
  account: Account;
  /** As the model calls it. */
  id: string;
  /** As it was sent. */
  rawId: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  /** A missing one counts as {}. */
  body: unknown;
}

/** `data` of the response; `headers` beside those that every response has. */
export interface Answer {
  status?: number;
  data: Body;
  headers?: Record<string, string>;
}

interface Route {
  method: string;
  path: RegExp;
  scope: string;
  hasBody?: true;
  /** Endpoints without a query of their own know no parameter. */
  hasQuery?: true;
  answer: (call: Call) => Answer;
}

const ROUTES: Route[] = [
  route('GET', '/api-listings/api/v1/spaces', 'spaces:read', listSpaces),
  route('GET', '/api-listings/api/v1/spaces/:id', 'spaces:read', getSpace),
  {
    ...route('GET', '/api-availability/api/v1/spaces/:id/availability', 'availability:read', availability),
    hasQuery: true,
  },
  { ...route('GET', '/api-bookings/api/v1/bookings', 'bookings:read', listBookings), hasQuery: true },
  withBody('POST', '/api-create-booking/api/v1/bookings', 'bookings:write', createBooking),
  route('GET', '/api-booking-detail/api/v1/bookings/:id', 'bookings:read', getBooking),
  withBody('POST', '/api-cancel-booking/api/v1/bookings/:id/cancel', 'bookings:write', cancelBooking),
  {
    ...route('GET', '/api-settlement-report/api/v1/settlement/report', 'settlement:read', reportOf),
    hasQuery: true,
  },
  route('GET', '/api-earnings/api/v1/earnings', 'earnings:read', earnings),
  withBody('POST', '/api-blocks/api/v1/spaces/:id/blocks', 'blocks:write', createBlocks),
  withBody('DELETE', '/api-blocks/api/v1/spaces/:id/blocks', 'blocks:write', deleteBlocks),
  withBody('PATCH', '/api-listing-update/api/v1/spaces/:id', 'spaces:write', updateListing),
  route('GET', '/api-webhooks/api/v1/webhooks', 'webhooks:read', listWebhooks),
  withBody('POST', '/api-webhooks/api/v1/webhooks', 'webhooks:write', createWebhook),
  withBody('PATCH', '/api-webhooks/api/v1/webhooks/:id', 'webhooks:write', updateWebhook),
  route('DELETE', '/api-webhooks/api/v1/webhooks/:id', 'webhooks:write', deleteWebhook),
];

/** Need no key. */
const PUBLIC = /^\/api-(ical-feed|openapi)\/?$/;

function route(method: string, path: string, scope: string, answer: Route['answer']): Route {
  // With a slash at the end it is the same route.
  return { method, path: new RegExp(`^${path.replace(':id', '([^/]+)')}/?$`), scope, answer };
}

function withBody(...parts: Parameters<typeof route>): Route {
  return { ...route(...parts), hasBody: true };
}

export function respond(world: World, request: Request): ExpectedResponse {
  const { now } = world;
  const [path, search = ''] = request.path.split(/\?(.*)/s) as [string, string?];
  const query = new URLSearchParams(search);
  const requestId = request.headers['x-request-id'] ?? '';
  const isPublic = PUBLIC.test(path);
  if (isPublic && ['GET', 'HEAD'].includes(request.method))
    return path.startsWith('/api-ical-feed')
      ? feed(world, query, request.headers, request.method === 'HEAD')
      : { status: 200, headers: { 'x-request-id': requestId }, body: undefined };
  const headers: Record<string, string> = {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
  try {
    const routes = ROUTES.filter((one) => one.path.test(path));
    if (isPublic) throw new Rejection(405, 'METHOD_NOT_ALLOWED', undefined, { allow: 'GET, HEAD' });
    if (routes.length === 0) throw notFound();
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const found = routes.find((one) => one.method === method);
    if (found === undefined)
      throw new Rejection(405, 'METHOD_NOT_ALLOWED', undefined, { allow: allow(routes) });
    const key = authenticate(world, request.headers['authorization'], now);
    Object.assign(headers, admit(world, key, now));
    if (!key.scopes.includes(found.scope)) throw new Rejection(403, 'INSUFFICIENT_SCOPE');
    const body = bodyOf(request, found);
    const rawId = found.path.exec(path)![1] ?? '';
    if (found.hasQuery !== true) checkQuery(query, {});
    const id = nameOf(world, rawId);
    const call = { world, now, account: key.account, id, rawId, query, headers: request.headers, body };
    const answer = found.answer(call);
    return {
      status: answer.status ?? 200,
      headers: { ...headers, 'content-type': 'application/json; charset=utf-8', ...answer.headers },
      body: request.method === 'HEAD' ? undefined : { success: true, data: answer.data },
    };
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return rejected(error, headers, requestId, request.method === 'HEAD');
  }
}

const allow = (routes: Route[]): string =>
  routes.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');

function authenticate(world: World, authorization: string | undefined, now: number): Key {
  const given = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1];
  const key = given === undefined ? undefined : world.keys.get(nameOf(world, given));
  if (key === undefined)
    throw new Rejection(401, 'INVALID_API_KEY', undefined, { 'www-authenticate': 'Bearer' });
  const hasExpired = key.expiresAt !== null && key.expiresAt <= now;
  if (key.isRevoked || hasExpired || !key.account.host.isActive) throw new Rejection(401, 'API_KEY_REVOKED');
  return key;
}

const WINDOW = 60_000;

/** Counts the request, and says what is left. */
function admit(world: World, key: Key, now: number): Record<string, string> {
  const limit = world.settings.rateLimit[key.account.environment];
  if (limit === 0) return {};
  const admitted = key.admitted.filter((at) => at > now - WINDOW);
  const isAdmitted = admitted.length < limit;
  if (isAdmitted) admitted.push(now);
  key.admitted = admitted;
  const left = limit - admitted.length;
  const until = admitted[0]! + WINDOW;
  const seconds = Math.ceil((until - now) / 1000);
  const headers = {
    'ratelimit-policy': `"default";q=${limit};w=60`,
    ratelimit: `"default";r=${left};t=${seconds}`,
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(left),
    'x-ratelimit-reset': String(Math.ceil(until / 1000)),
  };
  if (isAdmitted) return headers;
  throw new Rejection(429, 'RATE_LIMIT_EXCEEDED', undefined, { ...headers, 'retry-after': String(seconds) });
}

/** An empty body equals none, and a missing one counts as {}. */
function bodyOf({ body, headers }: Request, { hasBody }: Route): unknown {
  if (body === null || body === '') return {};
  const [type, ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = /charset="?([^"]*)"?/.exec(parameters.join(';'))?.[1] ?? 'utf-8';
  const encoding = headers['content-encoding'] ?? 'identity';
  if (type!.trim() !== 'application/json' || !/^utf-?8$/.test(charset) || encoding !== 'identity')
    throw new Rejection(415, 'UNSUPPORTED_MEDIA_TYPE');
  if (Buffer.byteLength(body) > 256 * 1024) throw new Rejection(413, 'PAYLOAD_TOO_LARGE');
  try {
    const parsed: unknown = JSON.parse(body);
    if (hasBody && !isObject(parsed)) throw invalid();
    return parsed;
  } catch {
    throw invalid();
  }
}
