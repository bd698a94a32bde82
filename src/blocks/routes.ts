import type { Caller } from '../api-keys/caller.ts';
import type { Context } from '../context.ts';
import { hoursOf, type HourRange } from '../hours/hours.ts';
import { ok } from '../http/envelope.ts';
import { hourRange, pathId, success } from '../http/input/schemas.ts';
import { Type } from '../http/input/type.ts';
import type { App } from '../http/server.ts';
import { spaceParam } from '../spaces/spaces.ts';
import * as blocks from './blocks.ts';
import { createBlocks, deleteBlocks } from './operations.ts';
import { Blocked, CreateBlocks, DeleteBlocks, Unblocked } from './schemas.ts';

const URL = '/api-blocks/api/v1/spaces/:space_id/blocks';
const SpacePath = Type.Object({ space_id: pathId('the space') });

export function blocksRoutes(app: App, ctx: Context): void {
  app.route({
    method: 'POST',
    url: URL,
    schema: { params: SpacePath, body: CreateBlocks, response: { 200: success(Blocked) } },
    config: { operation: createBlocks },
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
    schema: { params: SpacePath, body: DeleteBlocks, response: { 200: success(Unblocked) } },
    config: { operation: deleteBlocks },
    handler: async (request) => {
      const range = toRange(request.caller, request.params.space_id, request.body);
      const unblocked_hours = await blocks.remove(ctx, request.caller, range);
      return ok({ space_id: range.spaceId, date: range.date, unblocked_hours });
    },
  });
}

function toRange({ hostId }: Caller, inPath: string, body: DeleteBlocks): HourRange {
  return { hostId, ...hourRange(spaceParam(inPath, body.space_id), body) };
}
