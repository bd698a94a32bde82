import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { makeFolder } from '../support/process.ts';
import { judge } from './seen.ts';

const refusal = { headers: {}, content: { 'application/json': { schema: {}, examples: { A: {}, B: {} } } } };
const document = {
  paths: { '/x': { get: { operationId: 'getX', responses: { 200: { headers: {} }, 422: refusal } } } },
  webhooks: { 'x.made': {} },
};

describe('after a run of all tests', () => {
  const judged = (files: Record<string, string>): string[] => {
    const folder = makeFolder();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
    const found = judge(folder.path);
    folder.remove();
    return found;
  };
  const documents = { 'document-1.json': JSON.stringify(document) };

  test('what the processes have seen is taken together', () => {
    const seen = { 'seen-1': 'getX 200\ngetX 422 A\n', 'seen-2': 'getX 422 B\ndelivery of x.made\n' };
    assert.deepEqual(judged({ ...documents, ...seen }), []);
  });

  test('a documented status, code or delivery that nobody has seen is told', () => {
    assert.deepEqual(judged({ ...documents, 'seen-1': 'getX 422 A\n' }), [
      'documented but never seen: getX 200',
      'documented but never seen: getX 422 B',
      'documented but never seen: delivery of x.made',
    ]);
  });

  test('an answer outside the document is told, even if its test took it for something else', () => {
    const seen = { 'seen-1': 'getX 200\ngetX 422 A\ngetX 422 B\ndelivery of x.made\n' };
    assert.deepEqual(judged({ ...documents, ...seen, 'violations-7': 'GET /x\n' }), ['GET /x']);
  });

  test('a run that has seen nothing is no success', () => {
    assert.deepEqual(judge('/nowhere'), ['no test has seen any answer']);
    assert.deepEqual(judged({}), ['no test has seen any answer']);
  });
});
