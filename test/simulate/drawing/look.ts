import { command, iso, request, shift, type Drawing } from './drawing.ts';

/** Every list, report, feed and export of everybody. */
export function lookAtAll(g: Drawing): undefined {
  const today = iso(g.now).slice(0, 10);
  const months = [-40, 0, 31].map((days) => shift(today, days).slice(0, 7));
  for (const account of g.accounts) {
    const paths = [
      '/api-listings/api/v1/spaces',
      '/api-webhooks/api/v1/webhooks',
      '/api-earnings/api/v1/earnings',
      '/api-bookings/api/v1/bookings?limit=200',
      '/api-bookings/api/v1/bookings?updated_since=1970-01-01T00:00:00Z&limit=200',
      ...months.map((month) => `/api-settlement-report/api/v1/settlement/report?month=${month}`),
      ...account.spaces.map(
        (space) => `/api-availability/api/v1/spaces/${space}/availability?date=${today}&days=31`,
      ),
    ];
    g.queue.push(...paths.map((path) => () => g.call(account, 'GET', path)));
  }
  g.queue.push(
    ...g.feeds.map(
      ({ space, token }) =>
        () =>
          request('GET', `/api-ical-feed?space_id=${space}&token=${token}`, g.requestId()),
    ),
  );
  g.queue.push(
    () => command('export'),
    () => command('payout list'),
    ...months.map((month) => () => command(`settlement --month ${month}`)),
  );
}
