import assert from 'node:assert/strict';
import * as events from '../../src/events/events.ts';
import { operator } from './operator.ts';
import type { Environment } from '../../src/ids/api-key.ts';
import type { Claimed } from '../../src/webhooks/attempt.ts';
import { Pass } from '../../src/webhooks/queue.ts';
import type { Delivery, Webhook } from '../../src/webhooks/schemas.ts';
import { deliverDue } from '../../src/worker/deliver.ts';
import { receiverFor, type Receiver } from './receiver.ts';
import type { World } from './world.ts';

export const WEBHOOKS = '/api-webhooks/api/v1/webhooks';

export type Subscriber = Awaited<ReturnType<typeof aSubscriber>>;

/** A host with a key, and what a test of deliveries does with them. */
export async function aSubscriber(world: World, environment: Environment = 'production') {
  const hostId = await world.addHost();
  const { key } = await world.addKey(hostId, { environment });
  let day = 0;
  /** Makes something happen: an event of this host, as any feature would append it. */
  const emit = (): Promise<void> => {
    const date = new Date(Date.UTC(2027, 0, ++day)).toISOString().slice(0, 10);
    const happened = events.availabilityChanged({ spaceId: hostId, date }, [10], 'block_created');
    return world.ctx.db.transaction((tx) =>
      events.append(tx, world.clock.now(), { hostId, environment, actor: operator }, happened),
    );
  };
  /** The subscription as the API shows it now. */
  const show = async (id: string): Promise<Webhook> => {
    const answer = await world.call('GET', WEBHOOKS, { key });
    const found = answer.body.data.webhooks.find((webhook) => webhook.id === id);
    assert.ok(found !== undefined, `there is no subscription ${id}`);
    return found;
  };
  return {
    hostId,
    key,
    emit,
    show,
    subscribe: async (
      receiver: Pick<Receiver, 'url'>,
      types: readonly events.EventType[] = ['availability.changed'],
    ): Promise<Webhook & { secret: string }> => {
      const body = { url: receiver.url, events: types };
      const answer = await world.call('POST', WEBHOOKS, { key, body });
      assert.equal(answer.status, 201);
      return answer.body.data.webhook;
    },
    /** Makes so many things happen, and sends what is due. */
    deliver: async (count = 1): Promise<void> => {
      for (let i = 0; i < count; i++) await emit();
      await deliverDue(world.ctx);
    },
    newest: async (id: string): Promise<Delivery> => {
      const [delivery] = (await show(id)).recent_deliveries;
      assert.ok(delivery !== undefined, `there is no delivery to ${id}`);
      return delivery;
    },
    patch: async (id: string, body: object): Promise<Webhook> => {
      const answer = await world.call('PATCH', `${WEBHOOKS}/${id}`, { key, body });
      assert.equal(answer.status, 200);
      return answer.body.data.webhook;
    },
  };
}

/** A receiver that answers with this status, and a host that has subscribed it. */
export async function aReceiver(world: World, status = 204, environment?: Environment) {
  const receiver = await receiverFor();
  receiver.answer = () => ({ status });
  const host = await aSubscriber(world, environment);
  const { id, secret } = await host.subscribe(receiver);
  return { receiver, host, id, secret };
}

/** What a worker that has just started takes. */
export async function claimDue(world: World, rows = 100, perEndpoint = 8): Promise<Claimed[]> {
  return (await new Pass().claim(world.ctx, { rows, perEndpoint })).claimed;
}
