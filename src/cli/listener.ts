import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { OperatorError } from '../errors.ts';
import { distrust } from '../webhooks/signature.ts';

/** A delivery that came in. */
export interface Heard {
  id: string;
  type: string;
  body: unknown;
  /** Why it cannot be trusted; null when its signature is right. */
  distrusted: string | null;
  answered: number;
}

export interface ListenerOptions {
  /** Known only once we have subscribed, which needs our address. */
  secret(): string | undefined;
  status: number;
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
  { secret, status, onHeard }: ListenerOptions,
): Promise<void> {
  const text = await readText(request);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
  const key = secret();
  const distrusted = key === undefined ? 'not verified' : distrust(key, headers, text, Date.now());
  const answered = key !== undefined && distrusted !== null ? 401 : status;
  response.writeHead(answered).end();
  const body = parsed(text);
  const type =
    typeof body === 'object' && body !== null && 'type' in body ? String(body.type) : 'not an event';
  onHeard({ id: headers['webhook-id'] ?? '', type, body, distrusted, answered });
}

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
