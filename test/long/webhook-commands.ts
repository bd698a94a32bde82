import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TracedDelivery } from '../../src/webhooks/for-operators.ts';
import type { Webhook } from '../../src/webhooks/schemas.ts';
import { bookingBody, CREATE } from '../support/booking.ts';
import { useCalendarServer } from '../support/calendar-server.ts';
import { nextJune } from '../support/clock.ts';
import { useServing } from '../support/command-line.ts';
import { onOneEngine } from '../support/engines.ts';
import { startProcess } from '../support/process.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { WEBHOOKS } from '../support/webhooks.ts';

const NOBODY = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';

onOneEngine('hourkeep webhook, beside a running service', (engine) => {
  const calendarServer = useCalendarServer();
  const serving = useServing(engine);
  let receiver: Receiver;
  let webhook: Webhook;

  before(async () => {
    receiver = await startReceiver();
    const body = { url: receiver.url, events: ['listing.updated'] };
    webhook = (await call('POST', WEBHOOKS, body)).body.data.webhook;
  });

  after(() => receiver.close());

  const call = (method: string, path: string, body?: object) =>
    serving.call(method, path, { key: serving.demo.keys.sandbox, body });
  const sandboxSpace = () => serving.demo.spaces.find(({ environment }) => environment === 'sandbox')!;
  let titles = 0;
  const changeTitle = () =>
    call('PATCH', `/api-listing-update/api/v1/spaces/${sandboxSpace().id}`, { title: `Title ${++titles}` });
  const run = (...args: string[]) => serving.run('webhook', ...args);
  const json = <T>(...args: string[]) => serving.json<T>('webhook', ...args);
  const shown = async (): Promise<Webhook> => (await call('GET', WEBHOOKS)).body.data.webhooks[0]!;

  test('tells why a delivery does not arrive, and sends it again once the receiver is repaired', async () => {
    receiver.answer = () => ({ status: 503, headers: { 'retry-after': '3600' } });
    await changeTitle();
    await until(async () => (await shown()).recent_deliveries[0]?.attempts === 1);
    const { recent_deliveries } = await shown();
    const [failing] = await json<{ id: string; pending: number }[]>('list', '--failing');
    assert.deepEqual([failing?.id, failing?.pending], [webhook.id, 1]);
    const pending = await json<TracedDelivery[]>('deliveries', webhook.id, '--status', 'pending');
    assert.deepEqual(
      pending.map(({ event_id }) => event_id),
      recent_deliveries.map(({ event_id }) => event_id),
    );
    const [delivery] = recent_deliveries;
    const [heading, row] = (await run('deliveries', webhook.id)).stdout.split('\n');
    assert.match(
      heading!,
      /^EVENT ID +TYPE +STATUS +ATTEMPTS +LAST ATTEMPT +WHAT CAME BACK +NEXT ATTEMPT +BOOKING ID +REQUEST ID$/,
    );
    assert.deepEqual(row!.split(/ {2,}/).slice(0, 7), [
      delivery!.event_id,
      'listing.updated',
      'pending',
      '1',
      delivery!.last_attempt_at,
      'returned 503',
      delivery!.next_attempt_at,
    ]);

    receiver.answer = () => ({ status: 204 });
    const resend = ['resend', webhook.id, '--event', delivery!.event_id];
    assert.equal((await run(...resend, '--dry-run')).stdout, '1 delivery would be sent again.\n');
    assert.deepEqual(await json(...resend), { queued: 1 });
    await until(async () => (await shown()).recent_deliveries[0]?.status === 'delivered');
    assert.deepEqual(await json('list', '--failing'), []);
    assert.deepEqual(
      receiver.received.map(({ body }) => body.id),
      [delivery!.event_id, delivery!.event_id],
    );
  });

  test('disables a subscription, and enables it again', async () => {
    await run('disable', webhook.id, '--reason', 'floods its own server');
    assert.match(
      (await run('list', '--disabled')).stdout,
      new RegExp(`${webhook.id} .* sandbox +off: operator +0 +0 `),
    );
    const refusal = await serving.refuses('webhook', 'resend', webhook.id, '--failed');
    assert.match(refusal, /^hourkeep: webhook \S+ is not active, so nothing can be sent; .*\n$/);
    const enabled = `Enabled ${webhook.id}. 0 deliveries go out now.\n`;
    assert.equal((await run('enable', webhook.id)).stdout, enabled);
    assert.equal((await run('list', '--disabled')).stdout, 'There are no webhooks.\n');
    await changeTitle();
    await until(() => receiver.received.length === 3);
  });

  test('refuses what names nothing with exit code 1 and one line', async () => {
    for (const args of [
      ['deliveries', NOBODY],
      ['resend', NOBODY, '--failed'],
      ['disable', NOBODY, '--reason', 'x'],
      ['enable', NOBODY],
    ])
      assert.equal(await serving.refuses('webhook', ...args), `hourkeep: there is no webhook ${NOBODY}\n`);
  });

  test('DELIVERIES=off sends nothing and reads no calendar, says so, and does all else; then on sends it', async () => {
    await until(async () => (await shown()).recent_deliveries[0]?.last_attempt_at !== null);
    await serving.service.end();
    serving.service = await startProcess('serve', { ...serving.settings, DELIVERIES: 'off' });
    assert.deepEqual(await (await fetch(`${serving.service.url}/readyz`)).json(), {
      status: 'ready',
      deliveries: 'off',
    });
    const said = serving.service.output.stdout.split('\n').filter((line) => line.includes('DELIVERIES=off'));
    assert.equal(said.length, 1);
    calendarServer.serveEvents(`10:00-12:00 on ${nextJune(3)}`);
    const added = ['calendar', 'add', '--space', sandboxSpace().id, '--url', calendarServer.url];
    assert.equal((await serving.run(...added)).code, 0);
    await changeTitle();
    const guest = { date: nextJune(4), guest_email: 'complete@sandbox.test' };
    const booked = await call('POST', CREATE, bookingBody(sandboxSpace().id, guest));
    const path = `/api-booking-detail/api/v1/bookings/${booked.body.data.booking.id}`;
    // The worker does this every two seconds: longer than it waits to look for deliveries.
    await until(async () => (await call('GET', path)).body.data.booking.status === 'completed');
    const { attempts, status } = (await shown()).recent_deliveries[0]!;
    assert.deepEqual([receiver.received.length, attempts, status], [3, 0, 'pending']);
    await serving.service.end();
    assert.equal(calendarServer.requests.length, 0);

    serving.service = await startProcess('serve', serving.settings);
    assert.deepEqual(await (await fetch(`${serving.service.url}/readyz`)).json(), { status: 'ready' });
    await until(() => receiver.received.length === 4 && calendarServer.requests.length > 0);
  });
});
