import type { Context } from '../context.ts';
import { ok } from '../http/envelope.ts';
import { success } from '../http/input/schemas.ts';
import type { App } from '../http/server.ts';
import * as earnings from './earnings.ts';
import { Earnings, exampleEarnings } from './schemas.ts';

export function earningsRoutes(app: App, ctx: Context): void {
  app.route({
    method: 'GET',
    url: '/api-earnings/api/v1/earnings',
    schema: { response: { 200: success(Earnings) } },
    config: {
      operation: {
        id: 'getEarnings',
        tag: 'Money',
        summary: 'Earnings summary',
        description:
          'What completed bookings have earned, whatever their source, and in `upcoming` what confirmed ones will. The month of a booking is that of its date at the space; this month is that of the host’s timezone.',
        scope: 'earnings:read',
        example: { data: exampleEarnings },
      },
    },
    handler: async (request) => ok(await earnings.summary(ctx, request.caller)),
  });
}
