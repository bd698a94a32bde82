import type { Context } from '../context.ts';
import { longReadFor } from '../http/awaited.ts';
import { ok } from '../http/envelope.ts';
import { success } from '../http/input/schemas.ts';
import type { App } from '../http/server.ts';
import * as earnings from './earnings.ts';
import { getEarnings } from './operations.ts';
import { Earnings } from './schemas.ts';

export function earningsRoutes(app: App, ctx: Context): void {
  app.route({
    method: 'GET',
    url: '/api-earnings/api/v1/earnings',
    schema: { response: { 200: success(Earnings) } },
    config: { operation: getEarnings },
    handler: async (request, reply) =>
      ok(await earnings.summary(ctx, request.caller, longReadFor(request, reply))),
  });
}
