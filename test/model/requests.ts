// One request: route, key, limit, scope, input, existence, rules, in this order (contract §1 to §3).
import type { ExpectedResponse, Request } from '../simulate/operation.ts';
import { createBlocks, deleteBlocks } from './blocks.ts';
import { cancelBooking, createBooking, getBooking, listBookings } from './bookings.ts';
import { feed } from './feed.ts';
import { availability } from './hours.ts';
import { checkQuery, invalid, isObject, notFound, Rejection, type Body } from './input.ts';
import { count } from './limit.ts';
import { earnings, reportOf } from './settlement.ts';
import { getSpace, listSpaces, updateListing } from './spaces.ts';
import { MINUTE } from './time.ts';
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

/** Method, path, whether it has a query of its own, the scope, and what answers. */
type Route = [method: string, path: string, scope: string, answer: (call: Call) => Answer];

const ROUTES: Route[] = [
  ['GET', '/api-listings/api/v1/spaces', 'spaces:read', listSpaces],
  ['GET', '/api-listings/api/v1/spaces/:id', 'spaces:read', getSpace],
  ['GET', '/api-availability/api/v1/spaces/:id/availability', 'availability:read', availability],
  ['GET', '/api-bookings/api/v1/bookings', 'bookings:read', listBookings],
  ['POST', '/api-create-booking/api/v1/bookings', 'bookings:write', createBooking],
  ['GET', '/api-booking-detail/api/v1/bookings/:id', 'bookings:read', getBooking],
  ['POST', '/api-cancel-booking/api/v1/bookings/:id/cancel', 'bookings:write', cancelBooking],
  ['GET', '/api-settlement-report/api/v1/settlement/report', 'settlement:read', reportOf],
  ['GET', '/api-earnings/api/v1/earnings', 'earnings:read', earnings],
  ['POST', '/api-blocks/api/v1/spaces/:id/blocks', 'blocks:write', createBlocks],
  ['DELETE', '/api-blocks/api/v1/spaces/:id/blocks', 'blocks:write', deleteBlocks],
  ['PATCH', '/api-listing-update/api/v1/spaces/:id', 'spaces:write', updateListing],
  ['GET', '/api-webhooks/api/v1/webhooks', 'webhooks:read', listWebhooks],
  ['POST', '/api-webhooks/api/v1/webhooks', 'webhooks:write', createWebhook],
  ['PATCH', '/api-webhooks/api/v1/webhooks/:id', 'webhooks:write', updateWebhook],
  ['DELETE', '/api-webhooks/api/v1/webhooks/:id', 'webhooks:write', deleteWebhook],
];
const WITH_QUERY = [availability, listBookings, reportOf];
const WITHOUT_BODY = [deleteWebhook];
export const SCOPES = [...new Set(ROUTES.map(([, , scope]) => scope))];

/** With a slash at the end it is the same route. */
const PATHS = new Map(ROUTES.map(([, path]) => [path, new RegExp(`^${path.replace(':id', '([^/]+)')}/?$`)]));
/** Need no key. */
const PUBLIC = /^\/api-(ical-feed|openapi)\/?$/;

