import type { Context } from '../context.ts';
import { invalid } from '../errors.ts';
import { ok } from '../http/envelope.ts';
import { idParam, pathId, success } from '../http/input/schemas.ts';
import { Type } from '../http/input/type.ts';
import type { App } from '../http/server.ts';
import { updateListing } from './update.ts';
import * as operations from './operations.ts';
import { Space, UpdatedListing, UpdateListing } from './schemas.ts';
import * as spaces from './spaces.ts';

const SpacePath = Type.Object({ space_id: pathId('the space') });
const OneSpace = Type.Object({ space: Space });
const AllSpaces = Type.Object({ spaces: Type.Array(Space, { description: 'Oldest first' }) });

/** `base` is what clients put in front of every path. */
export function spacesRoutes(app: App, ctx: Context, base: () => string): void {
  app.route({
    method: 'GET',
    url: '/api-listings/api/v1/spaces',
    schema: { response: { 200: success(AllSpaces) } },
    config: { operation: operations.listSpaces },
    handler: async (request) => ok({ spaces: await spaces.list(ctx, request.caller) }),
  });

  app.route({
    method: 'GET',
    url: '/api-listings/api/v1/spaces/:space_id',
    schema: { params: SpacePath, response: { 200: success(OneSpace) } },
    config: { operation: operations.getSpace },
    handler: async (request) => {
      const spaceId = idParam(request.params.space_id);
      return ok({ space: await spaces.get(ctx, request.caller, spaceId) });
    },
  });

  app.route({
    method: 'PATCH',
    url: '/api-listing-update/api/v1/spaces/:space_id',
    schema: { params: SpacePath, body: UpdateListing, response: { 200: success(UpdatedListing) } },
    config: { operation: operations.updateListing },
    handler: async (request) => {
      const { space_id, ...wanted } = request.body;
      if (Object.keys(wanted).length === 0)
        throw invalid('body', 'must have at least one field beside space_id');
      const id = spaces.spaceParam(request.params.space_id, space_id);
      const { space, icalToken } = await updateListing(ctx, request.caller, id, wanted);
      return ok({ space, ...(icalToken && { ical_feed_url: spaces.icalUrl(base(), id, icalToken) }) });
    },
  });
}
