import * as blocks from '../blocks/blocks.ts';
import { BlockReason } from '../blocks/schemas.ts';
import type { Context } from '../context.ts';
import * as hours from '../hours/hours.ts';
import { ok } from '../http/envelope.ts';
import {
  CalendarDate,
  component,
  EndHour,
  Id,
  idParam,
  nullable,
  PathId,
  StartHour,
  success,
  Timezone,
} from '../http/input/schemas.ts';
import type { App } from '../http/server.ts';
import { Type } from '../http/input/type.ts';
import { noSuchSpace } from '../spaces/spaces.ts';

const AvailabilitySlot = component(
  'AvailabilitySlot',
  Type.Object(
    {
      hour: Type.Integer({ minimum: 0, maximum: 23 }),
      available: Type.Boolean({ description: 'Whether this hour can be booked now' }),
      block_reason: Type.Unsafe<hours.BlockReason | null>({
        type: ['string', 'null'],
        enum: ['booked', 'external_block', 'host_block', null],
        description:
          'Who holds the hour. Null on an hour that is free, and on one that nobody holds but that cannot be booked: outside operating hours, already begun, skipped by daylight saving, or of an inactive space.',
      }),
    },
    { description: 'One hour of the day on the space’s wall clock' },
  ),
);

const Availability = Type.Object({
  space_id: Id,
  date: CalendarDate,
  timezone: { ...Timezone, description: 'The wall clock of the hours' },
  slots: Type.Array(AvailabilitySlot, { minItems: 24, maxItems: 24 }),
  blocks: Type.Array(
    Type.Object({ start_hour: StartHour, end_hour: EndHour, reason: nullable(BlockReason) }),
    {
      maxItems: 24,
      description: 'The host blocks of the day, as runs of hours with one reason',
    },
  ),
});

const example = {
  space_id: '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01',
  date: '2027-03-18',
  timezone: 'America/New_York',
  slots: Array.from({ length: 24 }, (_, hour): hours.Slot => {
    if (hour === 10 || hour === 11) return { hour, available: false, block_reason: 'booked' };
    if (hour === 18) return { hour, available: false, block_reason: 'host_block' };
    return { hour, available: hour >= 9 && hour < 22, block_reason: null };
  }),
  blocks: [{ start_hour: 18, end_hour: 19, reason: 'Cleaning' }],
};

export function availabilityRoutes(app: App, ctx: Context): void {
  app.route({
    method: 'GET',
    url: '/api-availability/api/v1/spaces/:space_id/availability',
    schema: {
      params: Type.Object({ space_id: PathId }),
      querystring: Type.Object({ date: CalendarDate }),
      response: { 200: success(Availability) },
    },
    config: {
      operation: {
        id: 'getAvailability',
        tag: 'Availability',
        summary: 'Get 24-hour availability',
        description:
          'The 24 hours of one date on the space’s wall clock, always all of them, hour 0 to 23 in order. What is available here can be booked, and the other way round. The repeated hour of a daylight-saving day is one slot.',
        scope: 'availability:read',
        errors: ['NOT_FOUND'],
        example: { params: { space_id: example.space_id }, query: { date: example.date }, data: example },
      },
    },
    handler: async (request) => {
      const id = idParam(request.params.space_id, noSuchSpace);
      const { date } = request.query;
      const day = await hours.readDay(ctx.db, { id, ...request.caller }, date, ctx.clock.now());
      if (day === undefined) throw noSuchSpace();
      const { schedule, slots, hasBlocks } = day;
      const space = { hostId: request.caller.hostId, id };
      return ok({
        space_id: id,
        date,
        timezone: schedule.timezone,
        slots,
        blocks: hasBlocks ? await blocks.onDate(ctx.db, space, date) : [],
      });
    },
  });
}
