import { useRef, useState } from 'react';

interface Action<A extends unknown[]> {
  run: (...args: A) => void;
  busy: boolean;
  error: unknown;
}

/**
 * Something that a button does. The button stays usable: a second press while the first is under way does nothing, and
 * after a refusal it tries again.
 */
export function useAction<A extends unknown[]>(work: (...args: A) => Promise<void>): Action<A> {
  const [state, setState] = useState<{ busy: boolean; error: unknown }>({ busy: false, error: undefined });
  const busy = useRef(false);
  const run = (...args: A): void => {
    if (busy.current) return;
    busy.current = true;
    setState({ busy: true, error: undefined });
    work(...args).then(
      () => {
        busy.current = false;
        setState({ busy: false, error: undefined });
      },
      (error: unknown) => {
        busy.current = false;
        setState({ busy: false, error });
      },
    );
  };
  return { run, ...state };
}
