import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';
import { deliveryProblems } from '../contract/delivery.ts';
import { noteDelivered } from '../contract/seen.ts';
import { deliveryContract } from './contract.ts';
import type { Delivered } from './answer.ts';
import { listening } from './listening.ts';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  /** As it came, for signatures. */
  text: string;
  body: Delivered;
  at: number;
  /** The status of our answer; undefined while it hangs. */
  answered?: number;
}

interface ReceiverAnswer {
  status: number;
  headers?: Record<string, string>;
}

/**
 * A receiver of webhooks behind a real port: it keeps what it gets and answers as told, at any time anew. Whatever it
 * gets is held against the document: closing it fails if a delivery was not as documented.
 */
export interface Receiver {
  url: string;
  received: Received[];
  /** Undefined hangs: the request is taken and never answered. */
  answer: (received: Received) => ReceiverAnswer | undefined | Promise<ReceiverAnswer>;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const violations: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const { url: path = '', headers } = request;
      const received: Received = { path, headers, text: body, body: JSON.parse(body), at: performance.now() };
      const problems = deliveryProblems(deliveryContract(), received);
      const { type } = received.body as { type: string };
      if (problems.length > 0)
        violations.push(`${type} was delivered outside the document: ${problems.join('; ')}`);
      else noteDelivered(type);
      receiver.received.push(received);
      const answer = await receiver.answer(received);
      if (answer === undefined) return;
      received.answered = answer.status;
      response.writeHead(answer.status, answer.headers).end();
    });
  });
  const { port, close } = await listening(server);
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received: [],
    answer: () => ({ status: 204 }),
    close: async () => {
      await close();
      if (violations.length > 0) throw new Error(violations.join('\n'));
    },
  };
  return receiver;
}

/** A new one, closed when the suite ends. */
export function receiverFor(): Promise<Receiver> {
  const started = startReceiver();
  after(async () => (await started).close());
  return started;
}
