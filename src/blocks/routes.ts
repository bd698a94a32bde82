import type { Caller } from '../api-keys/caller.ts';
import type { Context } from '../context.ts';
import { validationError } from '../errors.ts';
import { hoursOf, type HourRange } from '../hours/hours.ts';
import { ok } from '../http/envelope.ts';
import { PathId, success } from '../http/input/schemas.ts';
import type { App } from '../http/server.ts';
import { Type } from '../http/input/type.ts';
import { spaceParam } from '../spaces/spaces.ts';
import * as blocks from './blocks.ts';
import { Blocked, CreateBlocks, DeleteBlocks, Unblocked } from './schemas.ts';

const URL = '/api-blocks/api/v1/spaces/:space_id/blocks';
const exampleId = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';

export function blocksRoutes(app: App, ctx: Context): void {
  app.route({
    method: 'POST',
    url: URL,
    schema: {
      params: Type.Object({ space_id: PathId }),
      body: CreateBlocks,
      response: { 200: success(Blocked) },
    },
    config: {
      operation: {
        id: 'createBlocks',
        tag: 'Blocks',
        summary: 'Create host blocks',
        description:
          'Keeps every hour from `start_hour` up to `end_hour` for yourself, or none: an hour that a booking, an external calendar or another block holds refuses them all. Any date and hour can be blocked, past and closed ones too.',
        scope: 'blocks:write',
        errors: ['NOT_FOUND', 'BLOCK_SLOT_OCCUPIED'],
        example: {
          params: { space_id: exampleId },
          body: { date: '2027-03-18', start_hour: 18, end_hour: 20, reason: 'Cleaning' },
          data: {
            space_id: exampleId,
            date: '2027-03-18',
            start_hour: 18,
            end_hour: 20,
            reason: 'Cleaning',
            blocked_hours: [18, 19],
          },
        },
      },
    },
    handler: async (request) => {
      const { date, start_hour, end_hour, reason = null } = request.body;
      const range = toRange(request.caller, request.params.space_id, request.body);
      await blocks.create(ctx, request.caller, range, reason);
      const blocked_hours = hoursOf(range);
      return ok({ space_id: range.spaceId, date, start_hour, end_hour, reason, blocked_hours });
    },
  });

  app.route({
    method: 'DELETE',
    url: URL,
    schema: {
      params: Type.Object({ space_id: PathId }),
      body: DeleteBlocks,
      response: { 200: success(Unblocked) },
    },
    config: {
      operation: {
        id: 'deleteBlocks',
        tag: 'Blocks',
        summary: 'Delete host blocks',
        description:
          'Frees the hours of the range that you had blocked, and answers which they were. Bookings and external calendars keep theirs. Where nothing was blocked the list is empty.',
        scope: 'blocks:write',
        errors: ['NOT_FOUND'],
        example: {
          params: { space_id: exampleId },
          body: { date: '2027-03-18', start_hour: 18, end_hour: 20 },
          data: { space_id: exampleId, date: '2027-03-18', unblocked_hours: [18, 19] },
        },
      },
    },
    handler: async (request) => {
      const range = toRange(request.caller, request.params.space_id, request.body);
      const unblocked_hours = await blocks.remove(ctx, request.caller, range);
      return ok({ space_id: range.spaceId, date: range.date, unblocked_hours });
    },
  });
}

function toRange({ hostId }: Caller, inPath: string, body: DeleteBlocks): HourRange {
  const spaceId = spaceParam(inPath, body.space_id);
  if (body.end_hour <= body.start_hour) {
    throw validationError([{ field: 'end_hour', message: 'must be after start_hour' }]);
  }
  return { hostId, spaceId, date: body.date, startHour: body.start_hour, endHour: body.end_hour };
}
