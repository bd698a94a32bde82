import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import * as calendars from '../../src/calendars/calendars.ts';
import { subscribe } from '../../src/spaces/update.ts';
import { useCalendarServer, type CalendarServer } from './calendar-server.ts';
import type { Engine } from './engines.ts';
import { operator } from './operator.ts';
import { useWorld, type World } from './world.ts';

/** A world, a server of calendars, and what a test of external calendars does with them. */
export interface Calendars {
  world: World;
  server: CalendarServer;
  /** A new space of a new host follows a calendar; its id. */
  subscribed(url?: string): Promise<string>;
  /** The same, with this calendar imported once. */
  imported(text: string): Promise<string>;
  /** As the operator sees it. */
  listed(id: string): Promise<calendars.ListedCalendar>;
  /** `2027-04-01 10` */
  hoursOf(id: string): Promise<string[]>;
  pollAfter(minutes: number): Promise<void>;
}

/** What a test has subscribed is removed after it. */
export function useCalendars(engine: Engine): Calendars {
  const world = useWorld(engine);
  const server = useCalendarServer();
  afterEach(async () => {
    for (const { id } of await calendars.list(world.ctx)) await calendars.remove(world.ctx, operator, id);
    server.requests.length = 0;
  });
  const subscribed = async (url = server.url): Promise<string> => {
    const spaceId = await world.addSpace(await world.addHost());
    return (await subscribe(world.ctx, operator, spaceId, url)).id;
  };
  return {
    world,
    server,
    subscribed,
    imported: async (text) => {
      server.serve(text);
      const id = await subscribed();
      await calendars.pollDue(world.ctx);
      server.requests.length = 0;
      return id;
    },
    listed: async (id) => {
      const found = (await calendars.list(world.ctx)).find((calendar) => calendar.id === id);
      assert.ok(found);
      return found;
    },
    hoursOf: async (id) => {
      const rows = await world.rows<{ date: string; hour: number }>(
        'select date, hour from external_hours where calendar_id = $1 order by date, hour',
        [id],
      );
      return rows.map(({ date, hour }) => `${date} ${hour}`);
    },
    pollAfter: async (minutes) => {
      world.clock.advance({ minutes });
      await calendars.pollDue(world.ctx);
    },
  };
}
