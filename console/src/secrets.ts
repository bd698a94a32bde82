import { useEffect } from 'react';
import { newKey } from './invitation.ts';
import { createStore } from './store.ts';

// A secret is shown once: whoever leaves before they have it is asked first.

interface Secret {
  readonly label: string;
  readonly text: string;
}

/** Those in sight that are not saved. */
const unsaved = new Set<Secret>();
/** What is done when the person leaves all the same. */
export const leaving = createStore<(() => void) | undefined>(undefined);

/** While it is true, a secret is in sight that was neither copied nor said to be saved. */
export function useUnsaved(isUnsaved: boolean, label: string, text: string): void {
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const secret = { label, text };
    // Reloading, closing, another address: the browser asks in its own words.
    const ask = (event: Event): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    unsaved.add(secret);
    return () => {
      window.removeEventListener('beforeunload', ask);
      unsaved.delete(secret);
    };
  }, [isUnsaved, label, text]);
}

/** Signing out, and another screen: the page asks. */
export function askBeforeLeaving(leave: () => void): void {
  if (unsaved.size === 0) leave();
  else leaving.set(leave);
}

/** The session has ended, and with it the dialog: the secret is shown beside the sign-in, since nobody can ask for it again. */
export function rescueSecret(): void {
  const [secret] = unsaved;
  if (secret !== undefined) newKey.set({ copied: false, ...secret });
}
