import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextJune } from '../support/clock.ts';
import { useServing } from '../support/command-line.ts';
import { onOneEngine } from '../support/engines.ts';
import { send } from '../support/world.ts';

onOneEngine('the operator’s day, beside a running service', (engine) => {
  const serving = useServing(engine);
  const { json, says, refuses } = serving;
  const call = (method: string, path: string, body?: unknown) =>
    send(serving.demo.base_url, method, path, {
      key: serving.demo.keys.production,
      ...(body !== undefined && { body }),
    });
  const book = async (fields: object = {}) =>
    (
      await call('POST', '/api-create-booking/api/v1/bookings', {
        space_id: serving.demo.spaces[0]!.id,
        date: nextJune(1),
        start_hour: 10,
        end_hour: 12,
        guest_email: 'ada@example.com',
        guest_name: 'Ada Miller',
        ...fields,
      })
    ).body.data.booking;

  test('a host is shown and changed', async () => {
    const { id } = serving.demo.host;
    assert.equal((await json('host', 'show', id)).email, serving.demo.host.email);
    const changed = await json('host', 'update', id, '--email', 'desk@harborlight.example');
    assert.equal(changed.email, 'desk@harborlight.example');
    assert.match(
      await says('host', 'update', id, '--max-booking-value', '750.50'),
      /^Max booking value +750\.5 USD$/m,
    );
    assert.doesNotMatch(await says('host', 'update', id, '--no-max-booking-value'), /^Max booking value/m);
    assert.match(
      await refuses('host', 'update', id, '--currency', 'EUR'),
      /^hourkeep: host \S+ has bookings: /,
    );
    assert.equal(
      await refuses('host', 'update', id, '--email', serving.demo.other_host.email.toUpperCase()),
      `hourkeep: another host has the email ${serving.demo.other_host.email.toUpperCase()}: ${serving.demo.other_host.id}\n`,
    );
    assert.match(
      await refuses(
        ...`host add --name x --email ${serving.demo.other_host.email} --timezone UTC --currency USD`.split(
          ' ',
        ),
      ),
      /^hourkeep: another host has the email/,
    );
  });

  test('a deactivated host’s keys and feeds are refused at once, and work again once it is active', async () => {
    const space = serving.demo.spaces[0]!;
    const feed = () =>
      send(serving.demo.base_url, 'GET', `/api-ical-feed?space_id=${space.id}&token=${space.ical_token}`);
    assert.equal(
      await says('host', 'deactivate', serving.demo.host.id, '--reason', 'owes three months'),
      `${serving.demo.host.name} is deactivated: keys and feeds are rejected, calendars are not polled, webhook deliveries wait.\n`,
    );
    const { status, body } = await call('GET', '/api-listings/api/v1/spaces');
    assert.deepEqual(
      [status, body.error.code, body.error.message],
      [401, 'API_KEY_REVOKED', 'The account of this API key is not active; ask the operator'],
    );
    assert.equal((await feed()).status, 401);
    const [entry] = await json('audit', 'list', '--action', 'host.deactivated');
    assert.equal(entry.reason, 'owes three months');
    assert.match(
      await says('host', 'list'),
      new RegExp(`${serving.demo.host.id}.* USD .* \\d{4}-\\d\\d-\\d\\dT`),
    );
    assert.equal((await json('host', 'activate', serving.demo.host.id)).deactivated_at, null);
    assert.equal((await call('GET', '/api-listings/api/v1/spaces')).status, 200);
    assert.equal((await feed()).status, 200);
  });

  test('a space is shown and changed, and the API has it at once', async () => {
    const { id } = serving.demo.spaces[0]!;
    const before = await json('space', 'show', id);
    const changed = await json('space', 'update', id, '--price', '61.50', '--hours', '6-23', '--no-capacity');
    assert.deepEqual(changed, {
      ...before,
      price_per_hour: 61.5,
      operating_hours: { start_hour: 6, end_hour: 23 },
      capacity: null,
    });
    const { space } = (await call('GET', `/api-listings/api/v1/spaces/${id}`)).body.data;
    assert.deepEqual([space.price_per_hour, space.operating_hours.end_hour], [61.5, 23]);
    assert.match(await says('space', 'update', id, '--inactive'), /^Active +no$/m);
    assert.match(await says('space', 'update', id, '--active'), /^Active +yes$/m);
    await book({ date: nextJune(9) });
    assert.match(
      await refuses('space', 'update', id, '--timezone', 'UTC'),
      /^hourkeep: the timezone can change only while nothing lies ahead: /,
    );
    assert.equal(
      await refuses('space', 'update', id, '--price', '0.001'),
      'hourkeep: price_per_hour must be an amount in USD with at most 2 decimals\n',
    );
  });

  test('a booking is found, shown, cancelled and its payment refunded', async () => {
    const { id } = await book({ settlement_mode: 'platform_settled' });
    const range = `--status confirmed --from ${nextJune(1)} --to ${nextJune(1)}`.split(' ');
    const [found] = await json('booking', 'list', '--host', serving.demo.host.id, ...range);
    assert.equal(found.id, id);
    assert.deepEqual(await json('booking', 'show', id), { ...found, payments: [] });
    assert.match(await says('booking', 'list', '--limit', '3'), /^ID +DATE +HOURS +STATUS(.*\n){4}$/);
    await says('payment', 'confirm', id, '--reference', 'pi_1');

    const price = `${found.total_price} USD`;
    assert.equal(
      await says('booking', 'cancel', id, '--reason', 'double booked'),
      `Cancelled ${id}: ${nextJune(1)} 10:00 to 12:00 (${found.timezone}) is free again.\n` +
        `The guest has paid ${price}: give it back, then run "hourkeep payment refund ${id}".\n`,
    );
    assert.equal(
      await refuses('booking', 'cancel', id, '--reason', 'x'),
      'hourkeep: The booking cannot be cancelled: it is already cancelled\n',
    );
    const refunded = await json('payment', 'refund', id, '--reference', 're_1');
    assert.deepEqual(
      [refunded.payment_status, refunded.refund_reference, refunded.already_refunded],
      ['refunded', 're_1', false],
    );
    assert.equal(await says('payment', 'refund', id), `Already refunded: ${price} for booking ${id}.\n`);
    const shown = await says('booking', 'show', id);
    assert.match(shown, /^Payment status +refunded$/m);
    assert.match(shown, /^Cancellation reason +double booked$/m);
    const detail = await call('GET', `/api-booking-detail/api/v1/bookings/${id}`);
    assert.equal(detail.body.data.booking.payment_status, 'refunded');
  });
});
