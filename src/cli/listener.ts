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
  /** What the server that it was passed on to answered, or why it did not. */
  forwarded?: number | string;
}

export interface ListenerOptions {
  /** Known only once we have subscribed, which needs our address. */
  secret(): string | undefined;
  status: number;
  /** Where deliveries that can be trusted are passed on to; its status is then our answer. */
  forwardTo?: string | undefined;
  onHeard(heard: Heard): void;
}

const MOST_BYTES = 1024 * 1024;

/** A receiver as a customer's should be: it answers 401 to what it cannot trust. */
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
  // What is passed on must be verified; the sender tries again what came before we knew the secret.
  const refused = problem !== null && (key !== undefined || forwardTo !== undefined);
  const forwarded = refused || forwardTo === undefined ? undefined : await forward(forwardTo, headers, text);
  const answered = refused ? 401 : (statusOf(forwarded) ?? status);
  response.writeHead(answered).end();
  const body = parsed(text);
  const type =
    typeof body === 'object' && body !== null && 'type' in body ? String(body.type) : 'not an event';
  const heard = { id: headers['webhook-id'] ?? '', type, body, problem, answered };
  onHeard(forwarded === undefined ? heard : { ...heard, forwarded });
}

/** A server that does not answer counts as 502, so that the delivery is tried again. */
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

/** Less than a delivery waits for its answer. */
const FORWARD_TIMEOUT_MS = 10_000;

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > MOST_BYTES) throw new Error('too large');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
