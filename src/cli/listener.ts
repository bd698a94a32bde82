import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
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

export interface ListenerOptions {
  /** Known only once we have subscribed, which needs our URL. */
  secret(): string | undefined;
  status: number;
  /** Where verified deliveries are forwarded to; its status is then ours. */
  forwardTo?: string | undefined;
  onHeard(heard: Heard): void;
}

const MAX_LENGTH = 1024 * 1024;

/** A receiver as a customer's should be: it returns 401 for what it cannot verify. */
export async function startListener(
  port: number,
  options: ListenerOptions,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    receive(request, response, options).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new OperatorError(`cannot listen on 127.0.0.1:${port} (${error.code}); choose another --port`)),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://127.0.0.1:${actual}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { secret, status, forwardTo, onHeard }: ListenerOptions,
): Promise<void> {
  const text = await readText(request);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
  const key = secret();
  const problem =
    key === undefined ? 'not verified' : signatureProblem(key, headers, text, systemClock.now());
  // What is forwarded must be verified; the sender retries what came before we knew the secret.
  const rejected = problem !== null && (key !== undefined || forwardTo !== undefined);
  const forwarded = rejected || forwardTo === undefined ? undefined : await forward(forwardTo, headers, text);
  const answered = rejected ? 401 : (statusOf(forwarded) ?? status);
  response.writeHead(answered).end();
  const body = parsed(text);
  const type =
    typeof body === 'object' && body !== null && 'type' in body ? String(body.type) : 'not an event';
  const heard = { id: headers['webhook-id'] ?? '', type, body, problem, answered };
  onHeard(forwarded === undefined ? heard : { ...heard, forwarded });
}

/** A server that does not respond counts as 502, so that the delivery is retried. */
function statusOf(forwarded: number | string | undefined): number | undefined {
  return typeof forwarded === 'string' ? 502 : forwarded;
}

/** The same bytes under the same signature, so that the server behind can verify them itself. */
async function forward(
  url: string,
  headers: Record<string, string | undefined>,
  text: string,
): Promise<number | string> {
  const names = ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const kept = names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]] as const]));
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: Object.fromEntries(kept),
      body: text,
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

/** Less than a delivery waits for its response. */
const FORWARD_TIMEOUT_MS = 10_000;

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
