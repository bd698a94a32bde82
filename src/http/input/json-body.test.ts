import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { refused } from '../../../test/support/answer.ts';
import { bookingBody, CREATE, openDesk, type Desk } from '../../../test/support/booking.ts';
import { onBothEngines } from '../../../test/support/engines.ts';
import { useWorld } from '../../../test/support/world.ts';

onBothEngines('a request body', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  before(async () => {
    desk = await openDesk(world);
  });
  const booking = (fields?: object) => bookingBody(desk.spaceId, { guest_name: 'Café', ...fields });
  const send = (body: unknown, headers: Record<string, string> = {}) =>
    world.call('POST', CREATE, { key: desk.key, body, headers });

  test('over 256 KiB is 413', async () => {
    refused(await send(booking({ guest_name: 'x'.repeat(256 * 1024) })), 413, 'PAYLOAD_TOO_LARGE');
  });

  for (const [name, values, message] of [
    [
      'content-type',
      ['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'nonsense'],
      /application\/json/,
    ],
    [
      'content-type',
      ['iso-8859-1', 'utf-16', 'us-ascii', '"windows-1252"', 'nonsense'].map(
        (charset) => `application/json; charset=${charset}`,
      ),
      /UTF-8/,
    ],
    ['content-encoding', ['gzip', 'deflate', 'br', 'identity, gzip'], /Content-Encoding/],
  ] as const)
    for (const value of values)
      test(`with the ${name} ${value} is 415, and nothing is stored`, async () => {
        const text = JSON.stringify(booking());
        const error = refused(
          await send(value === 'gzip' ? gzipSync(text) : text, { [name]: value }),
          415,
          'UNSUPPORTED_MEDIA_TYPE',
        );
        assert.match(error.message, message);
        assert.deepEqual(await desk.heldHours(), []);
      });

  test('whose bytes are not UTF-8 is 422, and nothing is stored', async () => {
    const text = JSON.stringify(booking());
    const latin = (bytes: string) => Buffer.from(text.replace('é', bytes), 'latin1');
    for (const [what, body] of [
      ['Latin-1', latin('é')],
      ['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le')],
      ['half a character', latin('\xc3')],
      ['a surrogate in three bytes', latin('\xed\xa0\x80')],
      ['a slash in two bytes', latin('\xc0\xaf')],
    ] as const) {
      const { details } = refused(await send(body), 422, 'VALIDATION_ERROR');
      assert.deepEqual(details, [{ field: 'body', message: 'must be UTF-8' }], what);
    }
    assert.deepEqual(await desk.heldHours(), []);
  });

  test('that does not parse, is no object or is not there is 422', async () => {
    for (const body of ['{', '{"a":1,}', 'null', '[]', '"text"', '5', '', '   ', '{"__proto__": {"x": 1}}'])
      refused(await send(body), 422, 'VALIDATION_ERROR');
    refused(await world.call('POST', CREATE, { key: desk.key }), 422, 'VALIDATION_ERROR');
  });

  test('is not coerced, and all that is wrong with it is named at once', async () => {
    const { guest_email: _, ...body } = booking({ start_hour: '9', end_hour: 10.5, guest_name: 7, prise: 5 });
    const { details } = refused(await send(body), 422, 'VALIDATION_ERROR');
    assert.deepEqual(details, [
      { field: 'guest_email', message: 'is required' },
      { field: 'prise', message: 'is not a known field' },
      { field: 'start_hour', message: 'must be a whole number' },
      { field: 'end_hour', message: 'must be a whole number' },
      { field: 'guest_name', message: 'must be a string' },
    ]);
  });

  test('has a field called like a method of every object as an unknown one', async () => {
    const body = JSON.stringify(booking()).replace('}', ',"toString":1,"hasOwnProperty":2}');
    const { details } = refused(await send(body), 422, 'VALIDATION_ERROR');
    assert.deepEqual(
      details.map(({ field }) => field),
      ['toString', 'hasOwnProperty'],
    );
  });

  test('that is hostile is larger than its response', async () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`field-${i}`, i]));
    assert.equal(refused(await send(many), 422, 'VALIDATION_ERROR').details.length, 50);
    const { details } = refused(await send(booking({ ['🎉'.repeat(10_000)]: 1 })), 422, 'VALIDATION_ERROR');
    assert.equal(details[0].field, `${'🎉'.repeat(99)}\ufffd…`);
  });

  test('with text that cannot be stored is rejected, not mangled', async () => {
    for (const text of ['a\\u0000b', '\\ud800'])
      refused(await send(JSON.stringify(booking()).replace('Café', text)), 422, 'VALIDATION_ERROR');
    assert.equal((await desk.made({ guest_name: '한강 🎉' })).guest_name, '한강 🎉');
  });

  for (const [i, [name, value]] of [
    ['content-type', 'application/json; charset=utf-8'],
    ['content-type', 'application/json;charset="UTF-8"'],
    ['content-type', 'APPLICATION/JSON'],
    ['content-encoding', 'Identity'],
  ].entries())
    test(`may have the ${name} ${value}`, async () => {
      const body = booking({ date: '2027-06-02', start_hour: i, end_hour: i + 1 });
      assert.equal((await send(JSON.stringify(body), { [name!]: value! })).status, 200);
    });
});
