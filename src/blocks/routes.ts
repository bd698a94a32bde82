import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../caller.ts';
import type { Context } from '../context.ts';
import { longWrites } from '../db/long-reads.ts';
import { invalid, validationError } from '../errors.ts';
import { awaited } from '../http/awaited.ts';
import { ok } from '../http/envelope.ts';
import { hourRange, pathId, success } from '../http/input/schemas.ts';
import { Type, type Static } from '../http/input/type.ts';
import type { App } from '../http/server.ts';
import { spaceParam } from '../spaces/spaces.ts';
import { datesFrom, daysBetween } from '../time/dates.ts';
import { weekdayOf } from '../time/weekdays.ts';
import * as blocks from './blocks.ts';
import { createBlocks, deleteBlocks } from './operations.ts';
import {
  BlockedDays,
  BlockedHours,
  CreateBlocks,
  DeleteBlocks,
  MAX_DAYS_AFTER,
  UnblockedDays,
  UnblockedHours,
} from './schemas.ts';

const URL = '/api-blocks/api/v1/spaces/:space_id/blocks';
const SpacePath = Type.Object({ space_id: pathId('the space') });

export function blocksRoutes(app: App, ctx: Context): void {
  app.route({
    method: 'POST',
    url: URL,
    schema: {
      params: SpacePath,
      body: CreateBlocks,
      response: { 200: success(Type.Either(BlockedHours, BlockedDays)) },
    },
    config: { operation: createBlocks },
    handler: async (request, reply) => {
      const { date, start_hour, end_hour, reason = null, skip_occupied: skipOccupied } = request.body;
      const range = toRange(request.caller, request.params.space_id, request.body);
      const days = await inTurn(request, reply, range, () =>
        blocks.create(ctx, request.caller, range, { reason, skipOccupied: skipOccupied === true }),
      );
      const { spaceId: space_id, byDay } = range;
      if (byDay) return ok({ space_id, start_hour, end_hour, reason, days });
      const { blocked_hours } = days[0]!;
      return ok({ space_id, date, start_hour, end_hour, reason, blocked_hours });
    },
  });

  app.route({
    method: 'DELETE',
    url: URL,
    schema: {
      params: SpacePath,
      body: DeleteBlocks,
      response: { 200: success(Type.Either(UnblockedHours, UnblockedDays)) },
    },
    config: { operation: deleteBlocks },
    handler: async (request, reply) => {
      const range = toRange(request.caller, request.params.space_id, request.body);
      const days = await inTurn(request, reply, range, () => blocks.remove(ctx, request.caller, range));
      const { spaceId: space_id, byDay } = range;
      return ok(byDay ? { space_id, days } : { space_id, ...days[0]! });
    },
  });
}

/** Many days at once wait for each other here, and not in the database, where others would wait with them. */
function inTurn<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  { hostId, dates }: blocks.BlockRange,
  write: () => Promise<T>,
): Promise<T> {
  return dates.length === 1 ? write() : longWrites.begin(hostId, awaited(request, reply)).part(write);
}

function toRange({ hostId }: Caller, inPath: string, body: Static<typeof CreateBlocks>): blocks.BlockRange {
  const { date, startHour, endHour } = hourRange(body);
  const { end_date, weekdays, skip_occupied } = body;
  const place = { hostId, spaceId: spaceParam(inPath, body.space_id), startHour, endHour };
  if (end_date === undefined) {
    const given = Object.entries({ weekdays, skip_occupied }).filter(([, value]) => value !== undefined);
    const message = 'must be given together with end_date';
    if (given.length > 0) throw validationError(given.map(([field]) => ({ field, message })));
    return { ...place, dates: [date], byDay: false };
  }
  const after = daysBetween(date, end_date);
  if (after < 0) throw invalid('end_date', 'must not be before date');
  if (after > MAX_DAYS_AFTER) throw invalid('end_date', `must be at most ${MAX_DAYS_AFTER} days after date`);
  const dates = datesFrom(date, after + 1)!.filter((day) => weekdays?.includes(weekdayOf(day)) !== false);
  if (dates.length === 0) throw invalid('weekdays', 'must name a day between date and end_date');
  return { ...place, dates, byDay: true };
}
