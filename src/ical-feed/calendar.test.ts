import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import * as fc from 'fast-check';
import ICAL from 'ical.js';
import { bookingBody, CREATE } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { readStrictly, type StrictCalendar, type StrictEvent } from '../../test/support/rfc5545.ts';
import { useWorld } from '../../test/support/world.ts';

const NOON = '2027-03-01T12:00:00Z';
const DATE = '2027-03-18';

/** Few dates and coarse hours around midnights, so that blocks meet, merge and split all the time. */
const change = fc.record({
  method: fc.constantFrom('POST', 'DELETE'),
  date: fc.constantFrom('2027-03-13', '2027-03-14'),
  start_hour: fc.constantFrom(0, 1, 22, 23),
  length: fc.constantFrom(1, 1, 2),
  reason: fc.constantFrom('a', 'a', 'b'),
  many: fc.constantFrom({}, {}, { end_date: '2027-03-15' }),
});

interface Case {
  what: string;
  timezone: string;
  date: string;
  /** Hours that do not exist on this date. */
  skipped?: number[];
}

/** Days on which clocks change. */
const CHANGES: Case[] = [
  { what: 'spring', timezone: 'America/New_York', date: '2027-03-14', skipped: [2] },
  { what: 'autumn', timezone: 'America/New_York', date: '2027-11-07' },
  { what: 'spring at midnight', timezone: 'Africa/Cairo', date: '2027-04-30', skipped: [0] },
  { what: 'half an hour in spring', timezone: 'Australia/Lord_Howe', date: '2027-10-03' },
  { what: 'half an hour in autumn', timezone: 'Australia/Lord_Howe', date: '2027-04-04' },
  { what: 'a zone off the hour', timezone: 'Asia/Kathmandu', date: '2027-03-14' },
];

