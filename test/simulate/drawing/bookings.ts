import type { Operation, Request } from '../operation.ts';
import { DAY, iso, remember, request, type Account, type Drawing } from './drawing.ts';

const CREATE = '/api-create-booking/api/v1/bookings';

export function book(g: Drawing, account: Account): Request {
  const body: Record<string, unknown> = {
    space_id: g.space(account),
    ...g.range(),
    ...g.guest(account),
  };
  const random = g.random;
  if (random.chance(0.5))
    body['settlement_mode'] = random.weighted([4, 'platform_settled'], [2, 'host_settled'], [0.2, 'barter']);
  if (random.chance(0.15))
    body['reference'] = random.weighted([9, 'PMS-1'], [9, 'PMS-2'], [1, 'bad\u0007'], [1, '']);
  if (random.chance(0.1))
    body['notes'] = random.weighted([9, 'late\narrival'], [9, 'tab\there'], [1, 'bad\u0000']);
  if (random.chance(0.15)) body['guest_count'] = random.weighted([5, 1], [5, 4], [1, 5], [1, 10_000], [1, 0]);
  if (random.chance(0.1)) body['guest_phone'] = random.weighted([9, '+43 1 234'], [1, null]);
  if (random.chance(0.06)) {
    body['walk_in'] = random.chance(0.9);
    if (random.chance(0.7)) body['date'] = iso(g.now).slice(0, 10);
    if (random.chance(0.5)) delete body['guest_email'];
  }
  if (!random.chance(0.35)) return g.call(account, 'POST', CREATE, body);
  const key = `k${random.below(1000)}`;
  if (random.chance(0.7)) body['idempotency_key'] = key;
  const call = g.call(account, 'POST', CREATE, body);
  if (body['idempotency_key'] === undefined || random.chance(0.05))
    call.headers['idempotency-key'] = random.chance(0.9) ? key : 'other';
  remember(account.keyed, call);
  return call;
}

/** The same request, or another with the same key. */
export function replay(g: Drawing, account: Account): Operation | undefined {
  const random = g.random;
  if (account.keyed.length === 0) return undefined;
  const earlier = random.one(account.keyed);
  const headers = {
    ...earlier.headers,
    'x-request-id': g.requestId(),
    authorization: `Bearer ${random.one(account.keys)}`,
  };
  if (random.chance(0.7)) return { ...earlier, headers };
  const body = { ...(JSON.parse(earlier.body!) as Record<string, unknown>) };
  Object.assign(
    body,
    random.one([
      { guest_name: 'Somebody Else' },
      { guest_email: 'eve@example.com' },
      { reference: 'PMS-9' },
      { notes: null },
      { walk_in: false },
      { guest_count: 2 },
    ]),
  );
  return { ...earlier, headers, body: JSON.stringify(body) };
}

export function move(g: Drawing, account: Account): Request {
  const random = g.random;
  const replaces = g.booking(account);
  const itsOwn = (field: string): string => replaces.replace(/id}}$/, `${field}}}`);
  const start_hour = random.between(8, 14);
  const longer = { start_hour, end_hour: start_hour + random.between(2, 5) };
  // Many keep some of their hours.
  const sameDay = { space_id: itsOwn('space_id'), date: itsOwn('date'), ...longer };
  const body: Record<string, unknown> = {
    space_id: g.space(account),
    ...g.range(),
    ...g.guest(account),
    ...(random.chance(0.5) && sameDay),
    replaces,
  };
  if (random.chance(0.3)) body['settlement_mode'] = 'platform_settled';
  if (random.chance(0.15)) body['notes'] = random.one([null, 'moved']);
  if (random.chance(0.1)) body['reference'] = random.one([null, 'PMS-3']);
  if (random.chance(0.1)) body['guest_count'] = random.one([null, 3, 9]);
  const call = g.call(account, 'POST', CREATE, body);
  if (!random.chance(0.3)) return call;
  call.headers['idempotency-key'] = `k${random.below(1000)}`;
  remember(account.keyed, call);
  return call;
}

/** With these fields in its body. */
export function withFields(request: Request, fields: object): Request {
  return { ...request, body: JSON.stringify({ ...(JSON.parse(request.body!) as object), ...fields }) };
}

export function cancel(g: Drawing, account: Account): Request {
  const reason = g.random.weighted([9, 'changed plans'], [0.3, ' '], [0.3, 'x'.repeat(501)]);
  return g.call(account, 'POST', `/api-cancel-booking/api/v1/bookings/${g.booking(account)}/cancel`, {
    reason,
  });
}

const STATUSES = [
  'confirmed',
  'cancelled',
  'completed',
  'confirmed,completed',
  'completed,cancelled',
  'confirmed,cancelled',
  'cancelled,confirmed,completed',
  'cancelled,cancelled',
  'lost',
];

export function list(g: Drawing, account: Account): Operation {
  const random = g.random;
  const query: string[] = [];
  if (random.chance(0.3)) query.push(`space_id=${g.space(account)}`);
  if (random.chance(0.4)) query.push(`status=${random.one(STATUSES)}`);
  if (random.chance(0.6)) query.push(`limit=${random.one([1, 2, 3, 10, 200, 0, 201])}`);
  random.weighted<() => void>(
    [3, () => undefined],
    [2, () => query.push(`from=${g.date()}`)],
    [2, () => query.push(`from=${g.date()}`, `to=${g.date()}`)],
    [2, () => query.push(`updated_since=${random.one(g.synced)}`)],
    [1, () => query.push(`updated_since=${iso(g.now - random.below(5 * DAY))}`)],
    [1.5, () => query.push(`reference=${random.one(['PMS-1', 'PMS-2', 'PMS-3'])}`)],
    [
      1.5,
      () =>
        query.push(
          `guest=${encodeURIComponent(random.one(['ada', 'GROSSE', 'größe', '%_', 'zoe', 'example', 'a', '李小']))}`,
        ),
    ],
    [1, () => query.push(`offset=${random.one([0, 1, 5, 1000])}`)],
  )();
  return g.call(
    account,
    'GET',
    `/api-bookings/api/v1/bookings${query.length === 0 ? '' : `?${query.join('&')}`}`,
  );
}

/** Of a list that was begun some time ago. */
export function nextPage(g: Drawing): Operation | undefined {
  if (g.cursors.length === 0) return undefined;
  const { key, query, cursor } = g.random.one(g.cursors);
  const filters = g.random.chance(0.9) ? query : 'status=confirmed';
  return request(
    'GET',
    `/api-bookings/api/v1/bookings?${filters}${filters === '' ? '' : '&'}cursor=${cursor}`,
    g.requestId(),
    key,
  );
}

export function availability(g: Drawing, account: Account): Operation {
  const days = g.random.chance(0.3) ? `&days=${g.random.one([1, 2, 7, 31, 0, 32])}` : '';
  const date = g.random.chance(0.97) ? g.date() : '9999-12-31';
  return g.call(
    account,
    'GET',
    `/api-availability/api/v1/spaces/${g.space(account)}/availability?date=${date}${days}`,
  );
}
