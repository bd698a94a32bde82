import assert from 'node:assert/strict';
import { after, afterEach } from 'node:test';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { openChromium, watch } from './chromium.ts';

const opened = await openChromium();
if (opened === undefined) process.exit();

/** For all tests that run together. Where there is none, they end here. */
export const browser = opened;
after(() => browser.close());

/** The windows of the test that runs, and what their pages have done and must not. */
let windows: { context: BrowserContext; found: string[]; expected: RegExp }[] = [];

/**
 * An empty window without a past. Its page asks nobody but `origin`, and the browser complains of nothing but what is
 * expected. It is closed when the test ends.
 */
export async function openWindow(
  origin: string,
  options: BrowserContextOptions,
  expected = /^$/,
): Promise<Page> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  // A machine with other work is slow; only a page that never gets there fails.
  page.setDefaultTimeout(60_000);
  windows.push({ context, found: watch(page, origin), expected });
  return page;
}

afterEach(async () => {
  const found = windows.flatMap(({ found, expected }) => found.filter((line) => !expected.test(line)));
  const contexts = windows.map(({ context }) => context);
  windows = [];
  await Promise.all(contexts.map((context) => context.close()));
  assert.deepEqual(found, []);
});
