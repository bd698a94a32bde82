import { setTimeout as delay } from 'node:timers/promises';
import { EVENT_TYPES } from '../../src/events/events.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { WEBHOOKS } from '../support/webhooks.ts';
import { send } from '../support/world.ts';
import type { Deployment } from './services.ts';

/** A host's own system: subscribed to everything, and now and then not well itself. */
export class Subscriber {
  readonly #receiver: Receiver;
  readonly #taken = new Set<string>();
  /** Whether every fiftieth event must be told twice. */
  stumbles = true;

  static async of({ demo, url }: Deployment): Promise<Subscriber> {
    const receiver = await startReceiver();
    const subscriber = new Subscriber(receiver);
    const body = { url: receiver.url, events: EVENT_TYPES };
    const answer = await send(url(0), 'POST', WEBHOOKS, { key: demo.keys.production, body });
    if (answer.status !== 201) throw new Error(`no subscription: ${JSON.stringify(answer.body)}`);
    return subscriber;
  }

  private constructor(receiver: Receiver) {
    this.#receiver = receiver;
    const seen = new Set<string>();
    receiver.answer = ({ body }) => {
      const isNew = !seen.has(body.id);
      seen.add(body.id);
      if (this.stumbles && isNew && seen.size % 50 === 0) return { status: 500 };
      this.#taken.add(body.id);
      return { status: 204 };
    };
  }

  missing(events: readonly string[]): string[] {
    return events.filter((id) => !this.#taken.has(id));
  }

  /** What it was told though it never happened. */
  invented(events: readonly string[]): string[] {
    const known = new Set(events);
    return [...this.#taken].filter((id) => !known.has(id));
  }

  async waitFor(events: readonly string[], milliseconds: number): Promise<void> {
    const deadline = performance.now() + milliseconds;
    while (this.missing(events).length > 0 && performance.now() < deadline) await delay(100);
  }

  close(): Promise<void> {
    return this.#receiver.close();
  }
}
