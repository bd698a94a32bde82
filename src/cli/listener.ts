import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OperatorError } from '../errors.ts';
import { signatureProblem } from '../webhooks/signature.ts';
import { systemClock } from '../time/clock.ts';

/** A delivery that came in. */
export interface Heard {
  id: string;
  type: string;
  body: unknown;
  /** Why it cannot be trusted; null when its signature is right. */
  problem: string | null;
  answered: number;
  /** The status that the server behind returned, or why there is none. */
  forwarded?: number | string;
}

interface ListenerOptions {
  /** Known only once we have subscribed, which needs our URL. */
  secret(): string | undefined;
  status: number;
  /** Where verified deliveries are forwarded to; its status is then ours. */
  forwardTo?: string | undefined;
  onHeard(heard: Heard): void;
}

const MAX_LENGTH = 1024 * 1024;
/** Less than a delivery waits for its response. */
const FORWARD_TIMEOUT_MS = 10_000;

/** A receiver as a customer's should be: it returns 401 for what it cannot verify. */
export async function startListener(port: number, options: ListenerOptions) {
  const server = createServer((request, response) => {
    receive(request, response, options).catch(() => response.destroy());
  }).listen(port, '127.0.0.1');
  await once(server, 'listening').catch(({ code }: NodeJS.ErrnoException) => {
    throw new OperatorError(`cannot listen on 127.0.0.1:${port} (${code}); choose another --port`);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { secret, status, forwardTo, onHeard }: ListenerOptions,
): Promise<void> {
  const text = await readText(request);
  const headers = request.headers as Record<string, string | undefined>;
  const key = secret();
  const problem =
    key === undefined ? 'not verified' : signatureProblem(key, headers, text, systemClock.now());
  // What is forwarded must be verified; the sender retries what came before we knew the secret.
  const rejected = problem !== null && (key !== undefined || forwardTo !== undefined);
  const forwarded = rejected || forwardTo === undefined ? undefined : await forward(forwardTo, headers, text);
  // A server that does not respond counts as 502, so that the delivery is retried.
  const answered = rejected ? 401 : typeof forwarded === 'string' ? 502 : (forwarded ?? status);
  response.writeHead(answered).end();
  const body = parsed(text);
  const type =
    typeof body === 'object' && body !== null && 'type' in body ? String(body.type) : 'not an event';
  const heard = { id: headers['webhook-id'] ?? '', type, body, problem, answered };
  onHeard(forwarded === undefined ? heard : { ...heard, forwarded });
}

/** The same bytes under the same signature, so that the server behind can verify them itself. */
async function forward(
  url: string,
  headers: Record<string, string | undefined>,
  body: string,
): Promise<number | string> {
  const names = ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: names.flatMap((name): [string, string][] => (headers[name] ? [[name, headers[name]]] : [])),
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(FORWARD_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    const { cause, message } = error as Error;
    return cause instanceof Error ? cause.message : message;
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_LENGTH) throw new Error('too large');
  }
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
