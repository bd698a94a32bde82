import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { useCalendarServer } from '../../test/support/calendar-server.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { belongings } from '../../test/support/tables.ts';
import { TEST_SECRET_KEY, useWorld } from '../../test/support/world.ts';
import * as calendars from '../calendars/calendars.ts';
import { subscribe } from './update.ts';
import * as guests from '../guests/guests.ts';
import { exportFile } from '../apply/export.ts';
import { exportHost } from '../accounts/export.ts';
import { pollDue } from '../calendars/calendars.ts';

onBothEngines('PATCH listing, calendars', (engine) => {
  const world = useWorld(engine, { LOG_LEVEL: 'debug', SECRET_KEY: TEST_SECRET_KEY });
  const server = useCalendarServer();
  let desk: Desk;

  beforeEach(async () => {
    desk = await openDesk(world);
    server.serveEvents(`10:00-12:00 on 2027-06-02`);
  });

  const patch = (body: unknown, id = desk.spaceId, key = desk.key) =>
    world.call('PATCH', `/api-listing-update/api/v1/spaces/${id}`, { key, body });
  const read = async () =>
    (await world.call('GET', `/api-listings/api/v1/spaces/${desk.spaceId}`, { key: desk.key })).body.data
      .space;
  const poll = () => pollDue(world.ctx);
  const connected = async (url = server.url) =>
    (await patch({ connect_calendar: url })).body.data.space.external_calendars.at(-1)!;
  const shown = () => `${new URL(server.url).host}/….ics`;

  test('the same address twice is the same connection, also as webcal and with its host in capitals', async () => {
    const url = 'https://calendar.example.com/a.ics';
    const { id } = await connected(url);
    const before = await belongings(world, desk.hostId, 'production');
    for (const again of [url, 'webcal://calendar.example.com/a.ics', 'https://Calendar.Example.com/a.ics']) {
      const { external_calendars } = (await patch({ connect_calendar: again })).body.data.space;
      assert.deepEqual(
        external_calendars.map((calendar) => calendar.id),
        [id],
      );
    }
    assert.equal(await belongings(world, desk.hostId, 'production'), before);
  });

  test('a sixth calendar is refused, and changes nothing else; one that takes the place of another is not', async () => {
    for (let n = 1; n <= 5; n++) await connected(`https://calendar.example.com/${n}`);
    const sixth = { title: 'New', connect_calendar: 'https://calendar.example.com/6' };
    const { details } = refused(await patch(sixth), 422, 'VALIDATION_ERROR');
    assert.deepEqual(details, [
      { field: 'connect_calendar', message: 'is one too many: a space has at most 5' },
    ]);
    const { title, external_calendars } = await read();
    assert.deepEqual([title, external_calendars.length], ['Test Space', 5]);
    const swap = { ...sixth, disconnect_calendar: external_calendars[0]!.id };
    const swapped = (await patch(swap)).body.data.space;
    assert.deepEqual(
      [swapped.title, swapped.external_calendars.map(({ address }) => address.at(-1))],
      ['New', ['2', '3', '4', '5', '6']],
    );
  });

  test('of many connections at the same time five are made, and of the same address one', async () => {
    const many = Array.from({ length: 10 }, (_, n) => `https://calendar.example.com/${n}.ics`);
    const answers = await Promise.all(many.map((url) => patch({ connect_calendar: url })));
    assert.equal(answers.filter(({ status }) => status === 200).length, 5);
    const other = await openDesk(world);
    await Promise.all(many.map(() => patch({ connect_calendar: many[0] }, other.spaceId, other.key)));
    assert.equal((await calendars.list(world.ctx, { space: other.spaceId })).length, 1);
  });

  test('an unknown connection, one of another space, host or environment is refused and stays', async () => {
    const sibling = await world.addSpace(desk.hostId);
    const stranger = await openDesk(world);
    const sandbox = await world.addSpace(desk.hostId, { environment: 'sandbox' });
    for (const spaceId of [sibling, stranger.spaceId, sandbox]) {
      const { id } = await subscribe(world.ctx, operator, spaceId, server.url);
      const { details } = refused(await patch({ disconnect_calendar: id }), 422, 'VALIDATION_ERROR');
      assert.equal(details[0].field, 'disconnect_calendar');
      assert.equal((await calendars.list(world.ctx, { space: spaceId })).length, 1);
    }
    const missing = await patch({ title: 'x', disconnect_calendar: '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01' });
    assert.equal(refused(missing, 422, 'VALIDATION_ERROR').details[0].field, 'disconnect_calendar');
    assert.equal((await read()).title, 'Test Space');
  });

  describe('refuses to connect a calendar at', () => {
    for (const [what, address] of [
      ['an address of the inner network', 'https://10.0.0.1/a.ics'],
      ['the metadata service', 'https://169.254.169.254/a.ics'],
      ['an inner address as one number', 'https://167772161/a.ics'],
      ['an inner address as IPv6', 'https://[::ffff:10.0.0.1]/a.ics'],
      ['plain http', 'http://8.8.8.8/a.ics'],
      ['webcal to the inner network', 'webcal://192.168.0.1/a.ics'],
      ['a password in it', 'https://me:secret@calendar.example.com/a.ics'],
      ['white space', 'https://calendar.example.com/a b.ics'],
      ['no host', 'https:///a.ics'],
      ['no address', 'busy'],
      ['nothing', ''],
      ['2001 characters', `https://calendar.example.com/${'x'.repeat(1972)}`],
    ] as const)
      test(what, async () => {
        const answer = await patch({ connect_calendar: address, title: 'x' });
        assert.equal(refused(answer, 422, 'VALIDATION_ERROR').details[0].field, 'connect_calendar');
        const { title, external_calendars } = await read();
        assert.deepEqual([title, external_calendars], ['Test Space', []]);
      });
  });

  test('addresses and tokens are in no other answer, log line, event, entry of the trail, or export', async () => {
    const { ical_feed_url } = (await patch({ rotate_ical_token: true })).body.data;
    const token = new URL(ical_feed_url!).searchParams.get('token')!;
    const { id } = await connected();
    await poll();
    server.answer(500);
    await calendars.sync(world.ctx, operator, id);
    await desk.book({ guest_email: 'ada@example.com' });
    const wanted = { email: 'ada@example.com', hostId: desk.hostId };
    const told = [
      (await patch({ title: 'Told', connect_calendar: server.url })).body,
      (await world.call('GET', '/api-listings/api/v1/spaces', { key: desk.key })).body,
      (await patch({ disconnect_calendar: id })).body,
      (await patch({ connect_calendar: `${server.url}#again`, price: 10.005 })).body,
      await world.rows('select data from events where host_id = $1', [desk.hostId]),
      await world.rows('select changes, subject, reason from audit where host_id = $1', [desk.hostId]),
      await exportHost(world.ctx, operator, desk.hostId),
      await exportFile(world.ctx, desk.hostId),
      await guests.exportAll(world.ctx, operator, wanted, () => undefined),
      world.logText(),
    ].map((each) => JSON.stringify(each));
    for (const [n, text] of told.entries())
      for (const secret of ['secret-token', token]) assert.ok(!text.includes(secret), `${n} has ${secret}`);
    await connected();
    const exported = await exportHost(world.ctx, operator, desk.hostId);
    assert.deepEqual(
      exported.calendars.map(({ address }) => address),
      [shown()],
    );
    assert.ok(!JSON.stringify(exported).includes('secret-token'));
  });
});
