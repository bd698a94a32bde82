import { useEffect } from 'react';
import { news, unseen } from '../news.ts';
import { createStore, useStore, type Store } from '../store.ts';
import { strings } from '../strings.ts';

const READ_MS = 10_000;

interface Toast {
  readonly message: string;
  readonly undo?: (() => void) | undefined;
}

export const toast = createStore<Toast | undefined>(undefined);

/** What others have changed does not take the place of an own change that can be undone. */
export function Toasts() {
  return (
    <div role="status" aria-atomic="false" className="toasts">
      <Shown store={news} stays={useStore(unseen) > 0} />
      <Shown store={toast} />
    </div>
  );
}

/** What can be undone, or was not seen yet, stays until it is dismissed or the next one comes: nobody has to be quick. */
function Shown({ store, stays = false }: { store: Store<Toast | undefined>; stays?: boolean }) {
  const shown = useStore(store);
  const undo = shown?.undo;
  const waits = stays || undo !== undefined;
  useEffect(() => {
    if (shown === undefined || waits) return undefined;
    const timer = setTimeout(() => store.set(undefined), READ_MS);
    return () => clearTimeout(timer);
  }, [store, shown, waits]);
  if (shown === undefined) return null;
  return (
    // A new element each time: the same words are read out again.
    <div key={numberOf(shown)} className="toast">
      <span>{shown.message}</span>
      {undo !== undefined && (
        <button type="button" className="toast-button" onClick={() => (store.set(undefined), undo())}>
          {strings.undo}
        </button>
      )}
      <button
        type="button"
        className="toast-button"
        onClick={() => store.set(undefined)}
        aria-label={strings.dismiss}
      >
        <span aria-hidden="true">✕</span>
      </button>
    </div>
  );
}

const numbers = new WeakMap<Toast, number>();
let last = 0;

function numberOf(shown: Toast): number {
  if (!numbers.has(shown)) numbers.set(shown, (last += 1));
  return numbers.get(shown)!;
}
