import { ask } from './own-calls.ts';
import { createStore } from './store.ts';

/** Undefined on every other page. Empty where the link's end is missing, as after a reload. */
export const invitation = createStore(takeToken());
/** The key that was made from it, for as long as it is shown, and whether it was copied; or another secret, by its name. */
export const newKey = createStore<{ text: string; copied: boolean; label?: string } | undefined>(undefined);

// The same link opened again in the same page.
window.addEventListener('hashchange', () => {
  if (location.hash !== '') invitation.set(takeToken());
});

export async function claim(token: string): Promise<string> {
  return (await ask<{ key: string }>('POST', 'claim', { token })).key;
}

/** Out of the address at once: it shall not stay in the history, nor be sent on with a copied address. */
function takeToken(): string | undefined {
  const page = new URL('welcome', document.baseURI);
  if (location.pathname !== page.pathname) return undefined;
  const token = location.hash.slice(1);
  history.replaceState(history.state, '', page.pathname);
  return token;
}
