import { useEffect } from 'react';
import { createStore } from './store.ts';

// A secret is shown once: whoever leaves before they have it is asked first.

let unsaved = 0;
/** What is done when the person leaves all the same. */
export const leaving = createStore<(() => void) | undefined>(undefined);

/** While it is true, a secret is in sight that was neither copied nor said to be saved. */
export function useUnsaved(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return undefined;
    // Reloading, closing, another address: the browser asks in its own words.
    const ask = (event: Event): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    unsaved += 1;
    return () => {
      window.removeEventListener('beforeunload', ask);
      unsaved -= 1;
    };
  }, [isUnsaved]);
}

/** Signing out, and another screen: the page asks. */
export function askBeforeLeaving(leave: () => void): void {
  if (unsaved === 0) leave();
  else leaving.set(leave);
}
