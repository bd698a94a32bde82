import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openDesk } from '../../../test/support/booking.ts';
import { contractOf } from '../../../test/support/contract.ts';
import { onOneEngine } from '../../../test/support/engines.ts';
import { useWorld } from '../../../test/support/world.ts';
import { NOT_BLANK, ONE_LINE, SEVERAL_LINES } from './schemas.ts';

onOneEngine('a blank text', (engine) => {
  const world = useWorld(engine);

  test('is no name and no phone, but may be an idempotency key and what may be empty', async () => {
    const desk = await openDesk(world);
    for (const field of ['guest_name', 'guest_phone'])
      for (const text of [' ', '\t\r\n', '\u0085', '\u00a0\u2003', '\u3000'])
        assert.deepEqual(await desk.problems({ [field]: text }), [{ field, message: 'must not be blank' }]);
    assert.equal((await desk.book({ idempotency_key: ' ' })).status, 200);
    assert.equal((await desk.block({ start_hour: 16, end_hour: 17, reason: ' ' })).body.data.reason, ' ');
  });

  test('is ruled out by the document wherever a body’s text must not be empty', async () => {
    const { endpoints, document } = await contractOf(world.url);
    const texts = endpoints
      .flatMap(({ operation }) => Object.values(operation.requestBody?.content ?? {}))
      .map(({ schema }) => document.components.schemas[String(schema['$ref']).split('/').at(-1)!]!)
      .flatMap(({ properties }) => Object.entries(properties as Record<string, Record<string, unknown>>))
      .filter(([name, schema]) => Number(schema['minLength'] ?? 0) > 0 && name !== 'idempotency_key');
    assert.ok(texts.length >= 4);
    for (const [name, { pattern, description }] of texts) {
      assert.ok([NOT_BLANK, ONE_LINE, SEVERAL_LINES].includes(String(pattern)), name);
      assert.match(String(description), /must not be blank$/, name);
    }
  });
});

describe('what is blank', () => {
  test('is Unicode’s White_Space, character by character', () => {
    const visible = new RegExp(NOT_BLANK, 'u');
    for (let code = 0; code <= 0xff_ff; code++) {
      const character = String.fromCodePoint(code);
      assert.equal(!visible.test(character), /^\p{White_Space}$/u.test(character), `U+${code.toString(16)}`);
    }
  });
});
