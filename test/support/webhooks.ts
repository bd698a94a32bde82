import assert from 'node:assert/strict';
import * as events from '../../src/events/events.ts';
import { operator } from './operator.ts';
import type { Environment } from '../../src/ids/api-key.ts';
import { exampleSpace } from '../../src/spaces/operations.ts';
import type { Claimed } from '../../src/webhooks/attempt.ts';
import { Progress } from '../../src/webhooks/progress.ts';
import { claim } from '../../src/webhooks/queue.ts';
import type { Webhook } from '../../src/webhooks/schemas.ts';
import type { Receiver } from './receiver.ts';
import type { World } from './world.ts';

export const WEBHOOKS = '/api-webhooks/api/v1/webhooks';

/** A host with a key, a space and what a test of deliveries does with them. */
export interface Subscriber {
  hostId: string;
  key: string;
  subscribe(
    receiver: Pick<Receiver, 'url'>,
    types?: readonly events.EventType[],
  ): Promise<Webhook & { secret: string }>;
  /** Makes something happen: an event of this host, as any feature would append it. */
  emit(type?: 'availability.changed' | 'listing.updated'): Promise<void>;
  /** The subscription as the API shows it now. */
  show(id: string): Promise<Webhook>;
  patch(id: string, body: object): Promise<Webhook>;
}

export async function aSubscriber(
  world: World,
  environment: Environment = 'production',
): Promise<Subscriber> {
  const hostId = await world.addHost();
  const { key } = await world.addKey(hostId, { environment });
  let day = 0;
  return {
    hostId,
    key,
    subscribe: async (receiver, types = ['availability.changed']) => {
      const body = { url: receiver.url, events: types };
      const answer = await world.call('POST', WEBHOOKS, { key, body });
      assert.equal(answer.status, 201);
      return answer.body.data.webhook;
    },
    emit: (type = 'availability.changed') => {
      const date = new Date(Date.UTC(2027, 0, ++day)).toISOString().slice(0, 10);
      const happened: events.NewEvent =
        type === 'listing.updated'
          ? { type, data: { space: exampleSpace, changed: ['title'] } }
          : events.availabilityChanged({ spaceId: hostId, date }, [10], 'block_created');
      return world.ctx.db.transaction((tx) =>
        events.append(tx, world.clock.now(), { hostId, environment, actor: operator }, happened),
      );
    },
    show: async (id) => {
      const answer = await world.call('GET', WEBHOOKS, { key });
      const found = answer.body.data.webhooks.find((webhook) => webhook.id === id);
      assert.ok(found !== undefined, `there is no subscription ${id}`);
      return found;
    },
    patch: async (id, body) => {
      const answer = await world.call('PATCH', `${WEBHOOKS}/${id}`, { key, body });
      assert.equal(answer.status, 200);
      return answer.body.data.webhook;
    },
  };
}

/** What a worker that has just started takes. */
export async function claimDue(world: World, rows = 100, perEndpoint = 8): Promise<Claimed[]> {
  return (await claim(world.ctx, new Progress(), { rows, perEndpoint, atLeast: 1 })).claimed;
}
