import { HourkeepError, type ErrorCode } from '@hourkeep/client';
import { createStore } from './store.ts';

/** Undefined on every other page. Empty where the link's end is missing, as after a reload. */
export const invitation = createStore(takeToken());
/** The key that was made from it, for as long as it is shown. */
export const newKey = createStore<string | undefined>(undefined);

// The same link opened again in the same page.
window.addEventListener('hashchange', () => {
  if (location.hash !== '') invitation.set(takeToken());
});

/** Makes the key: the one request of the console that is not the API's. */
export async function claim(token: string): Promise<string> {
  const answer = await fetch(new URL('claim', document.baseURI), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  }).catch((cause: unknown) => {
    throw new HourkeepError('CONNECTION_LOST', 'The connection to the service was lost', { cause });
  });
  const { data, error } = (await answer.json().catch(() => ({}))) as Answer;
  if (answer.ok && data !== undefined) return data.key;
  throw new HourkeepError(
    (error?.code as ErrorCode | undefined) ?? 'UNEXPECTED_ANSWER',
    error?.message ?? `HTTP ${answer.status}`,
    { status: answer.status, requestId: error?.request_id },
  );
}

interface Answer {
  data?: { key: string };
  error?: { code: string; message: string; request_id: string };
}

/** Out of the address at once: it shall not stay in the history, nor be sent on with a copied address. */
function takeToken(): string | undefined {
  const page = new URL('welcome', document.baseURI);
  if (location.pathname !== page.pathname) return undefined;
  const token = location.hash.slice(1);
  history.replaceState(history.state, '', page.pathname);
  return token;
}
