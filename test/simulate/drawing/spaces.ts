import type { Operation, Request } from '../operation.ts';
import { request, shift, WEEKDAYS, type Account, type Drawing } from './drawing.ts';

export function block(g: Drawing, account: Account): Request {
  const random = g.random;
  const body: Record<string, unknown> = g.range();
  if (random.chance(0.5)) body['reason'] = random.one(['cleaning', 'repairs', null, '']);
  if (random.chance(0.3)) manyDays(g, body);
  if (random.chance(0.15)) body['skip_occupied'] = random.chance(0.8);
  const space = g.space(account);
  if (random.chance(0.1)) body['space_id'] = random.chance(0.8) ? space : g.space(account);
  return g.call(account, 'POST', `/api-blocks/api/v1/spaces/${space}/blocks`, body);
}

export function unblock(g: Drawing, account: Account): Request {
  const body = g.range();
  if (g.random.chance(0.3)) manyDays(g, body);
  return g.call(account, 'DELETE', `/api-blocks/api/v1/spaces/${g.space(account)}/blocks`, body);
}

function manyDays(g: Drawing, body: Record<string, unknown>): void {
  const random = g.random;
  body['end_date'] = random.chance(0.95)
    ? shift(String(body['date']), random.one([0, 1, 3, 10, 30, -1, 367]))
    : null;
  if (random.chance(0.5)) body['weekdays'] = WEEKDAYS.filter(() => random.chance(0.4));
}

export function update(g: Drawing, account: Account): Request {
  const random = g.random;
  const body: Record<string, unknown> = {};
  for (let n = random.between(1, 2); n > 0; n--)
    random.weighted<() => void>(
      [3, () => (body['title'] = random.one(['Loft', 'Atelier', 'Äther', ' ']))],
      [3, () => (body['price'] = random.one([Number(g.amount(account.host.currency, 20)), 0, 1.2345, -1]))],
      [2, () => (body['is_active'] = random.chance(0.8))],
      [1, () => (body['description'] = random.one(['Bright.', null]))],
      [
        2,
        () =>
          (body['operating_hours'] = random.one([
            { start_hour: 0, end_hour: 24 },
            { start_hour: 9, end_hour: 22 },
            { start_hour: 9, end_hour: 9 },
          ])),
      ],
      [2, () => (body['weekly_hours'] = random.chance(0.4) ? null : week(g))],
      [
        2,
        () =>
          (body['booking_rules'] = random.one([
            null,
            {},
            { min_hours: 2 },
            { max_hours: 1 },
            { min_hours: null, max_hours: 3 },
            { lead_hours: 2 },
            { horizon_days: 10 },
            { lead_hours: null, horizon_days: null },
          ])),
      ],
      [1, () => (body['capacity'] = random.one([null, 1, 4, 100]))],
      [1, () => (body['amenities'] = random.one([[], ['wifi'], ['wifi', 'parking']]))],
      [0.6, () => (body['rotate_ical_token'] = random.chance(0.9))],
      [1, () => (body['connect_calendar'] = g.calendarUrl())],
      [
        0.7,
        () =>
          (body['disconnect_calendar'] =
            account.calendars.length === 0 ? 'none' : random.one(account.calendars)),
      ],
    )();
  return g.call(account, 'PATCH', `/api-listing-update/api/v1/spaces/${g.space(account)}`, body);
}

function week(g: Drawing): Record<string, unknown> {
  const random = g.random;
  const isClosed = random.chance(0.05);
  const day = (): unknown =>
    isClosed || random.chance(0.2)
      ? null
      : random.one([
          { start_hour: 8, end_hour: 20 },
          { start_hour: 0, end_hour: 24 },
          { start_hour: 12, end_hour: 23 },
        ]);
  return Object.fromEntries(WEEKDAYS.map((name) => [name, day()]));
}

export function feed(g: Drawing): Operation {
  const random = g.random;
  const { space, token } = random.one(g.feeds);
  const query = random.chance(0.9)
    ? `space_id=${space}&token=${token}`
    : random.one([`space_id=${space}`, `space_id=${space}&token=x`, `token=${token}`]);
  return request('GET', `/api-ical-feed?${query}`, g.requestId());
}
