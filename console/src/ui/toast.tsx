import { useEffect } from 'react';
import { createStore, useStore } from '../store.ts';
import { strings } from '../strings.ts';

const READ_MS = 10_000;

interface Toast {
  readonly message: string;
  readonly undo?: (() => void) | undefined;
}

export const toast = createStore<Toast | undefined>(undefined);

/** What can be undone stays until it is dismissed or the next one comes: nobody has to be quick. */
export function Toasts() {
  const shown = useStore(toast);
  useEffect(() => {
    if (shown === undefined || shown.undo !== undefined) return undefined;
    const timer = setTimeout(() => toast.set(undefined), READ_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  return (
    <div role="status" className="toasts">
      {shown !== undefined && (
        <div className="toast">
          <span>{shown.message}</span>
          {shown.undo !== undefined && (
            <button
              type="button"
              className="toast-button"
              onClick={() => {
                toast.set(undefined);
                shown.undo?.();
              }}
            >
              {strings.undo}
            </button>
          )}
          <button
            type="button"
            className="toast-button"
            onClick={() => toast.set(undefined)}
            aria-label={strings.dismiss}
          >
            <span aria-hidden="true">✕</span>
          </button>
        </div>
      )}
    </div>
  );
}
