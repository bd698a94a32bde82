import type { Context } from '../context.ts';
import { longReads } from '../db/long-reads.ts';
import { awaited } from '../http/awaited.ts';
import { success } from '../http/input/schemas.ts';
import { sendLong } from '../http/long-answer.ts';
import type { App } from '../http/server.ts';
import { getSettlementReport } from './operations.ts';
import { ReportQuery, SettlementReport } from './schemas.ts';
import * as settlement from './settlement.ts';

export function settlementRoutes(app: App, ctx: Context): void {
  app.route({
    method: 'GET',
    url: '/api-settlement-report/api/v1/settlement/report',
    schema: { querystring: ReportQuery, response: { 200: success(SettlementReport) } },
    config: { operation: getSettlementReport },
    handler: async (request, reply) => {
      const { caller, query } = request;
      const longRead = longReads.begin(caller.hostId, awaited(request, reply));
      const { head, pages, totals } = await settlement.report(ctx, caller, query.month, longRead);
      return sendLong(ctx, request, reply, { head, name: 'lines', pages, tail: totals });
    },
  });
}
