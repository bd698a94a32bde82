import { HourkeepError, type Hourkeep } from '@hourkeep/client';
import { isAway, patiently } from './api.ts';
import { ownChange } from './news.ts';
import { goOffline, leave, offline, session } from './session.ts';

/** What was not seen on this device with a connection cannot be shown without one. */
export class NotKept extends Error {}
/** Offline, nothing is changed. */
export class ReadOnly extends Error {}

/** Asks the API for something. Waits for as long as it takes, until the signal says that nobody wants it any more. */
export async function read<T>(work: (hk: Hourkeep) => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    await whileOffline(signal);
    const remember = session.get()?.account.remember === true;
    const waitFor = (waitWhileAway: boolean): Promise<T> =>
      withSession((hk) => patiently(() => work(hk), { waitWhileAway, ...(signal && { signal }) }));
    try {
      return await waitFor(!remember);
    } catch (error) {
      if (!remember || !isAway(error)) throw error;
      await goOffline();
      // Nothing could be kept, as on plain http: then it waits, as elsewhere.
      if (!offline.get()) return waitFor(true);
    }
  }
}

/** Changes something. Throws what the API refused with. */
export async function write<T>(work: (hk: Hourkeep) => Promise<T>): Promise<T> {
  if (offline.get()) throw new ReadOnly();
  return ownChange(() => withSession((hk) => patiently(() => work(hk))));
}

/** Once, without waiting for anything. */
export async function withSession<T>(work: (hk: Hourkeep) => Promise<T>): Promise<T> {
  const now = session.get();
  if (now === undefined) throw new Error('signed out');
  try {
    return await work(now.hk);
  } catch (error) {
    if (error instanceof HourkeepError && error.status === 401 && session.get() === now) await leave(error);
    throw error;
  }
}

async function whileOffline(signal: AbortSignal | undefined): Promise<void> {
  if (!offline.get()) return;
  await new Promise<void>((resolve, reject) => {
    const stop = offline.subscribe(() => {
      stop();
      resolve();
    });
    signal?.addEventListener('abort', () => {
      stop();
      reject(signal.reason as Error);
    });
  });
}
