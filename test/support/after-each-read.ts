import type { Context } from '../../src/context.ts';

/** The same context. Each read of its database is answered only when `change` has been done: what is read next is of a later state. */
export function afterEachRead(ctx: Context, change: () => Promise<unknown>): Context {
  const db = new Proxy(ctx.db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (!['all', 'get', 'readAlongIndexes'].includes(String(name))) return value.bind(target);
      return async (...args: unknown[]): Promise<unknown> => {
        const answer: unknown = await Reflect.apply(value, target, args);
        await change();
        return answer;
      };
    },
  });
  return { ...ctx, db };
}
