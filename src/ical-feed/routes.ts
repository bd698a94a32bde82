import type { Context } from '../context.ts';
import { invalidToken } from '../errors.ts';
import { awaited } from '../http/awaited.ts';
import { sendTagged } from '../http/etag.ts';
import { idOf } from '../http/input/schemas.ts';
import { Type } from '../http/input/type.ts';
import type { App } from '../http/server.ts';
import * as icalFeed from './ical-feed.ts';
import { getIcalFeed } from './operations.ts';

export function icalFeedRoutes(app: App, ctx: Context): void {
  app.route({
    method: 'GET',
    url: '/api-ical-feed',
    schema: {
      querystring: Type.Object({
        space_id: idOf('the space'),
        token: { ...idOf('the feed'), description: 'The secret that opens this space’s feed' },
      }),
      response: {
        200: Type.String({ 'x-content-type': 'text/calendar', description: 'An iCalendar (RFC 5545)' }),
        304: Type.Null({ description: 'Not changed since the `ETag` in `If-None-Match`' }),
      },
    },
    // The handler answers bad input itself: like every wrong token, so that nothing can be learnt from the difference.
    attachValidation: true,
    config: { operation: getIcalFeed },
    handler: async (request, reply) => {
      reply.header('cache-control', 'private, no-cache');
      if (request.validationError !== undefined) throw invalidToken();
      const space = await icalFeed.open(ctx, request.query.space_id, request.query.token);
      const feed = await icalFeed.read(ctx, space, awaited(request, reply));
      return sendTagged(request, reply, 'text/calendar; charset=utf-8', feed);
    },
  });
}
