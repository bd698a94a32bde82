import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Owner } from '../../src/caller.ts';
import type { Context } from '../../src/context.ts';
import * as events from '../../src/events/events.ts';
import * as webhooks from '../../src/webhooks/webhooks.ts';
import { operator } from '../../test/support/operator.ts';
import type { Ports, Receipt } from '../receivers.ts';

export interface Receivers extends Ports {
  /** The next so many deliveries. */
  next(count: number): Promise<Receipt[]>;
  stop(): void;
}

export async function startReceivers(count: number): Promise<Receivers> {
  const child: ChildProcess = fork(new URL('../receivers.ts', import.meta.url), [String(count)]);
  const [ports] = (await once(child, 'message')) as [Ports];
  const next = async (count: number): Promise<Receipt[]> => {
    child.send(count);
    const [receipts] = (await once(child, 'message')) as [Receipt[]];
    return receipts;
  };
  return { ...ports, next, stop: () => void child.kill() };
}

export async function subscribe(ctx: Context, owner: Owner, port: number): Promise<string> {
  const wanted = { url: `http://127.0.0.1:${port}/`, events: ['availability.changed' as const] };
  return (await webhooks.create(ctx, { actor: operator, ...owner }, wanted)).id;
}

/** In one transaction: events of each of these hosts, with these marks, by which their receipts are known. */
export async function tell(ctx: Context, owners: readonly Owner[], marks: readonly string[]): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    for (const spaceId of marks) {
      const happened = events.availabilityChanged({ spaceId, date: '2027-01-01' }, [1], 'block_created');
      await Promise.all(
        owners.map((owner) => events.append(tx, ctx.clock.now(), { ...owner, actor: operator }, happened)),
      );
    }
  });
}
