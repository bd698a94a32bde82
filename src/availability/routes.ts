import type { Context } from '../context.ts';
import { invalid } from '../errors.ts';
import * as hours from '../hours/hours.ts';
import { ok } from '../http/envelope.ts';
import { idParam, pathId, success } from '../http/input/schemas.ts';
import { Type } from '../http/input/type.ts';
import type { App } from '../http/server.ts';
import { noSuchSpace } from '../spaces/spaces.ts';
import { datesFrom } from '../time/dates.ts';
import { getAvailability } from './operations.ts';
import { Availability, AvailabilityQuery, type DayAvailability } from './schemas.ts';

export function availabilityRoutes(app: App, ctx: Context): void {
  app.route({
    method: 'GET',
    url: '/api-availability/api/v1/spaces/:space_id/availability',
    schema: {
      params: Type.Object({ space_id: pathId('the space') }),
      querystring: AvailabilityQuery,
      response: { 200: success(Availability) },
    },
    config: { operation: getAvailability },
    handler: async (request) => {
      const id = idParam(request.params.space_id);
      const { date, days: count } = request.query;
      const space = { id, ...request.caller };
      const now = ctx.clock.now();
      const dates = count === undefined ? [date] : datesFrom(date, count);
      if (dates === undefined) throw invalid('days', 'must not lead beyond the year 9999');
      const found = await (count === undefined
        ? hours.readDay(ctx.db, space, date, now)
        : hours.readDays(ctx.db, space, dates, now));
      if (found === undefined) throw noSuchSpace();
      const days = found.days.map(toAvailability);
      return ok({ space_id: id, timezone: found.timezone, ...days[0]!, ...(count && { days }) });
    },
  });
}

function toAvailability({ date, slots, blocked }: hours.Day): DayAvailability {
  return { date, slots, blocks: toRuns(blocked) };
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
