import { inspect, reading } from './invariants.ts';
import type { Ledger, Stored } from './ledger.ts';
import type { Deployment } from './services.ts';

/** How the database stands against what was acknowledged. */
export interface Kept {
  lost: string[];
  doubleHolders: string[];
  untold: string[];
  other: string[];
  /** All events that there are. */
  events: string[];
}

export async function compare(deployment: Deployment, ledger: Ledger): Promise<Kept> {
  const found = await inspect(deployment.settings, ledger.made);
  const stored = await readStored(deployment);
  const compared = ledger.compare(stored);
  return {
    lost: compared.lost,
    doubleHolders: found.doubleHolders,
    untold: [...new Set([...found.events, ...compared.events])],
    other: [...found.hours, ...found.moves, ...compared.unasked],
    events: stored.events.map(({ id }) => id),
  };
}

function readStored({ settings }: Deployment): Promise<Stored> {
  return reading(settings, async (all) => ({
    bookings: await all('select id, status, guest_email from bookings'),
    hours: await all('select space_id, date, hour, block_id from hours'),
    events: await all('select id, type, data from events'),
  }));
}
