import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { calendarOf } from '../../test/support/busy-hours.ts';
import { useCalendars } from '../../test/support/calendars.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import * as calendars from './calendars.ts';

const GOOD = calendarOf(['UID:1', 'DTSTART:20270401T100000', 'DTEND:20270401T120000']);
const EMPTY = calendarOf();

onBothEngines('polling a calendar', (engine) => {
  const { world, server, subscribed, listed, hoursOf, pollAfter, imported } = useCalendars(engine);

  /** Minutes from now to the next poll. */
  async function wait(id: string): Promise<number> {
    return (Date.parse((await listed(id)).next_poll_at) - world.clock.now()) / 60_000;
  }

  test('a new calendar is due at once and then every 15 minutes', async () => {
    server.serve(GOOD);
    const id = await subscribed();
    assert.equal((await listed(id)).status, 'waiting');
    await calendars.pollDue(world.ctx);
    await calendars.pollDue(world.ctx);
    await pollAfter(14);
    assert.equal(server.requests.length, 1);
    await pollAfter(1);
    assert.equal(server.requests.length, 2);
    const { status, busy_hours, last_error, failures } = await listed(id);
    assert.deepEqual([status, busy_hours, last_error, failures], ['ok', 2, null, 0]);
  });

  test('what is known is sent along, and an unchanged calendar is left alone', async () => {
    server.serve(GOOD, { etag: '"v1"', 'last-modified': 'Mon, 01 Mar 2027 10:00:00 GMT' });
    const id = await subscribed();
    await calendars.pollDue(world.ctx);
    assert.equal(server.requests[0]?.headers['if-none-match'], undefined);
    server.answer(304);
    await pollAfter(15);
    assert.equal(server.requests[1]?.headers['if-none-match'], '"v1"');
    assert.equal(server.requests[1]?.headers['if-modified-since'], 'Mon, 01 Mar 2027 10:00:00 GMT');
    assert.equal((await hoursOf(id)).length, 2);
    const { status, last_success_at } = await listed(id);
    assert.deepEqual([status, last_success_at], ['ok', new Date(world.clock.now()).toISOString()]);
    await pollAfter(15);
    assert.equal(server.requests[2]?.headers['if-none-match'], '"v1"', 'it is still known after that');
  });

  test('a new day is imported in full, since the window has moved', async () => {
    server.serve(calendarOf(['UID:1', 'DTSTART:20270301T100000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY']), {
      etag: '"v1"',
    });
    const id = await subscribed();
    await calendars.pollDue(world.ctx);
    await pollAfter(24 * 60);
    assert.equal(server.requests[1]?.headers['if-none-match'], undefined);
    const horizon = new Date(world.clock.now() + 400 * 86_400_000).toISOString().slice(0, 10);
    assert.equal((await hoursOf(id)).at(-1), `${horizon} 10`);
  });

  const TROUBLE: readonly [what: string, break_: () => void, error: RegExp][] = [
    ['a missing calendar', () => server.answer(404, GOOD), /^the server returned status 404$/],
    [
      'a page instead of a calendar',
      () => server.serve('<html>Log in</html>'),
      /^the response is not an iCal/,
    ],
    ['a calendar that was cut off', () => server.serve(GOOD.slice(0, -20)), /^the calendar/],
    ['a connection that was cut off', () => server.handle(cutOff), /^the connection broke off$/],
    ['a calendar over 5 MB', () => server.serve(GOOD + ' '.repeat(5 * 1024 * 1024)), /larger than 5 MB$/],
    ['redirects without end', () => server.answer(302, '', { location: '/again' }), /redirects too often$/],
    [
      'a redirect into the operator’s network',
      () => server.answer(302, '', { location: 'http://169.254.169.254/latest/meta-data' }),
      /^the URL must be an https URL$/,
    ],
    [
      'a redirect to a file',
      () => server.answer(302, '', { location: 'file:///etc/passwd' }),
      /^the server redirects to what is no https address$/,
    ],
    [
      'a redirect to a webcal address, which is read as https,',
      () => server.answer(302, '', { location: 'webcal://10.0.0.1/calendar.ics' }),
      /^the URL must lead to a public address$/,
    ],
  ];
  for (const [what, break_, error] of TROUBLE) {
    test(`${what} keeps the last good hours and shows in the list`, async () => {
      const id = await imported(GOOD);
      const good = await listed(id);
      break_();
      await pollAfter(15);
      assert.equal((await hoursOf(id)).length, 2);
      const now = await listed(id);
      assert.match(now.last_error ?? '', error);
      assert.doesNotMatch(now.last_error ?? '', /secret-token|127\.0\.0\.1/);
      assert.deepEqual(
        [now.status, now.failures, now.last_success_at, now.busy_hours],
        ['failing', 1, good.last_success_at, 2],
      );
    });
  }

  test('Retry-After can only lengthen the wait', async () => {
    const id = await imported(GOOD);
    server.answer(429, '', { 'retry-after': '7200' });
    await pollAfter(15);
    assert.equal(await wait(id), 120);
    server.answer(503, '', { 'retry-after': '1' });
    await pollAfter(120);
    assert.equal(await wait(id), 30);
  });

  test('redirects are followed', async () => {
    server.handle((request, response) => {
      if (request.url?.endsWith('calendar.ics'))
        response.writeHead(301, { location: '/moved?to=here' }).end();
      else response.writeHead(200).end(GOOD);
    });
    const id = await subscribed();
    await calendars.pollDue(world.ctx);
    assert.equal((await hoursOf(id)).length, 2);
    assert.deepEqual(
      server.requests.map((request) => request.url),
      ['/secret-token/calendar.ics', '/moved?to=here'],
    );
  });

  test('the log tells trouble when it starts and when it ends, and never the address', async () => {
    const id = await imported(GOOD);
    server.answer(404);
    for (let failure = 0; failure < 4; failure++) await pollAfter(await wait(id));
    server.serve(GOOD);
    await pollAfter(await wait(id));
    const lines = world.logLines(id).map((line) => JSON.parse(line));
    const error = { type: 'calendar_problem', message: 'the server returned status 404' };
    assert.deepEqual(
      lines.map((line) => [line.level, line.message, line.error]),
      [
        ['info', 'calendar imported', undefined],
        ['warn', 'calendar has a problem', error],
        ['info', 'calendar is fine again', undefined],
      ],
    );
    assert.equal(lines[1]?.server, new URL(server.url).host);
    assert.doesNotMatch(world.logText(), /secret-token/);
  });

  test('a suddenly empty calendar is believed after three scheduled polls over an hour', async () => {
    const id = await imported(GOOD);
    server.serve(EMPTY, { etag: '"empty"' });
    for (const minutes of [15, 15, 15, 15]) {
      await pollAfter(minutes);
      assert.equal((await hoursOf(id)).length, 2);
      const { status, last_error, failures } = await listed(id);
      assert.equal(status, 'warning');
      assert.match(last_error ?? '', /^the calendar is suddenly empty; its hours stay/);
      assert.equal(failures, 0);
    }
    assert.equal(server.requests.at(-1)?.headers['if-none-match'], undefined, 'it must say so in full');
    await pollAfter(15);
    assert.equal((await hoursOf(id)).length, 0);
    assert.equal((await listed(id)).status, 'ok');
  });

  test('a calendar whose events were cancelled one by one is not suddenly empty', async () => {
    const id = await imported(GOOD);
    server.serve(calendarOf(['UID:1', 'DTSTART:20270401T100000', 'DURATION:PT2H', 'STATUS:CANCELLED']));
    await pollAfter(15);
    assert.deepEqual([(await listed(id)).status, await hoursOf(id)], ['ok', []]);
    assert.equal((await listed(await imported(EMPTY))).status, 'ok', 'nor is one that had no hours ahead');
  });
});

function cutOff(_request: unknown, response: ServerResponse): void {
  response.writeHead(200, { 'content-length': GOOD.length });
  response.write(GOOD.slice(0, 100), () => response.destroy());
}
