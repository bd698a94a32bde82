import type { Context } from '../../src/context.ts';

/** The same context, counting what its database is asked. */
export function counting(ctx: Context): { ctx: Context; statements(): number } {
  let statements = 0;
  const db = new Proxy(ctx.db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        statements++;
        return Reflect.apply(value, target, args);
      };
    },
  });
  return { ctx: { ...ctx, db }, statements: () => statements };
}
