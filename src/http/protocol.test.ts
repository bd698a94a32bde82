import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { before, test } from 'node:test';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld, type Answer } from '../../test/support/world.ts';

const SPACES = '/api-listings/api/v1/spaces';
const CREATE = '/api-create-booking/api/v1/bookings';

onBothEngines('every response', (engine) => {
  const world = useWorld(engine);
  let key: string;
  let spaceId: string;
  before(async () => {
    const hostId = await world.addHost();
    key = (await world.addKey(hostId)).key;
    spaceId = await world.addSpace(hostId);
  });
  const booking = () => ({
    space_id: spaceId,
    date: '2027-06-01',
    start_hour: 9,
    end_hour: 10,
    guest_email: 'a@example.com',
    guest_name: 'A',
  });
  const fields = (answer: Answer) => {
    assert.equal(answer.status, 422);
    assert.equal(answer.body.error.code, 'VALIDATION_ERROR');
    return answer.body.error.details as { field: string; message: string }[];
  };

  test('carries a request id: the caller’s when it is well formed, else a new one', async () => {
    const given = await world.call('GET', SPACES, { key, headers: { 'x-request-id': 'My_trace-42' } });
    assert.equal(given.headers.get('x-request-id'), 'My_trace-42');
    for (const bad of ['has space', 'a'.repeat(129), 'semi;colon']) {
      const answer = await world.call('GET', SPACES, { key, headers: { 'x-request-id': bad } });
      assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
    }
  });

  test('an error has exactly the envelope', async () => {
    const answer = await world.call('GET', `${SPACES}/${'0'.repeat(8)}-0000-7000-8000-000000000000`, {
      key,
      headers: { 'x-request-id': 'r1' },
    });
    assert.equal(answer.status, 404);
    assert.deepEqual(answer.body, {
      success: false,
      error: { code: 'NOT_FOUND', message: 'Not found: no such space', http_status: 404, request_id: 'r1' },
    });
  });

  test('an unknown path is 404, with and without a key', async () => {
    for (const path of ['/nope', '/', '/api-listings/api/v2/spaces', '/%zz', `/${'a'.repeat(5000)}`]) {
      const answer = await world.call('GET', path);
      assert.equal(answer.status, 404, path);
      assert.equal(answer.body.error.code, 'NOT_FOUND');
      assert.equal(answer.headers.get('x-request-id'), answer.body.error.request_id);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
    }
  });

  test('an unknown path is 404 whatever the body is', async () => {
    const bodies = ['{', 'x'.repeat(300 * 1024)];
    for (const body of bodies) assert.equal((await world.call('POST', '/api-nope', { body })).status, 404);
    const headers = { 'content-type': 'text/plain' };
    assert.equal((await world.call('POST', '/api-nope', { body: 'x', headers })).status, 404);
  });

  test('a method that a path does not have is 405 with Allow, before key and body', async () => {
    const cases: [string, string, string][] = [
      ['POST', SPACES, 'GET, HEAD'],
      ['DELETE', SPACES, 'GET, HEAD'],
      ['GET', CREATE, 'POST'],
      ['PUT', CREATE, 'POST'],
      ['OPTIONS', '/api-openapi', 'GET, HEAD'],
      ['PROPFIND', '/api-openapi', 'GET, HEAD'],
      ['QUERY', CREATE, 'POST'],
    ];
    for (const [method, path, allow] of cases) {
      const answer = await world.call(
        method,
        path,
        method === 'GET' || method === 'HEAD' ? {} : { body: 'not json' },
      );
      assert.equal(answer.status, 405, `${method} ${path}`);
      assert.equal(answer.body.error.code, 'METHOD_NOT_ALLOWED');
      assert.equal(answer.headers.get('allow'), allow);
    }
  });

  test('HEAD answers like GET without the body', async () => {
    const get = await world.call('GET', SPACES, { key });
    const head = await world.call('HEAD', SPACES, { key });
    assert.equal(head.status, 200);
    assert.equal(head.headers.get('content-length'), get.headers.get('content-length'));
    assert.equal(head.body, '');
  });

  test('a trailing slash names the same thing', async () => {
    assert.equal((await world.call('GET', `${SPACES}/`, { key })).status, 200);
    assert.equal((await world.call('GET', `${SPACES}/${spaceId}/`, { key })).status, 200);
  });

  test('an id in a path may be written in capitals; a malformed one is 404', async () => {
    const answer = await world.call('GET', `${SPACES}/${spaceId.toUpperCase()}`, { key });
    assert.equal(answer.body.data.space.id, spaceId);
    for (const id of ['nonsense', '%00', `${spaceId}x`, '..%2f', encodeURIComponent("' or 1=1 --")]) {
      assert.equal((await world.call('GET', `${SPACES}/${id}`, { key })).status, 404, id);
    }
  });

  test('a body over 256 KiB is 413', async () => {
    const answer = await world.call('POST', CREATE, {
      key,
      body: { ...booking(), guest_name: 'x'.repeat(256 * 1024) },
    });
    assert.equal(answer.status, 413);
    assert.equal(answer.body.error.code, 'PAYLOAD_TOO_LARGE');
  });

  test('a body that is not JSON by its type is 415', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'nonsense']) {
      const answer = await world.call('POST', CREATE, {
        key,
        body: JSON.stringify(booking()),
        headers: { 'content-type': type },
      });
      assert.equal(answer.status, 415, type);
      assert.equal(answer.body.error.code, 'UNSUPPORTED_MEDIA_TYPE');
    }
  });

  test('the type may carry a charset', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    assert.equal((await world.call('POST', CREATE, { key, body: booking(), headers })).status, 200);
  });

  test('JSON that does not parse, and no body at all, are 422', async () => {
    for (const body of ['{', '{"a":1,}', 'null', '[]', '"text"', '5', '', '   ', '{"__proto__": {"x": 1}}']) {
      const answer = await world.call('POST', CREATE, {
        key,
        body,
        headers: { 'content-type': 'application/json' },
      });
      fields(answer);
    }
    fields(await world.call('POST', CREATE, { key }));
  });

  test('nothing is coerced', async () => {
    const wrong = { ...booking(), start_hour: '9', end_hour: 10.5, guest_name: 7, date: 20270601 };
    assert.deepEqual(
      fields(await world.call('POST', CREATE, { key, body: wrong })).sort((a, b) =>
        a.field.localeCompare(b.field),
      ),
      [
        { field: 'date', message: 'must be a string' },
        { field: 'end_hour', message: 'must be a whole number' },
        { field: 'guest_name', message: 'must be a string' },
        { field: 'start_hour', message: 'must be a whole number' },
      ],
    );
  });

  test('an unknown body field is refused and named', async () => {
    const answer = await world.call('POST', CREATE, { key, body: { ...booking(), prise: 5 } });
    assert.deepEqual(fields(answer), [{ field: 'prise', message: 'is not a known field' }]);
  });

  test('missing fields are all named at once', async () => {
    const named = fields(await world.call('POST', CREATE, { key, body: {} })).map(({ field }) => field);
    assert.deepEqual(named.sort(), [
      'date',
      'end_hour',
      'guest_email',
      'guest_name',
      'space_id',
      'start_hour',
    ]);
  });

  test('an answer to a hostile body is smaller than the body', async () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`field-${i}`, i]));
    assert.equal(fields(await world.call('POST', CREATE, { key, body: many })).length, 50);
    const name = '🎉'.repeat(10_000);
    const answer = await world.call('POST', CREATE, { key, body: { ...booking(), [name]: 1 } });
    assert.equal(fields(answer)[0]?.field, `${'🎉'.repeat(99)}\ufffd…`);
  });

  test('an impossible date is refused', async () => {
    for (const date of [
      '2027-02-29',
      '2027-13-01',
      '2027-1-1',
      '2027-06-31',
      'tomorrow',
      '',
      '2027-06-01T00:00:00Z',
      '+02027-06-01',
    ]) {
      const answer = await world.call(
        'GET',
        `/api-availability/api/v1/spaces/${spaceId}/availability?date=${encodeURIComponent(date)}`,
        { key },
      );
      assert.deepEqual(
        fields(answer).map(({ field }) => field),
        ['date'],
        date,
      );
    }
  });

  test('a known query parameter given twice is 422; unknown ones are ignored', async () => {
    const path = `/api-availability/api/v1/spaces/${spaceId}/availability`;
    fields(await world.call('GET', `${path}?date=2027-06-01&date=2027-06-02`, { key }));
    fields(await world.call('GET', path, { key }));
    assert.equal(
      (await world.call('GET', `${path}?date=2027-06-01&colour=red&colour=blue`, { key })).status,
      200,
    );
  });

  test('numbers in a query are plain digits', async () => {
    for (const limit of ['1e1', '0x10', '1.0', '', ' 5', '5;', 'ten', '99999999999999999999']) {
      fields(
        await world.call('GET', `/api-bookings/api/v1/bookings?limit=${encodeURIComponent(limit)}`, { key }),
      );
    }
    assert.equal((await world.call('GET', '/api-bookings/api/v1/bookings?limit=10', { key })).status, 200);
  });

  test('text that cannot be stored is refused, not mangled', async () => {
    for (const text of ['a\\u0000b', '\\ud800']) {
      const body = JSON.stringify(booking()).replace('"A"', `"${text}"`);
      fields(await world.call('POST', CREATE, { key, body }));
    }
    const emoji = await world.call('POST', CREATE, {
      key,
      body: { ...booking(), start_hour: 14, end_hour: 15, guest_name: '한강 🎉' },
    });
    assert.equal(emoji.body.data.booking.guest_name, '한강 🎉');
  });

  test('a field called like a prototype method is just an unknown field', async () => {
    const body = JSON.stringify(booking()).replace('}', ',"toString":1,"hasOwnProperty":2}');
    assert.deepEqual(
      fields(await world.call('POST', CREATE, { key, body })).map(({ field }) => field),
      ['toString', 'hasOwnProperty'],
    );
  });

  test('bytes that are not HTTP get the envelope and a closed connection', async () => {
    const { port } = new URL(world.url);
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.end('NONSENSE\r\n\r\n'));
      let received = '';
      socket.on('data', (chunk) => (received += String(chunk)));
      socket.on('close', () => resolve(received)).on('error', reject);
    });
    assert.match(text, /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.match(text, /X-Request-Id: [0-9a-f-]{36}\r\n/);
    assert.equal(JSON.parse(text.split('\r\n\r\n')[1]!).error.code, 'VALIDATION_ERROR');
  });

  test('an expectation that nobody knows is left aside', async () => {
    const { port } = new URL(world.url);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}`, expect: 'the unexpected' };
      httpRequest({ host: '127.0.0.1', port, path: SPACES, headers }, (response) => {
        assert.match(String(response.headers['x-request-id']), /^[0-9a-f-]{36}$/);
        resolve(response.resume().statusCode);
      })
        .on('error', reject)
        .end();
    });
    assert.equal(status, 200);
  });

  test('headers beyond what a server takes are 431 with the envelope', async () => {
    const { port } = new URL(world.url);
    const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const sent = httpRequest(
        { host: '127.0.0.1', port, path: SPACES, headers: { 'x-big': 'x'.repeat(40_000) } },
        (response) => {
          let text = '';
          response
            .on('data', (chunk) => (text += String(chunk)))
            .on('end', () => resolve({ status: response.statusCode, text }));
        },
      );
      sent.on('error', reject).end();
    });
    assert.equal(answer.status, 431);
    assert.equal(JSON.parse(answer.text).success, false);
  });
});

onBothEngines('a base path', (engine) => {
  const world = useWorld(engine, { BASE_PATH: '/hourkeep/v', PUBLIC_URL: 'https://api.example.com' });

  test('stands in front of everything, and in the document’s server address', async () => {
    assert.equal((await world.call('GET', '/healthz')).status, 200);
    assert.equal((await world.call('GET', SPACES)).status, 401);
    const document = (await world.call('GET', '/api-openapi')).body;
    assert.equal(document.servers[0].url, 'https://api.example.com/hourkeep/v');
    assert.ok(document.paths[SPACES]);
    assert.equal((await fetch(`${new URL(world.url).origin}/healthz`)).status, 404);
  });
});
