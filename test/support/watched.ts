/**
 * The same database, for whoever wants to hear of each call before it is made: of those to the database, and of those to
 * the transactions that it opens.
 */
export function watched<T extends object>(of: T, onCall: OnCall, isTransaction = false): T {
  return new Proxy(of, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        onCall(String(name), args, isTransaction);
        const [body, ...rest] = args;
        if (name !== 'transaction' || typeof body !== 'function') return Reflect.apply(value, target, args);
        const watchedBody = (tx: object): unknown => body(watched(tx, onCall, true));
        return Reflect.apply(value, target, [watchedBody, ...rest]);
      };
    },
  });
}

type OnCall = (method: string, args: readonly unknown[], isTransaction: boolean) => void;
