import { setTimeout as delay } from 'node:timers/promises';
import { EVENT_TYPES } from '../../src/events/events.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { WEBHOOKS } from '../support/webhooks.ts';
import { send } from '../support/world.ts';

/** To everything. */
export async function subscribe(service: string, key: string, url: string): Promise<void> {
  const answer = await send(service, 'POST', WEBHOOKS, { key, body: { url, events: EVENT_TYPES } });
  if (answer.status !== 201) throw new Error(`no subscription: ${answer.text}`);
}

/** A host's own system, which takes every event. */
export class Subscriber {
  /** How often it was asked. */
  attempts = 0;
  readonly #receiver: Receiver;
  readonly #taken = new Set<string>();

  /** How it answers, and after how long. */
  static async open(status = 204, pauseMs = 0): Promise<Subscriber> {
    const receiver = await startReceiver();
    const subscriber = new Subscriber(receiver);
    receiver.answer = async ({ body: { id } }) => {
      // A receiver keeps all that it gets: a hundred thousand deliveries would fill the memory of the one who measures.
      receiver.received.length = 0;
      await delay(pauseMs);
      subscriber.attempts++;
      subscriber.#taken.add(id);
      return { status };
    };
    return subscriber;
  }

  private constructor(receiver: Receiver) {
    this.#receiver = receiver;
  }

  get url(): string {
    return this.#receiver.url;
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

  /** Throws if a delivery was not as documented. */
  close(): Promise<void> {
    return this.#receiver.close();
  }
}
