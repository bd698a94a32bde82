import * as blocks from '../blocks/blocks.ts';
import type { Context } from '../context.ts';
import * as hours from '../hours/hours.ts';
import { ok } from '../http/envelope.ts';
import { idParam, LocalDate, pathId, success } from '../http/input/schemas.ts';
import { Type } from '../http/input/type.ts';
import type { App } from '../http/server.ts';
import { noSuchSpace } from '../spaces/spaces.ts';
import { getAvailability } from './operations.ts';
import { Availability } from './schemas.ts';

export function availabilityRoutes(app: App, ctx: Context): void {
  app.route({
    method: 'GET',
    url: '/api-availability/api/v1/spaces/:space_id/availability',
    schema: {
      params: Type.Object({ space_id: pathId('the space') }),
      querystring: Type.Object({ date: LocalDate }),
      response: { 200: success(Availability) },
    },
    config: { operation: getAvailability },
    handler: async (request) => {
      const id = idParam(request.params.space_id, noSuchSpace);
      const { date } = request.query;
      const day = await hours.readDay(ctx.db, { id, ...request.caller }, date, ctx.clock.now());
      if (day === undefined) throw noSuchSpace();
      const { schedule, slots, hasBlocks } = day;
      const space = { hostId: request.caller.hostId, id };
      const shown = hasBlocks ? await blocks.onDate(ctx.db, space, date) : [];
      return ok({ space_id: id, date, timezone: schedule.timezone, slots, blocks: shown });
    },
  });
}
