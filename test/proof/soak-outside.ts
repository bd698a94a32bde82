import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { datesFrom } from '../traffic/world.ts';
import { EVENT_TYPES } from '../../src/events/events.ts';
import { calendarOf } from '../support/busy-hours.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { WEBHOOKS } from '../support/webhooks.ts';
import { send } from '../support/world.ts';

const SLOW_MS = 100;
const NAMES = ['prompt', 'slow', 'refusing', 'passing'] as const;

/** What hosts have on their side: a prompt and a slow receiver of everything, one that refuses, and one for subscriptions that come and go. */
export class Outside {
  /** Who has taken which events, and what the prompt one has heard of bookings: type and id. */
  readonly taken = { prompt: new Set<string>(), slow: new Set<string>() };
  readonly heard = new Set<string>();
  refused = 0;
  polls = 0;
  readonly #receivers: Record<(typeof NAMES)[number], Receiver>;
  readonly #calendars = createServer((_request, response) => {
    // Another calendar each time; now and then none.
    this.polls++;
    if (this.polls % 10 === 0) response.writeHead(503).end();
    else response.writeHead(200, { 'content-type': 'text/calendar' }).end(calendarNumber(this.polls));
  });

  static async open(): Promise<Outside> {
    const opened = await Promise.all(NAMES.map(() => startReceiver()));
    const outside = new Outside(opened);
    await new Promise<void>((resolve) => outside.#calendars.listen(0, '127.0.0.1', resolve));
    return outside;
  }

  private constructor([prompt, slow, refusing, passing]: readonly Receiver[]) {
    this.#receivers = { prompt: prompt!, slow: slow!, refusing: refusing!, passing: passing! };
    prompt!.answer = ({ body: { id, type, data } }) => {
      this.taken.prompt.add(id);
      if ('booking' in data) this.heard.add(`${type} ${data.booking.id}`);
      return this.#forget(204);
    };
    slow!.answer = async ({ body }) => {
      await delay(SLOW_MS);
      this.taken.slow.add(body.id);
      return this.#forget(204);
    };
    refusing!.answer = () => {
      this.refused++;
      return this.#forget(503);
    };
    passing!.answer = () => this.#forget(204);
  }

  get passing(): string {
    return this.#receivers.passing.url;
  }

  get calendar(): string {
    return `http://127.0.0.1:${(this.#calendars.address() as AddressInfo).port}/calendar.ics`;
  }

  async subscribe(service: string, key: string): Promise<void> {
    const { prompt, slow, refusing } = this.#receivers;
    for (const { url } of [prompt, slow, refusing]) {
      const events = url === refusing.url ? ['booking.cancelled'] : EVENT_TYPES;
      const answer = await send(service, 'POST', WEBHOOKS, { key, body: { url, events } });
      if (answer.status !== 201) throw new Error(`no subscription: ${answer.text}`);
    }
  }

  /** Throws if a delivery was not as documented. */
  async close(): Promise<void> {
    this.#calendars.close().closeAllConnections();
    await Promise.all(Object.values(this.#receivers).map((receiver) => receiver.close()));
  }

  /** Receivers keep all that they get: a hundred thousand deliveries would fill the memory of the one who measures. */
  #forget(status: number): { status: number } {
    for (const { received } of Object.values(this.#receivers)) received.length = 0;
    return { status };
  }
}

const DATES = datesFrom(1, 20);

function calendarNumber(n: number): string {
  const events = DATES.map((date, i) => {
    const [day, hour] = [date.replaceAll('-', ''), String((i + n) % 22).padStart(2, '0')];
    return [`UID:${i}`, `DTSTART:${day}T${hour}0000`, 'DURATION:PT2H'];
  });
  return calendarOf(...events);
}
