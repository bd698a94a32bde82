import assert from 'node:assert/strict';

/** Every field that the example shows is in the answer, as deep as it goes. */
export function assertShown(answer: unknown, example: unknown, where: string): void {
  if (example === null || answer === null) return;
  if (Array.isArray(example)) {
    assert.ok(Array.isArray(answer), where);
    if (answer.length > 0 && example.length > 0) assertShown(answer[0], example[0], `${where}[0]`);
    return;
  }
  assert.equal(typeof answer, typeof example, where);
  if (typeof example !== 'object') return;
  for (const [name, value] of Object.entries(example)) {
    assert.ok(name in (answer as object), `${where}: the answer has no ${name}`);
    assertShown((answer as Record<string, unknown>)[name], value, `${where}.${name}`);
  }
}
