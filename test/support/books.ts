import * as bookings from '../../src/bookings/by-clock.ts';
import { closeDue } from '../../src/settlement/closing.ts';
import type { World } from './world.ts';

/** What the clock does at the turn of a month: bookings are completed, then months are closed. */
export async function turnMonth({ ctx }: Pick<World, 'ctx'>): Promise<void> {
  while ((await bookings.completeDue(ctx)).more);
  await closeDue(ctx, new AbortController().signal, async () => undefined);
}
