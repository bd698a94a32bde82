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
      const { schedule, slots, blocked } = day;
      return ok({ space_id: id, date, timezone: schedule.timezone, slots, blocks: toRuns(blocked) });
    },
  });
}

/** Adjacent hours with one reason are one entry. */
function toRuns(blocked: hours.Day['blocked']): Availability['blocks'] {
  const runs: Availability['blocks'] = [];
  // In ascending order: JavaScript keeps names that are numbers in their order.
  for (const [name, reason] of Object.entries(blocked)) {
    const hour = Number(name);
    const last = runs.at(-1);
    if (last?.end_hour === hour && last.reason === reason) last.end_hour++;
    else runs.push({ start_hour: hour, end_hour: hour + 1, reason });
  }
  return runs;
}
