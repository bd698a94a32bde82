import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { onBothEngines } from '../../../test/support/engines.ts';
import { useWorld, type Answer } from '../../../test/support/world.ts';

const CREATE = '/api-create-booking/api/v1/bookings';

onBothEngines('a request body', (engine) => {
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
  const freeHour = () => ({ ...booking(), date: '2027-06-02' });
  const guests = async (date = '2027-06-02', hour = 9): Promise<string[]> => {
    const rows = await world.rows<{ guest_name: string }>(
      'select guest_name from bookings where date = $1 and start_hour = $2',
      [date, hour],
    );
    return rows.map((row) => row.guest_name);
  };
  const fields = (answer: Answer) => {
    assert.equal(answer.status, 422);
    assert.equal(answer.body.error.code, 'VALIDATION_ERROR');
    return answer.body.error.details as { field: string; message: string }[];
  };

  test('over 256 KiB is 413', async () => {
    const answer = await world.call('POST', CREATE, {
      key,
      body: { ...booking(), guest_name: 'x'.repeat(256 * 1024) },
    });
    assert.equal(answer.status, 413);
    assert.equal(answer.body.error.code, 'PAYLOAD_TOO_LARGE');
  });

  test('that is not JSON by its type is 415', async () => {
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

  test('the type may declare the charset UTF-8, in any spelling', async () => {
    const types = ['application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'APPLICATION/JSON'];
    for (const [i, type] of types.entries()) {
      const body = { ...booking(), start_hour: 16 + i, end_hour: 17 + i };
      const answer = await world.call('POST', CREATE, { key, body, headers: { 'content-type': type } });
      assert.equal(answer.status, 200, type);
    }
  });

  test('another declared charset is 415, and nothing is stored', async () => {
    for (const charset of ['iso-8859-1', 'utf-16', 'us-ascii', '"windows-1252"', 'nonsense']) {
      const headers = { 'content-type': `application/json; charset=${charset}` };
      const answer = await world.call('POST', CREATE, { key, body: freeHour(), headers });
      assert.equal(answer.status, 415, charset);
      assert.equal(answer.body.error.code, 'UNSUPPORTED_MEDIA_TYPE');
      assert.match(answer.body.error.message, /UTF-8/);
    }
    assert.deepEqual(await guests(), []);
  });

  test('a Content-Encoding other than identity is 415, and nothing is stored', async () => {
    const text = JSON.stringify(freeHour());
    const bodies: [string, string | Buffer][] = [
      ['gzip', gzipSync(text)],
      ['deflate', text],
      ['br', text],
      ['identity, gzip', text],
    ];
    for (const [encoding, body] of bodies) {
      const headers = { 'content-encoding': encoding };
      const answer = await world.call('POST', CREATE, { key, body, headers });
      assert.equal(answer.status, 415, encoding);
      assert.equal(answer.body.error.code, 'UNSUPPORTED_MEDIA_TYPE');
      assert.match(answer.body.error.message, /Content-Encoding/);
    }
    assert.deepEqual(await guests(), []);
    const plain = { 'content-encoding': 'Identity' };
    assert.equal((await world.call('POST', CREATE, { key, body: text, headers: plain })).status, 200);
  });

  test('bytes that are not UTF-8 are 422, and nothing is stored', async () => {
    const text = JSON.stringify({ ...freeHour(), start_hour: 3, end_hour: 4, guest_name: 'Café' });
    const cut = Buffer.from(text);
    const broken: [string, Buffer][] = [
      ['Latin-1', Buffer.from(text, 'latin1')],
      ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le')],
      ['half a character', Buffer.concat([cut.subarray(0, cut.indexOf('é') + 1), Buffer.from('"}')])],
      ['a surrogate in three bytes', Buffer.from(text.replace('é', '\xed\xa0\x80'), 'latin1')],
      ['a slash in two bytes', Buffer.from(text.replace('é', '\xc0\xaf'), 'latin1')],
    ];
    for (const [what, body] of broken) {
      const answer = await world.call('POST', CREATE, { key, body });
      assert.deepEqual(fields(answer), [{ field: 'body', message: 'must be UTF-8' }], what);
    }
    assert.deepEqual(await guests('2027-06-02', 3), []);
    assert.equal((await world.call('POST', CREATE, { key, body: text })).status, 200);
    assert.deepEqual(await guests('2027-06-02', 3), ['Café']);
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
});
