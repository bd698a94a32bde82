import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HourkeepError } from '../../client/src/error.ts';
import { Hourkeep } from '../../client/src/hourkeep.ts';
import { verifyWebhook } from '../../client/src/verify-webhook.ts';
import { baseUrl, readConfig } from '../config.ts';
import { OperatorError } from '../errors.ts';
import { EVENT_TYPES, type EventType } from '../events/events.ts';
import { WEBHOOK } from '../webhooks/fields.ts';
import { command, flag, option, withDefault } from './command.ts';
import * as parse from './options.ts';
import { note, print, toJson } from './output.ts';

interface Receiver {
  /** Known only once we have subscribed, which needs our URL. */
  secret: string | undefined;
  status: number;
  /** Where verified deliveries are forwarded to; its status is then ours. */
  forwardTo: string | undefined;
  json: boolean;
}

export const listen = command('listen', {
  about: 'receive webhooks on this machine, verify their signatures and print them',
  options: {
    port: withDefault('<port>', 'where to listen on 127.0.0.1', parse.countFrom(0, 65_535), '4000'),
    key: option('<key>', 'subscribe with this API key, and unsubscribe at the end', parse.text()),
    api: option('<url>', 'the API to subscribe at (default: where the settings say it is)', parse.httpUrl),
    events: option('<list>', 'which events to subscribe to (default: all)', parse.field(WEBHOOK.events)),
    secret: option('<secret>', 'verify with this secret of your own subscription', parse.webhookSecret),
    status: withDefault('<code>', 'the response to a verified delivery', parse.countFrom(200, 599), '200'),
    forwardTo: option(
      '<url>',
      'forward verified deliveries to your own server, and return its status',
      parse.httpUrl,
    ),
    json: flag('print one JSON object a delivery, each on its own line'),
  },
  examples: [
    'hourkeep listen --key hk_test_…',
    'hourkeep listen --key hk_test_… --events booking.created --status 503',
    'hourkeep listen --key hk_test_… --forward-to http://127.0.0.1:8080/webhooks',
  ],
  misuse: ({ forwardTo, key, secret }) =>
    forwardTo !== undefined &&
    (key ?? secret) === undefined &&
    '--forward-to passes on what is verified: give --key or --secret too',
  start: async ({ port, key, events = [...EVENT_TYPES], ...options }) => {
    const receiver: Receiver = { ...options };
    const server = createServer((request, response) => {
      receive(request, response, receiver).catch(() => response.destroy());
    }).listen(port, '127.0.0.1');
    await once(server, 'listening').catch(({ code }: NodeJS.ErrnoException) => {
      throw new OperatorError(`cannot listen on 127.0.0.1:${port} (${code}); choose another --port`);
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    try {
      const api = options.api ?? baseUrl(readConfig(process.env));
      const subscription = key === undefined ? undefined : await subscribe(api, key, url, events);
      if (subscription !== undefined) receiver.secret = subscription.secret;
      const checked = receiver.secret ? 'verifying signatures' : 'without verifying: give --key or --secret';
      note(`Listening on ${url}, ${checked}. Ctrl-C stops.`);
      await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
      await subscription?.remove();
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
});

async function subscribe(api: string, apiKey: string, url: string, events: EventType[]) {
  const fail = (error: unknown): never => {
    throw new OperatorError(
      error instanceof HourkeepError && error.status > 0
        ? `${api} rejected the subscription: ${error.message}`
        : `cannot reach the API at ${api}; is "hourkeep serve" running? (--api names another)`,
    );
  };
  const { webhooks } = new Hourkeep({ apiKey, baseUrl: api });
  const { id, secret } = await webhooks.create({ url, events, description: 'hourkeep listen' }).catch(fail);
  return { secret, remove: () => webhooks.delete(id).catch(fail) };
}

const MAX_LENGTH = 1024 * 1024;
/** Less than a delivery waits for its response. */
const FORWARD_TIMEOUT_MS = 10_000;

/** A receiver as a customer's should be: it returns 401 for what it cannot verify. */
async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { secret, status, forwardTo, json }: Receiver,
): Promise<void> {
  const text = await readText(request);
  const headers = request.headers as Record<string, string | undefined>;
  const problem =
    secret === undefined
      ? 'not verified'
      : await verifyWebhook({ payload: text, headers, secret }).then(
          () => null,
          (error: Error) => error.message,
        );
  // What is forwarded must be verified; the sender retries what came before we knew the secret.
  const rejected = problem !== null && (secret !== undefined || forwardTo !== undefined);
  const forwarded = rejected || forwardTo === undefined ? undefined : await forward(forwardTo, headers, text);
  // A server that does not respond counts as 502, so that the delivery is retried.
  const answered = rejected ? 401 : typeof forwarded === 'string' ? 502 : (forwarded ?? status);
  response.writeHead(answered).end();
  const id = headers['webhook-id'] ?? '';
  const body = parsed(text);
  if (json) {
    print(toJson({ verified: problem === null, problem, answered, forwarded, id, body }));
    return;
  }
  const { type = 'not an event', data = body } = Object(body) as { type?: unknown; data?: unknown };
  const parts = [new Date().toISOString().slice(11, 23), type, problem ?? 'verified', `returned ${answered}`];
  if (forwarded !== undefined) parts.push(`your server: ${forwarded}`);
  const lines = toJson(data, 2).split('\n');
  print([[...parts, id].join('  '), ...lines.map((line) => `  ${line}`), '']);
}

/** The same bytes under the same signature, so that the server behind can verify them itself: its status, or why there is none. */
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
