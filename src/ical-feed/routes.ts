import type { Context } from '../context.ts';
import { invalidToken } from '../errors.ts';
import { matches, withEtag } from '../http/etag.ts';
import { Id } from '../http/input/schemas.ts';
import type { App } from '../http/server.ts';
import { Type } from '../http/input/type.ts';
import * as icalFeed from './ical-feed.ts';
import { render } from './render.ts';

const exampleId = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';
const exampleFeed = render({ id: exampleId, title: 'Riverside Studio' }, [
  {
    id: '0199a3c4-9a70-7b1e-8c39-0d5f6f3a2c77',
    summary: 'Booked',
    startsAt: Date.parse('2027-03-18T14:00:00Z'),
    endsAt: Date.parse('2027-03-18T16:00:00Z'),
    revision: 0,
    changedAt: Date.parse('2027-03-01T09:30:00Z'),
  },
]);

export function icalFeedRoutes(app: App, ctx: Context): void {
  app.route({
    method: 'GET',
    url: '/api-ical-feed',
    schema: {
      querystring: Type.Object({ space_id: Id, token: Id }),
      response: {
        200: Type.String({ 'x-content-type': 'text/calendar', description: 'An iCalendar (RFC 5545)' }),
        304: Type.Null({ description: 'Not changed since the `ETag` in `If-None-Match`' }),
      },
    },
    // Bad input is a wrong token like any other: the answer must not tell them apart.
    attachValidation: true,
    config: {
      operation: {
        id: 'getIcalFeed',
        tag: 'Calendar',
        summary: 'Download iCal feed',
        description:
          'A space’s bookings and blocks as a calendar to subscribe to, from 30 days back: when it is taken, never by whom. Public, opened by the `token` in the address; carries a strong `ETag`.',
        errors: ['INVALID_TOKEN'],
        headers: ['ETag'],
        example: {
          query: { space_id: exampleId, token: '5f0c3a52-6f5e-4c0b-9a55-0f6d7b1c2e3d' },
          data: exampleFeed,
        },
      },
    },
    handler: async (request, reply) => {
      reply.header('cache-control', 'private, no-cache');
      if (request.validationError !== undefined) throw invalidToken();
      const feed = withEtag(await icalFeed.read(ctx, request.query.space_id, request.query.token));
      reply.header('etag', feed.etag);
      if (matches(request.headers['if-none-match'], feed.etag)) return reply.code(304).send(null);
      return reply.type('text/calendar; charset=utf-8').serializer(String).send(feed.text);
    },
  });
}
