import { HourkeepError, type Hourkeep } from '@hourkeep/client';
import { patiently } from './api.ts';
import { lacks, session, signOut } from './session.ts';

/** Asks the API for something. Waits for as long as it takes, until the signal says that nobody wants it any more. */
export async function read<T>(work: (hk: Hourkeep) => Promise<T>, signal?: AbortSignal): Promise<T> {
  return withKey(work, { waitWhileAway: true, ...(signal && { signal }) });
}

/** Changes something. Throws what the API refused with. */
export async function write<T>(work: (hk: Hourkeep) => Promise<T>): Promise<T> {
  return withKey(work, {});
}

async function withKey<T>(
  work: (hk: Hourkeep) => Promise<T>,
  options: Parameters<typeof patiently>[1],
): Promise<T> {
  const now = session.get();
  if (now === undefined) throw new Error('signed out');
  try {
    return await patiently(() => work(now.hk), options);
  } catch (error) {
    if (error instanceof HourkeepError && session.get() === now) learnFrom(error);
    throw error;
  }
}

function learnFrom(error: HourkeepError): void {
  if (error.status === 401) signOut(error);
  if (error.code === 'INSUFFICIENT_SCOPE' && error.details !== undefined) lacks(error.details.required_scope);
}

/**
 * Learns early which changes this key may not make, so that nobody fills in a form in vain. Scopes are checked before
 * input. Freeing hours that nobody has blocked is a success that changes nothing; only where even that is refused
 * are the others asked, with input that must be refused.
 */
export async function learnScopes(spaceId: string): Promise<void> {
  const probe = async (work: (hk: Hourkeep) => Promise<unknown>): Promise<boolean> =>
    read(work).then(
      () => true,
      (error: unknown) => !(error instanceof HourkeepError && error.code === 'INSUFFICIENT_SCOPE'),
    );
  const nothing = {} as never;
  const longAgo = { date: '1970-01-01', start_hour: 0, end_hour: 1 };
  if (await probe((hk) => hk.blocks.delete(spaceId, longAgo))) return;
  await probe((hk) => hk.bookings.create(nothing));
  await probe((hk) => hk.spaces.update(spaceId, nothing));
  await probe((hk) => hk.webhooks.create(nothing));
}
