import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calendarOf } from '../../test/support/busy-hours.ts';
import { useCalendarServer } from '../../test/support/calendar-server.ts';
import { useCalendars } from '../../test/support/calendars.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { until } from '../../test/support/until.ts';
import * as calendars from './calendars.ts';
import { subscribe } from '../spaces/update.ts';

onBothEngines('calendars that take long', (engine) => {
  const { world, server: slow } = useCalendars(engine);
  const quick = useCalendarServer();

  async function connected(hostId: string, urls: readonly string[]): Promise<void> {
    const spaceId = await world.addSpace(hostId);
    for (const url of urls) await subscribe(world.ctx, operator, spaceId, url);
  }

  /** What happened, in order: `slow` and `quick` requests, and `ended` for a slow poll that is over. */
  function watched(): { seen: string[]; reached(what: string, times?: number): Promise<void> } {
    const seen: string[] = [];
    slow.handle((_request, response) => {
      seen.push('slow');
      response.writeHead(200, { 'content-type': 'text/calendar' });
      const drip = setInterval(() => response.write('B'), 1000);
      response.on('close', () => {
        clearInterval(drip);
        seen.push('ended');
      });
    });
    quick.handle((_request, response) => {
      seen.push('quick');
      response.writeHead(200, { 'content-type': 'text/calendar' }).end(calendarOf());
    });
    const reached = (what: string, times = 1): Promise<void> =>
      until(() => seen.filter((each) => each === what).length >= times);
    return { seen, reached };
  }

  /** Polls until the body is done, and then stops as a worker does. */
  async function polling(body: () => Promise<void>): Promise<void> {
    const stopping = new AbortController();
    const polls = calendars.pollDue(world.ctx, stopping.signal);
    await body();
    stopping.abort();
    await polls;
  }

  test('of one host do not hold up the first poll of another host', async () => {
    const { seen, reached } = watched();
    await connected(
      await world.addHost(),
      Array.from({ length: 10 }, (_, i) => `${slow.url}?${i}`),
    );
    await polling(async () => {
      await reached('slow', 2);
      await connected(await world.addHost(), [quick.url]);
      await reached('quick');
    });
    assert.ok(!seen.slice(0, seen.indexOf('quick')).includes('ended'), seen.join(' '));
  });

  test('of all other hosts do not hold up the first poll of a host', async () => {
    const { seen, reached } = watched();
    for (let n = 0; n < 20; n++) await connected(await world.addHost(), [`${slow.url}?${n}`]);
    await world.write('update calendars set last_polled_at = 0');
    await polling(async () => {
      await reached('slow', 4);
      await connected(await world.addHost(), [quick.url]);
      await reached('quick');
    });
    assert.ok(!seen.slice(0, seen.indexOf('quick')).includes('ended'), seen.join(' '));
  });
});
