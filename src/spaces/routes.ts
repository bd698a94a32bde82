import type { Context } from '../context.ts';
import { validationError } from '../errors.ts';
import { ok } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { idParam, PathId, success } from '../http/input/schemas.ts';
import { Type } from '../http/input/type.ts';
import { updateListing } from './listing.ts';
import { exampleSpace, Space, UpdateListing } from './schemas.ts';
import * as spaces from './spaces.ts';

export function spacesRoutes(app: App, ctx: Context): void {
  app.route({
    method: 'GET',
    url: '/api-listings/api/v1/spaces',
    schema: { response: { 200: success(Type.Object({ spaces: Type.Array(Space) })) } },
    config: {
      operation: {
        id: 'listSpaces',
        tag: 'Spaces',
        summary: 'List all host spaces',
        description:
          'Every space of the key’s host in the key’s environment, inactive ones too, oldest first.',
        scope: 'spaces:read',
        example: { data: { spaces: [exampleSpace] } },
      },
    },
    handler: async (request) => ok({ spaces: await spaces.list(ctx, request.caller) }),
  });

  app.route({
    method: 'GET',
    url: '/api-listings/api/v1/spaces/:space_id',
    schema: {
      params: Type.Object({ space_id: PathId }),
      response: { 200: success(Type.Object({ space: Space })) },
    },
    config: {
      operation: {
        id: 'getSpace',
        tag: 'Spaces',
        summary: 'Get space detail',
        description: 'One space. A space of another host or environment is not found.',
        scope: 'spaces:read',
        errors: ['NOT_FOUND'],
        example: { params: { space_id: exampleSpace.id }, data: { space: exampleSpace } },
      },
    },
    handler: async (request) => {
      const spaceId = idParam(request.params.space_id, spaces.noSuchSpace);
      return ok({ space: await spaces.get(ctx, request.caller, spaceId) });
    },
  });

  app.route({
    method: 'PATCH',
    url: '/api-listing-update/api/v1/spaces/:space_id',
    schema: {
      params: Type.Object({ space_id: PathId }),
      body: UpdateListing,
      response: { 200: success(Type.Object({ space: Space })) },
    },
    config: {
      operation: {
        id: 'updateListing',
        tag: 'Spaces',
        summary: 'Update listing fields',
        description:
          'Changes the fields you name and no others. A new price holds for new bookings; an inactive space takes no bookings and keeps those it has.',
        scope: 'spaces:write',
        errors: ['NOT_FOUND'],
        example: {
          params: { space_id: exampleSpace.id },
          body: { price: 52.5 },
          data: { space: { ...exampleSpace, price_per_hour: 52.5 } },
        },
      },
    },
    handler: async (request) => {
      const { space_id, ...wanted } = request.body;
      const id = spaces.spaceParam(request.params.space_id, space_id);
      if (Object.keys(wanted).length === 0) throw nothingToChange();
      return ok({ space: await updateListing(ctx, request.caller, id, wanted) });
    },
  });
}

function nothingToChange(): Error {
  return validationError([{ field: 'body', message: 'must have at least one of title, price, is_active' }]);
}
