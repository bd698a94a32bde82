import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { bookingBody, CREATE } from '../support/booking.ts';
import { nextJune } from '../support/clock.ts';
import { useServing } from '../support/command-line.ts';
import { onOneEngine } from '../support/engines.ts';
import { findProgram, startNginx, type Nginx } from '../support/nginx.ts';
import { notTested } from '../support/own-server.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { WEBHOOKS } from '../support/webhooks.ts';

// The five commands of docs/operations.md, on one booking behind the shipped nginx.

const REQUEST = 'trail-of-one-booking';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

onOneEngine('one booking behind nginx', (engine) => {
  const program = findProgram('nginx');
  if (program === undefined) return notTested('one booking behind nginx: nginx is not installed');
  const serving = useServing(engine);
  const { folder, json } = serving;
  let nginx: Nginx;
  let receiver: Receiver;
  let bookingId: string;
  let webhookId: string;

  before(async () => {
    receiver = await startReceiver();
    nginx = await startNginx(program, folder.path, [new URL(serving.service.url).host]);
    const subscription = { url: receiver.url, events: ['booking.created'] };
    const subscribed = await serving.call('POST', WEBHOOKS, { body: subscription });
    webhookId = subscribed.body.data.webhook.id;
    const answer = await nginx.ask(CREATE, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${serving.demo.keys.production}`,
        'x-request-id': REQUEST,
        traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
      },
      body: bookingBody(serving.demo.spaces[0]!.id, { date: nextJune(1) }),
    });
    assert.deepEqual([answer.status, answer.headers['x-request-id']], [200, REQUEST], answer.body);
    bookingId = (JSON.parse(answer.body) as { data: { booking: { id: string } } }).data.booking.id;
    await until(() => receiver.received.length > 0);
  });
  after(async () => {
    await nginx.end();
    await receiver.close();
  });

  test('is in the log of nginx, and in that of the service with its trace', async () => {
    const logs = (): string =>
      readdirSync(folder.path)
        .filter((name) => name.includes('access'))
        .map((name) => readFileSync(join(folder.path, name), 'utf8'))
        .join('');
    await until(() => logs().includes(REQUEST));
    assert.match(logs(), new RegExp(`"POST ${CREATE}" 200 .* ${REQUEST}`));
    const line = (): string | undefined =>
      serving.service.output.stdout.split('\n').find((each) => each.includes(`"request_id":"${REQUEST}"`));
    await until(() => line() !== undefined);
    const { trace_id, record_id } = JSON.parse(line()!) as Record<string, string>;
    assert.deepEqual([trace_id, record_id], [TRACE, bookingId]);
  });

  test('leads by the audit trail and the deliveries to the event, and what came back', async () => {
    const entries = await json<{ action: string; subject: string }[]>('audit', 'list', '--request', REQUEST);
    assert.deepEqual(
      entries.map(({ action, subject }) => [action, subject]),
      [['booking.created', bookingId]],
    );
    type Delivery = { event_id: string; status: string; booking_id: string; request_id: string };
    const deliveries = () => json<Delivery[]>('webhook', 'deliveries', webhookId);
    // The receiver has it a moment before the worker notes its answer.
    await until(async () => (await deliveries())[0]?.status === 'delivered');
    const [delivery] = await deliveries();
    assert.deepEqual([delivery?.booking_id, delivery?.request_id], [bookingId, REQUEST]);
    const event = await json<{ request_id: string; deliveries: object[] }>(
      'event',
      'show',
      delivery!.event_id,
    );
    assert.deepEqual([event.request_id, event.deliveries.length], [REQUEST, 1]);
  });

  test('has reached the receiver with the id and the trace', () => {
    const [{ body, headers }] = receiver.received as [Receiver['received'][number]];
    assert.equal(body.request_id, REQUEST);
    assert.equal(headers['traceparent'], `00-${TRACE}-00f067aa0ba902b7-01`);
  });
});
