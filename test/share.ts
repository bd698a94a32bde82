import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

// One of the processes of test/run.ts: takes a test file, runs it, takes the next, until all are taken.

const folder = process.env['TEST_FILES']!;
const files = JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8')) as string[];

/** The place of the next file that no process has taken. */
function take(): number | undefined {
  for (const i of files.keys())
    try {
      mkdirSync(join(folder, String(i)));
      return i;
    } catch {
      // Another process has it.
    }
  return undefined;
}

// The process ends by force (test/run.ts): what it has reported and nobody has read by then would be lost.
const { _handle: pipe } = process.stdout as unknown as { _handle?: { setBlocking(blocking: boolean): void } };
pipe?.setBlocking(true);

let ready = Promise.withResolvers<void>();
for (let i = take(); i !== undefined; i = take()) {
  const file = files[i]!;
  const of = join(folder, String(i));
  try {
    await import(pathToFileURL(resolve(file)).href);
    ready.resolve();
  } catch (error) {
    ready.reject(error);
    throw error;
  }
  // The process ends when it knows of no test that has not ended. This one ends when the next file has named its own.
  ready = Promise.withResolvers();
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const next = ready.promise;
  void test(`${file}: all done`, () => {
    mkdirSync(join(of, 'done'));
    reach();
    return next;
  });
  await reached;
}
ready.resolve();
