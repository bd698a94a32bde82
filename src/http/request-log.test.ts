import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { bookingBody, CREATE, openDesk, type Desk } from '../../test/support/booking.ts';
import { onOneEngine } from '../../test/support/engines.ts';
import { until } from '../../test/support/until.ts';
import { WEBHOOKS } from '../../test/support/webhooks.ts';
import { useWorld } from '../../test/support/world.ts';

onOneEngine('the log line of a request', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  let keyId: string;
  before(async () => {
    desk = await openDesk(world);
    keyId = (await world.row<{ id: string }>('select id from api_keys where host_id = $1', [desk.hostId])).id;
  });

  let requests = 0;
  /** Sends a request and answers with the answer's data and the line. */
  async function logged(method: string, path: string, body?: unknown, more: Record<string, string> = {}) {
    const id = `logged-${++requests}`;
    const headers = { 'x-request-id': id, ...more };
    const answer = await world.call(method, path, { key: desk.key, body, headers });
    const find = () => new RegExp(`^.*"request_id":"${id}".*$`, 'm').exec(world.logText())?.[0];
    await until(() => find() !== undefined);
    return { data: answer.body?.data, line: JSON.parse(find()!) as Record<string, unknown> };
  }

  test('has these fields and no others', async () => {
    const path = `/api-listings/api/v1/spaces/${desk.spaceId}`;
    const { line } = await logged('GET', path);
    const { time, duration_ms, ...rest } = line;
    assert.deepEqual([typeof time, typeof duration_ms], ['string', 'number']);
    assert.deepEqual(rest, {
      level: 'info',
      request_id: `logged-${requests}`,
      method: 'GET',
      route: '/api-listings/api/v1/spaces/:space_id',
      status: 200,
      host_id: desk.hostId,
      key_id: keyId,
      record_id: desk.spaceId,
      message: 'request',
    });
  });

  test('has the trace that the caller sent', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01` };
    const { line } = await logged('GET', '/api-listings/api/v1/spaces', undefined, headers);
    assert.equal(line['trace_id'], trace);
  });

  test('names the booking that was made', async () => {
    const { data, line } = await logged('POST', CREATE, bookingBody(desk.spaceId));
    assert.deepEqual([line['key_id'], line['record_id']], [keyId, data.booking.id]);
  });

  test('names the booking, space or subscription in the path, in lower case', async () => {
    const { id } = await desk.made({ start_hour: 13, end_hour: 14 });
    const shown = await logged('GET', `/api-booking-detail/api/v1/bookings/${id.toUpperCase()}`);
    assert.equal(shown.line['record_id'], id);
    const range = { date: '2027-06-02', start_hour: 10, end_hour: 12 };
    const blocked = await logged('POST', `/api-blocks/api/v1/spaces/${desk.spaceId}/blocks`, range);
    assert.equal(blocked.line['record_id'], desk.spaceId);
    const made = await logged('POST', WEBHOOKS, { url: 'http://127.0.0.1:9/', events: ['booking.created'] });
    assert.equal(made.line['record_id'], made.data.webhook.id);
    const deleted = await logged('DELETE', `${WEBHOOKS}/${made.data.webhook.id}`);
    assert.equal(deleted.line['record_id'], made.data.webhook.id);
  });

  test('leaves out what stands in the place of an id and is none', async () => {
    const { line } = await logged('GET', '/api-listings/api/v1/spaces/ada@example.com');
    assert.deepEqual([line['status'], 'record_id' in line], [404, false]);
    assert.ok(!world.logText().includes('ada@example.com'));
  });
});
