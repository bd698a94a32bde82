import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import * as calendars from '../../src/calendars/calendars.ts';
import { subscribe } from '../../src/spaces/update.ts';
import { useCalendarServer } from './calendar-server.ts';
import type { Engine } from './engines.ts';
import { operator } from './operator.ts';
import { useWorld } from './world.ts';

/** A world, a server of calendars, and what a test of external calendars does with them. */
export function useCalendars(engine: Engine) {
  const world = useWorld(engine);
  const server = useCalendarServer();
  // What a test has subscribed is removed after it.
  afterEach(async () => {
    for (const { id } of await calendars.list(world.ctx)) await calendars.remove(world.ctx, operator, id);
    server.requests.length = 0;
  });
  /** A new space of a new host follows a calendar; its id. */
  const subscribed = async (url = server.url): Promise<string> => {
    const spaceId = await world.addSpace(await world.addHost());
    return (await subscribe(world.ctx, operator, spaceId, url)).id;
  };
  return {
    world,
    server,
    subscribed,
    /** The same, with this calendar imported once. */
    imported: async (text: string) => {
      server.serve(text);
      const id = await subscribed();
      await calendars.pollDue(world.ctx);
      server.requests.length = 0;
      return id;
    },
    /** As the operator sees it. */
    listed: async (id: string) => {
      const found = (await calendars.list(world.ctx)).find((calendar) => calendar.id === id);
      assert.ok(found);
      return found;
    },
    /** `2027-04-01 10` */
    hoursOf: async (id: string) => {
      const rows = await world.rows<{ date: string; hour: number }>(
        'select date, hour from external_hours where calendar_id = $1 order by date, hour',
        [id],
      );
      return rows.map(({ date, hour }) => `${date} ${hour}`);
    },
    pollAfter: async (minutes: number) => {
      world.clock.advance({ minutes });
      await calendars.pollDue(world.ctx);
    },
  };
}
