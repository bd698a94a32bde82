import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';
import { problemsIn } from '../fields/fields.ts';
import * as webhooks from '../webhooks/for-operators.ts';
import { BOOKING, REQUESTED, requestText, toRequest, type BookingRequest } from './fields.ts';

const TOO_MANY = (limit: number) => `must have at most ${limit} characters`;
const ONE_LINE = 'must not be blank or contain control characters';
const LINES = 'must not be blank or contain control characters other than line breaks and tabs';
const HALF = 'must not contain NUL characters or lone surrogates';

const values: [name: keyof typeof BOOKING, value: unknown, problem?: string][] = [
  ['reference', 'a'],
  ['reference', '😀'.repeat(200)],
  ['reference', '😀'.repeat(201), TOO_MANY(200)],
  ['reference', '', 'must not be empty'],
  ['reference', ' \u3000', ONE_LINE],
  ['reference', ' a b '],
  ...['\n', '\t', '\u0000', '\u001f', '\u007f', '\u009f'].map(
    (each) => ['reference', `a${each}b`, ONE_LINE] as ['reference', string, string],
  ),
  ['reference', '\u00a0\u202e x'],
  ['reference', 'a\ud83d', HALF],
  ['notes', 'a'],
  ['notes', '😀'.repeat(2000)],
  ['notes', '😀'.repeat(2001), TOO_MANY(2000)],
  ['notes', '', 'must not be empty'],
  ['notes', '\n\t ', LINES],
  ['notes', '\r\n\ta\n\n b\t'],
  ...['\u0000', '\u000b', '\u000c', '\u001b', '\u007f', '\u0085'].map(
    (each) => ['notes', `a${each}b`, LINES] as ['notes', string, string],
  ),
  ['notes', 'a\udc00', HALF],
  ['guest_count', 1],
  ['guest_count', 10_000],
  ['guest_count', 0, 'must be 1 or more'],
  ['guest_count', 10_001, 'must be 10000 or less'],
  ['guest_count', 1.5, 'must be a whole number or null'],
];

test('the caller’s own words have limits, each taken at its bound', () => {
  for (const [field, value, message] of values)
    assert.deepEqual(
      problemsIn(BOOKING, { [field]: value }),
      message === undefined ? [] : [{ field, message }],
      `${field} ${JSON.stringify(value)}`,
    );
});

onBothEngines('the caller’s own words', (engine) => {
  const world = useWorld(engine);

  test('are in events, and in no feed, log, trail or list of deliveries', async () => {
    const desk = await openDesk(world);
    const words = { reference: 'Zanzibar-1', notes: 'Zanzibar 😀\r\n\ttwice', guest_count: 4 };
    const { reference, notes, guest_count } = await desk.made(words);
    assert.deepEqual({ reference, notes, guest_count }, words);
    const [event] = await desk.events();
    assert.equal(event?.type === 'booking.created' && event.data.booking.notes, words.notes);
    const token = await world.newFeedToken(desk.spaceId);
    const feed = await world.call('GET', `/api-ical-feed?space_id=${desk.spaceId}&token=${token}`);
    assert.match(feed.text, /SUMMARY:Booked/);
    const [webhook] = await webhooks.list(world.ctx, desk.hostId);
    const deliveries = await webhooks.deliveries(world.ctx, webhook!, { limit: 10 });
    assert.equal(deliveries.length, 2);
    const trail = await world.rows('select * from audit where host_id = $1', [desk.hostId]);
    const places = { feed: feed.text, log: world.logText(), trail, deliveries };
    for (const [place, held] of Object.entries(places))
      assert.doesNotMatch(JSON.stringify(held), /Zanzibar/, place);
  });
});

const REQUEST = toRequest({
  space_id: '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01',
  date: '2027-03-18',
  start_hour: 10,
  end_hour: 12,
  guest_email: 'ada@example.com',
  guest_name: 'Ada Miller',
});

test('a request without own words has the text that it had before there were any', () => {
  const first =
    '"0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01","2027-03-18",10,12,"ada@example.com","Ada Miller",null';
  assert.equal(requestText(REQUEST), `[${first},"host_settled"]`);
  const move = toRequest({ ...REQUEST, replaces: '0199a3c4-9a70-7b1e-8c39-0d5f6f3a2c77' });
  assert.equal(
    requestText(move),
    `[${first},"host_settled",["replaces","0199a3c4-9a70-7b1e-8c39-0d5f6f3a2c77"]]`,
  );
});

test('a request has another text with another value of any field but the idempotency key', () => {
  const others: Partial<BookingRequest> = {
    space_id: '0199a3c4-9a70-7b1e-8c39-0d5f6f3a2c77',
    date: '2027-03-19',
    start_hour: 9,
    end_hour: 13,
    guest_email: 'eve@example.com',
    guest_name: 'Eve Miller',
    settlement_mode: 'platform_settled',
    notes: 'Two dogs',
    walk_in: true,
    replaces: '0199a3c4-9a70-7b1e-8c39-0d5f6f3a2c77',
  };
  const text = (name: keyof BookingRequest) =>
    requestText({ ...REQUEST, [name]: others[name] ?? BOOKING[name].example });
  const same = REQUESTED.filter((name) => text(name) === requestText(REQUEST));
  assert.deepEqual(same, ['idempotency_key']);
});