onBothEngines('The calendar in the iCal feed', (engine) => {
  const world = useWorld(engine);
  let hostId: string;
  let key: string;
  let spaceId: string;
  let query: string;

  beforeEach(async () => {
    world.clock.set(NOON);
    hostId = await world.addHost();
    ({ key } = await world.addKey(hostId));
    await useSpace(await world.addSpace(hostId));
  });

  async function useSpace(id: string): Promise<void> {
    spaceId = id;
    const token = await world.newFeedToken(id);
    query = `/api-ical-feed?space_id=${id}&token=${token}`;
  }

  async function download(): Promise<Buffer> {
    const response = await world.call('GET', query);
    assert.equal(response.status, 200);
    return response.bytes;
  }
  const read = async (): Promise<StrictCalendar> => readStrictly(await download());
  const etag = async () => (await world.call('GET', query)).headers.get('etag');

  async function call(method: string, path: string, body: object) {
    const answer = await world.call(method, path, { key, body });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  }
  const blocks = () => `/api-blocks/api/v1/spaces/${spaceId}/blocks`;
  const block = (start_hour: number, end_hour: number, reason?: string, date = DATE) =>
    call('POST', blocks(), { date, start_hour, end_hour, ...(reason === undefined ? {} : { reason }) });
  const unblock = (start_hour: number, end_hour: number, date = DATE) =>
    call('DELETE', blocks(), { date, start_hour, end_hour });
  async function book(start_hour: number, end_hour: number, date = DATE): Promise<string> {
    const guest = {
      guest_email: 'ada.secret@example.com',
      guest_name: 'Ada Geheim',
      guest_phone: '+49 555 0142',
    };
    const body = bookingBody(spaceId, { date, start_hour, end_hour, ...guest });
    return (await call('POST', CREATE, body)).booking.id;
  }

  /** What an entry says, and its start and end in UTC. */
  const times = (events: readonly StrictEvent[]) =>
    events.map(({ summary, start, end }) => [
      summary,
      new Date(start).toISOString().slice(0, 16),
      new Date(end).toISOString().slice(0, 16),
    ]);

  test('a booking and a block are entries in UTC without a word about the guest', async () => {
    const id = await book(10, 12);
    await block(14, 15, 'Secret dentist');
    const bytes = await download();
    const { events } = readStrictly(bytes);
    assert.deepEqual(times(events), [
      ['Booked', '2027-03-18T14:00', '2027-03-18T16:00'],
      ['Blocked', '2027-03-18T18:00', '2027-03-18T19:00'],
    ]);
    assert.equal(events[0]!.uid, `${id}@${spaceId}.hourkeep`);
    assert.match(events[1]!.uid, new RegExp(`^[0-9a-f-]{36}-14@${spaceId}\\.hourkeep$`));
    // Long lines made whole, and without ids, whose digits can spell anything.
    const words = bytes
      .toString()
      .replaceAll('\r\n ', '')
      .replaceAll(/[0-9a-f-]{36}/g, '');
    assert.doesNotMatch(words, /secret|geheim|ada|0142|@example/i);
  });

  test('the calendar has the space’s name and says how often to look', async () => {
    const { name, properties } = await read();
    assert.equal(name, 'Test Space');
    assert.equal(properties.get('NAME'), 'Test Space');
    assert.equal(properties.get('CALSCALE'), 'GREGORIAN');
    assert.equal(properties.get('REFRESH-INTERVAL'), 'PT15M');
    assert.equal(properties.get('X-PUBLISHED-TTL'), 'PT15M');
  });

  const titles: [string, string, string?][] = [
    ['commas, semicolons and backslashes', 'A, B; C\\n "D": E'],
    ['200 characters of four octets', '🏠'.repeat(200)],
    ['200 characters of three octets', '한강이 보이는 방'.repeat(22)],
    ['two octets at every fold', `a${'é'.repeat(199)}`],
    ['lines of its own', 'X\r\nEND:VCALENDAR\nBEGIN:VEVENT', 'X END:VCALENDAR BEGIN:VEVENT'],
    ['control characters', 'a\u0007b\u0085c\u2028d\te', 'a b c d e'],
  ];
  for (const [what, title, expected = title] of titles) {
    test(`a title with ${what} keeps the calendar whole`, async () => {
      await call('PATCH', `/api-listing-update/api/v1/spaces/${spaceId}`, { title });
      await book(10, 12);
      const bytes = await download();
      const strict = readStrictly(bytes);
      assert.equal(strict.name, expected);
      assert.equal(strict.events.length, 1);
      const root = new ICAL.Component(ICAL.parse(bytes.toString()) as [string, [], []]);
      assert.equal(root.getAllSubcomponents('vevent').length, 1);
    });
  }

  test('the 30 days are counted by the calendar, also where clocks were changed meanwhile', async () => {
    world.clock.set('2027-11-30T04:30:00Z'); // In New York 23:30 of 29 November, and 30 times 24 hours before it 00:30 of 31 October.
    await block(10, 11, 'past', '2027-10-29');
    await block(10, 11, 'past', '2027-10-30');
    assert.deepEqual(times((await read()).events), [['Blocked', '2027-10-30T14:00', '2027-10-30T15:00']]);
  });

  test('an entry keeps its UID and its SEQUENCE grows when its end moves', async () => {
    await block(9, 12, 'Cleaning');
    const [first] = (await read()).events;
    world.clock.advance({ minutes: 1 });
    await unblock(11, 12);
    const [shorter] = (await read()).events;
    world.clock.advance({ minutes: 1 });
    await block(11, 14, 'Cleaning');
    const [longer] = (await read()).events;
    assert.deepEqual([shorter!.uid, longer!.uid], [first!.uid, first!.uid]);
    assert.ok(first!.sequence < shorter!.sequence && shorter!.sequence < longer!.sequence);
    assert.equal(shorter!.stamp, first!.stamp + 60_000);
    assert.equal(longer!.lastModified, first!.lastModified + 120_000);
  });

  test('a hole in a block makes two entries of it', async () => {
    await block(9, 13);
    const [whole] = (await read()).events;
    await unblock(10, 11);
    const { events } = await read();
    assert.deepEqual(times(events), [
      ['Blocked', '2027-03-18T13:00', '2027-03-18T14:00'],
      ['Blocked', '2027-03-18T15:00', '2027-03-18T17:00'],
    ]);
    assert.equal(events[0]!.uid, whole!.uid);
  });

  test('a block far away is no change of the others', async () => {
    await block(9, 12);
    const [before] = (await read()).events;
    await block(9, 12, undefined, '2027-05-01');
    await unblock(9, 12, '2027-05-01');
    assert.deepEqual((await read()).events, [before]);
  });

  test('an entry that began before the 30 days keeps its UID while they move on', async () => {
    const holiday = { date: '2027-01-01', end_date: '2027-01-31', start_hour: 0, end_hour: 24 };
    await call('POST', blocks(), { ...holiday, reason: 'Holiday' });
    const [today] = (await read()).events;
    assert.equal(new Date(today!.start).toISOString(), '2027-01-01T05:00:00.000Z');
    world.clock.advance({ hours: 24 });
    assert.deepEqual((await read()).events, [today]);
    world.clock.advance({ hours: 24 });
    assert.deepEqual((await read()).events, []);
  });

  test('an unchanged calendar has the same strong ETag on another day, and is not sent again', async () => {
    await book(10, 12);
    await block(14, 15);
    const tag = (await etag())!;
    assert.match(tag, /^"[\w-]+"$/);
    world.clock.advance({ hours: 72 });
    for (const header of [tag, `"other", ${tag}`, `W/${tag}`, '*']) {
      const answer = await world.call('GET', query, { headers: { 'if-none-match': header } });
      assert.equal(answer.status, 304, header);
      assert.equal(answer.text, '');
      assert.equal(answer.headers.get('etag'), tag);
    }
    const head = await world.call('HEAD', query, { headers: { 'if-none-match': tag } });
    assert.equal(head.status, 304);
  });

  for (const { what, timezone, date, skipped = [] } of CHANGES) {
    test(`over a change of the clocks the entries cover exactly the hours that are held: ${what}`, async () => {
      await useSpace(await world.addSpace(hostId, { timezone }));
      await block(0, 1, 'a', date);
      await block(1, 3, 'b', date);
      await book(3, 4, date);
      await block(4, 5, 'c', date);
      await book(22, 24, date);
      const { events } = await read();
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
    await block(2, 3, undefined, '2027-03-14');
    assert.deepEqual((await read()).events, []);
  });

  test('what cannot be written with a four-digit year is left out', async () => {
    await block(10, 11, undefined, '9999-12-30');
    await block(22, 24, undefined, '9999-12-31');
    assert.equal((await read()).events.length, 1);
  });

  test('the SEQUENCE of an entry grows with every change and never falls, whatever is blocked and freed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 20, maxLength: 30 }), async (changes) => {
        await useSpace(await world.addSpace(hostId));
        const seen = new Map<string, StrictEvent>();
        for (const { method, reason, length, many, ...rest } of changes) {
          const end_hour = Math.min(24, rest.start_hour + length);
          const skip = 'end_date' in many ? { skip_occupied: true } : {};
          const body = { ...rest, ...many, end_hour, ...(method === 'POST' ? { reason, ...skip } : {}) };
          await world.call(method, blocks(), { key, body });
          for (const event of (await read()).events) {
            assertLater(seen.get(event.uid), event);
            seen.set(event.uid, event);
          }
        }
      }),
      { numRuns: 3, seed: 20_270_314 },
    );
  });
});

function assertLater(before: StrictEvent | undefined, event: StrictEvent): void {
  if (before === undefined) return;
  const same = before.start === event.start && before.end === event.end;
  assert.ok(same ? event.sequence >= before.sequence : event.sequence > before.sequence);
}

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
