import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../src/context.ts';

const folder = process.env['STATEMENTS_SEEN'];
const seen = new Set<string>();

/**
 * The same context for the service, and a note of the text of every statement that its requests send, in the folder
 * STATEMENTS_SEEN. What tests do to the database past the service is not noted.
 */
export function noted(ctx: Context): Context {
  if (folder === undefined) return ctx;
  return Object.create(ctx, { db: { value: noting(ctx.db) } }) as Context;
}

/** Whatever is called with a statement: the database, and the transactions that it opens. */
function noting<T extends object>(target: T): T {
  return new Proxy(target, {
    get(of, name) {
      const value: unknown = Reflect.get(of, name, of);
      if (typeof value !== 'function') return value;
      return (first: unknown, ...rest: unknown[]): unknown => {
        // A statement, or a list of statements with their values.
        for (const each of Array.isArray(first) ? first.flat() : [first])
          if (typeof each === 'object' && each !== null && 'text' in each) note(String(each.text));
        const opens = name === 'transaction' && typeof first === 'function';
        const body = opens ? (tx: object): unknown => first(noting(tx)) : first;
        return value.call(of, body, ...rest) as unknown;
      };
    },
  });
}

function note(text: string): void {
  if (seen.has(text)) return;
  seen.add(text);
  appendFileSync(join(folder!, `${process.pid}.jsonl`), `${JSON.stringify(text)}\n`);
}
