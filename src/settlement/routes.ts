import type { Context } from '../context.ts';
import { sendLong } from '../http/long-answer.ts';
import { success } from '../http/input/schemas.ts';
import type { App } from '../http/server.ts';
import { exampleReport, ReportQuery, SettlementReport } from './schemas.ts';
import * as settlement from './settlement.ts';

export function settlementRoutes(app: App, ctx: Context): void {
  app.route({
    method: 'GET',
    url: '/api-settlement-report/api/v1/settlement/report',
    schema: { querystring: ReportQuery, response: { 200: success(SettlementReport) } },
    config: {
      operation: {
        id: 'getSettlementReport',
        tag: 'Money',
        summary: 'Settlement report for API bookings',
        description:
          'The bookings made through this API whose local date lies in the month, and what host and platform owe each other for them. Cancelled bookings are only counted, unless the guest has paid the platform: then the booking stays as a line worth nothing, and the money is in `refunds_pending`. The lines add up to the totals exactly.',
        scope: 'settlement:read',
        example: { query: { month: exampleReport.month }, data: exampleReport },
      },
    },
    handler: async (request, reply) => {
      const { head, pages, totals } = await settlement.report(ctx, request.caller, request.query.month);
      return sendLong(ctx, request, reply, { head, name: 'lines', pages, tail: totals });
    },
  });
}