export function respond(world: World, request: Request): ExpectedResponse {
  const [path, search = ''] = request.path.split(/\?(.*)/s) as [string, string?];
  const isHead = request.method === 'HEAD';
  const requestId = request.headers['x-request-id'] ?? '';
  const headers: Record<string, string> = {
    'x-request-id': requestId,
    'content-type': 'application/json; charset=utf-8',
  };
  const whole = (status: number, own: Record<string, string>, body: unknown): ExpectedResponse => ({
    status,
    headers: { ...headers, ...own },
    body: isHead ? undefined : body,
  });
  try {
    if (PUBLIC.test(path) && (isHead || request.method === 'GET')) {
      if (path.startsWith('/api-openapi')) return whole(200, {}, undefined);
      const { status, headers: own, body } = feed(world, new URLSearchParams(search), request.headers);
      return whole(status, own, body);
    }
    Object.assign(headers, { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    const answer = answerOf(world, request, path, new URLSearchParams(search), headers);
    return whole(answer.status ?? 200, answer.headers ?? {}, { success: true, data: answer.data });
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    const { code, status: http_status, details, headers: own } = error;
    const told = { code, http_status, request_id: requestId, ...(details === undefined ? {} : { details }) };
    return whole(http_status, own, { success: false, error: told });
  }
}

/** Headers that tell of the limit are added to those that every response has from then on. */
function answerOf(
  world: World,
  request: Request,
  path: string,
  query: URLSearchParams,
  headers: Record<string, string>,
): Answer {
  const { now } = world;
  const routes = ROUTES.filter(([, one]) => PATHS.get(one)!.test(path));
  const allowed = PUBLIC.test(path) ? ['GET'] : routes.map(([method]) => method);
  if (allowed.length === 0) throw notFound();
  const found = routes.find(([method]) => method === request.method.replace('HEAD', 'GET'));
  if (found === undefined) {
    const allow = allowed.map((method) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
    throw new Rejection('METHOD_NOT_ALLOWED', undefined, { allow });
  }
  const [method, pattern, scope, answer] = found;
  const key = authenticate(world, request.headers['authorization'], now);
  Object.assign(headers, admit(world, key));
  if (!key.scopes.includes(scope)) throw new Rejection('INSUFFICIENT_SCOPE');
  const body = bodyOf(request, method !== 'GET' && !WITHOUT_BODY.includes(answer));
  if (!WITH_QUERY.includes(answer)) checkQuery(query, {});
  const rawId = PATHS.get(pattern)!.exec(path)![1] ?? '';
  const id = nameOf(world, rawId);
  return answer({ world, now, account: key.account, id, rawId, query, headers: request.headers, body });
}

function authenticate(world: World, authorization: string | undefined, now: number): Key {
  const given = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1];
  const key = given === undefined ? undefined : world.keys.get(nameOf(world, given));
  if (key === undefined) throw new Rejection('INVALID_API_KEY', undefined, { 'www-authenticate': 'Bearer' });
  const hasExpired = key.expires_at !== null && key.expires_at <= now;
  if (key.isRevoked || hasExpired || !key.account.host.isActive) throw new Rejection('API_KEY_REVOKED');
  return key;
}

/** Counts the request, and says what is left. */
function admit(world: World, key: Key): Record<string, string> {
  const limit = world.settings.rateLimit[key.account.environment];
  if (limit === 0) return {};
  const isAdmitted = count(key.admitted, limit, world.now);
  const { times: admitted, latest: now } = key.admitted;
  const left = limit - admitted.length;
  const until = admitted[0]! + MINUTE;
  const seconds = Math.ceil((until - now) / 1000);
  const headers = {
    'ratelimit-policy': `"default";q=${limit};w=60`,
    ratelimit: `"default";r=${left};t=${seconds}`,
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(left),
    'x-ratelimit-reset': String(Math.ceil(until / 1000)),
  };
  if (isAdmitted) return headers;
  throw new Rejection('RATE_LIMIT_EXCEEDED', undefined, { ...headers, 'retry-after': String(seconds) });
}

/** An empty body equals none, and a missing one counts as {}. */
function bodyOf({ body, headers }: Request, isWanted: boolean): unknown {
  if (body === null || body === '') return {};
  const [type, ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = /charset="?([^"]*)"?/.exec(parameters.join(';'))?.[1] ?? 'utf-8';
  const encoding = headers['content-encoding'] ?? 'identity';
  if (type!.trim() !== 'application/json' || !/^utf-?8$/.test(charset) || encoding !== 'identity')
    throw new Rejection('UNSUPPORTED_MEDIA_TYPE');
  if (Buffer.byteLength(body) > 256 * 1024) throw new Rejection('PAYLOAD_TOO_LARGE');
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw invalid();
  }
  if (isWanted && !isObject(parsed)) throw invalid();
  return parsed;
}
