import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { readStrictly, type StrictEvent } from '../../test/support/rfc5545.ts';
import { useWorld } from '../../test/support/world.ts';

interface Case {
  what: string;
  timezone: string;
  date: string;
  /** Hours that do not exist on this date. */
  skipped?: number[];
}

const cases: Case[] = [
  { what: 'spring', timezone: 'America/New_York', date: '2027-03-14', skipped: [2] },
  { what: 'autumn', timezone: 'America/New_York', date: '2027-11-07' },
  { what: 'spring at midnight', timezone: 'Africa/Cairo', date: '2027-04-30', skipped: [0] },
  { what: 'half an hour in spring', timezone: 'Australia/Lord_Howe', date: '2027-10-03' },
  { what: 'half an hour in autumn', timezone: 'Australia/Lord_Howe', date: '2027-04-04' },
  { what: 'a zone off the hour', timezone: 'Asia/Kathmandu', date: '2027-03-14' },
];

onBothEngines('The iCal feed over a change of the clocks', (engine) => {
  const world = useWorld(engine);

  for (const { what, timezone, date, skipped = [] } of cases) {
    test(`${what}: the entries cover exactly the hours that are held`, async () => {
      const desk = await openDesk(world, { timezone }, { timezone });
      const { spaceId, key } = desk;
      const block = (start_hour: number, end_hour: number, reason: string) => {
        const body = { date, start_hour, end_hour, reason };
        return world.call('POST', `/api-blocks/api/v1/spaces/${spaceId}/blocks`, { key, body });
      };
      const book = (start_hour: number, end_hour: number) => desk.book({ date, start_hour, end_hour });
      const answers = [
        await block(0, 1, 'a'),
        await block(1, 3, 'b'),
        await book(3, 4),
        await block(4, 5, 'c'),
        await book(22, 24),
      ];
      for (const answer of answers) assert.equal(answer.status, 200, answer.text);

      const events = await download(spaceId);
      const held = [0, 1, 2, 3, 4, 22, 23].filter((hour) => !skipped.includes(hour));
      assert.deepEqual(
        touched(events, timezone),
        held.map((hour) => `${date} ${String(hour).padStart(2, '0')}`),
      );
      const booked = events.filter((event) => event.summary === 'Booked');
      assert.deepEqual(touched(booked, timezone), [`${date} 03`, `${date} 22`, `${date} 23`]);
      assertSideBySide(events.filter((event) => touched([event], timezone)[0]! < `${date} 05`));
    });
  }

  test('a block of a skipped hour alone is no entry', async () => {
    const hostId = await world.addHost();
    const { key } = await world.addKey(hostId);
    const spaceId = await world.addSpace(hostId);
    const body = { date: '2027-03-14', start_hour: 2, end_hour: 3 };
    await world.call('POST', `/api-blocks/api/v1/spaces/${spaceId}/blocks`, { key, body });
    assert.deepEqual(await download(spaceId), []);
  });

  async function download(spaceId: string): Promise<StrictEvent[]> {
    const token = await world.newFeedToken(spaceId);
    const response = await world.call('GET', `/api-ical-feed?space_id=${spaceId}&token=${token}`);
    return readStrictly(response.bytes).events;
  }
});

/** The wall-clock hours that any part of an entry touches, found by looking every five minutes. */
function touched(events: readonly StrictEvent[], timezone: string): string[] {
  const wallClock = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'short',
  });
  const hours = new Set<string>();
  for (const { start, end } of events) {
    for (let at = start; at < end; at += 5 * 60_000) hours.add(wallClock.format(at).slice(0, 13));
  }
  return [...hours].sort();
}

/** Neither a gap nor an overlap, also where the clocks change between two entries. */
function assertSideBySide(events: readonly StrictEvent[]): void {
  events.slice(1).forEach((event, i) => assert.equal(event.start, events[i]!.end));
}
