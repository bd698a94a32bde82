import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { refused } from '../../../test/support/answer.ts';
import { openDesk, type Desk } from '../../../test/support/booking.ts';
import { contractOf } from '../../../test/support/contract.ts';
import { onBothEngines } from '../../../test/support/engines.ts';
import { useWorld, type Answer } from '../../../test/support/world.ts';
import { isBlank, NOT_BLANK, ONE_LINE, SEVERAL_LINES } from './schemas.ts';

const BLANK = [' ', '\t\r\n', '\u0085', '\u00a0\u2003', '\u3000'];

onBothEngines('a blank text', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  before(async () => {
    desk = await openDesk(world);
  });

  function assertBlank(answer: Answer, field: string): void {
    const { details } = refused(answer, 422, 'VALIDATION_ERROR');
    assert.deepEqual(details, [{ field, message: 'must not be blank' }]);
  }

  for (const field of ['guest_name', 'guest_phone']) {
    test(`is no ${field}`, async () => {
      for (const text of BLANK) assertBlank(await desk.book({ [field]: text }), field);
      assert.deepEqual(await desk.heldHours(), []);
    });
  }

  test('may be an idempotency key, and what may be empty', async () => {
    assert.equal((await desk.book({ start_hour: 14, end_hour: 15, idempotency_key: ' ' })).status, 200);
    assert.equal((await desk.block({ start_hour: 16, end_hour: 17, reason: ' ' })).body.data.reason, ' ');
  });

  test('is ruled out by the document wherever a body’s text must not be empty', async () => {
    const { document } = await contractOf(world.url);
    const texts = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap((operation) => bodyFields(document.components.schemas, operation))
      .filter(([name, schema]) => Number(schema['minLength'] ?? 0) > 0 && name !== 'idempotency_key');
    assert.ok(texts.length >= 4);
    for (const [name, schema] of texts) {
      assert.ok(
        [NOT_BLANK, ONE_LINE, SEVERAL_LINES].some((pattern) => schema['pattern'] === pattern),
        name,
      );
      assert.match(String(schema['description']), /must not be blank$/, name);
    }
  });
});

type Json = Record<string, unknown>;

function bodyFields(schemas: Record<string, Json>, operation: unknown): [string, Json][] {
  const { requestBody } = operation as {
    requestBody?: { content: { 'application/json': { schema: { $ref: string } } } };
  };
  const name = requestBody?.content['application/json'].schema.$ref.split('/').at(-1);
  return name === undefined ? [] : Object.entries(schemas[name]!['properties'] as Record<string, Json>);
}

describe('what is blank', () => {
  test('is Unicode’s White_Space, character by character', () => {
    for (let code = 0; code <= 0xff_ff; code++) {
      const character = String.fromCodePoint(code);
      assert.equal(isBlank(character), /^\p{White_Space}$/u.test(character), `U+${code.toString(16)}`);
    }
  });
});
