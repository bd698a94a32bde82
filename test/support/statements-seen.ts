import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../src/context.ts';
import { watched } from './watched.ts';

const folder = process.env['STATEMENTS_SEEN'];
const seen = new Set<string>();

/**
 * The same context for the service, and a note of the text of every statement that its requests send, in the folder
 * STATEMENTS_SEEN. What tests do to the database past the service is not noted.
 */
export function noted(ctx: Context): Context {
  if (folder === undefined) return ctx;
  return Object.create(ctx, { db: { value: watched(ctx.db, noteCall) } }) as Context;
}

/** Called with a statement, or with a list of statements with their values. */
function noteCall(_method: string, [first]: readonly unknown[]): void {
  for (const each of Array.isArray(first) ? first.flat() : [first])
    if (typeof each === 'object' && each !== null && 'text' in each) note(String(each.text));
}

function note(text: string): void {
  if (seen.has(text)) return;
  seen.add(text);
  appendFileSync(join(folder!, `${process.pid}.jsonl`), `${JSON.stringify(text)}\n`);
}
