import { styleText } from 'node:util';
import type { Command } from 'commander';
import { baseUrl, readConfig } from '../config.ts';
import { OperatorError } from '../errors.ts';
import { EVENT_TYPES, type EventType } from '../events/events.ts';
import { startListener, type Heard } from './listener.ts';
import * as parse from './options.ts';
import { print } from './output.ts';

interface ListenOptions {
  port: number;
  key?: string;
  api?: string;
  events: EventType[];
  secret?: string;
  status: number;
  forwardTo?: string;
  json?: true;
}

export function addListenCommand(program: Command): void {
  const command: Command = program
    .command('listen')
    .description('receive webhooks on this machine, verify their signatures and print them')
    .option('--port <port>', 'where to listen on 127.0.0.1', parse.port, 4000)
    .option('--key <key>', 'subscribe with this API key, and unsubscribe at the end', parse.text)
    .option('--api <url>', 'the API to subscribe at (default: where the settings say it is)', parse.text)
    .option('--events <list>', 'which events to subscribe to (default: all)', parse.eventTypes, [
      ...EVENT_TYPES,
    ])
    .option(
      '--secret <secret>',
      'verify with this secret of a subscription you made yourself',
      parse.webhookSecret,
    )
    .option('--status <code>', 'what to answer to a delivery that can be trusted', parse.httpStatus, 200)
    .option(
      '--forward-to <url>',
      'pass verified deliveries on to your own server, and answer as it does',
      parse.httpUrl,
    )
    .option('--json', 'print one JSON object a delivery, each on its own line')
    .addHelpText(
      'after',
      '\nExamples:\n  hourkeep listen --key hk_test_…\n  hourkeep listen --key hk_test_… --events booking.created --status 503\n  hourkeep listen --key hk_test_… --forward-to http://127.0.0.1:8080/webhooks',
    )
    .action(async (options: ListenOptions) => {
      if (options.forwardTo !== undefined && options.key === undefined && options.secret === undefined)
        command.error('error: --forward-to passes on what is verified: give --key or --secret too');
      await listen(options);
    });
}

async function listen(options: ListenOptions): Promise<void> {
  let secret = options.secret;
  const listener = await startListener(options.port, {
    secret: () => secret,
    status: options.status,
    forwardTo: options.forwardTo,
    onHeard: options.json ? printLine : printForPeople,
  });
  const api = options.api ?? baseUrl(readConfig(process.env));
  let unsubscribe = async (): Promise<void> => undefined;
  try {
    if (options.key !== undefined) {
      const subscription = await subscribe(api, options.key, listener.url, options.events);
      secret = subscription.secret;
      unsubscribe = subscription.remove;
    }
    const checked =
      secret === undefined ? 'without verifying: give --key or --secret' : 'verifying signatures';
    process.stderr.write(`Listening on ${listener.url}, ${checked}. Ctrl-C stops.\n`);
    await interrupted();
    await unsubscribe();
  } finally {
    await listener.close();
  }
}

async function interrupted(): Promise<void> {
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
}

async function subscribe(
  api: string,
  key: string,
  url: string,
  events: readonly EventType[],
): Promise<{ secret: string; remove(): Promise<void> }> {
  const description = 'hourkeep listen';
  const { webhook } = await callApi(api, key, 'POST', '', { url, events, description });
  if (webhook?.secret === undefined) throw new OperatorError(`${api} did not answer with a subscription`);
  const { id, secret } = webhook;
  return {
    secret,
    remove: async () => {
      await callApi(api, key, 'DELETE', `/${id}`);
    },
  };
}

interface ApiAnswer {
  data?: { webhook?: { id: string; secret?: string } };
  error?: { message: string };
}

async function callApi(
  api: string,
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<NonNullable<ApiAnswer['data']>> {
  const response = await fetch(`${api.replace(/\/+$/, '')}/api-webhooks/api/v1/webhooks${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  }).catch(() => {
    throw new OperatorError(
      `cannot reach the API at ${api}; is "hourkeep serve" running? (--api names another)`,
    );
  });
  const answer = (await response.json().catch(() => ({}))) as ApiAnswer;
  if (!response.ok) {
    throw new OperatorError(`${api} refused: ${answer.error?.message ?? `status ${response.status}`}`);
  }
  return answer.data ?? {};
}

function printLine(heard: Heard): void {
  const { problem, answered, forwarded, id, body } = heard;
  print(JSON.stringify({ verified: problem === null, problem, answered, forwarded, id, body }));
}

/** Colours only where standard output is a terminal that wants them. */
function printForPeople({ problem, answered, forwarded, id, type, body }: Heard): void {
  const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
    styleText(style, text, { stream: process.stdout });
  const trust = problem === null ? paint('green', 'verified') : paint('red', problem);
  const status = paint(answered < 300 ? 'green' : 'yellow', String(answered));
  const time = paint('dim', new Date().toISOString().slice(11, 23));
  const behind = forwarded === undefined ? '' : `  your server: ${forwarded}`;
  print(
    `${time}  ${paint(['bold', 'cyan'], type)}  ${trust}  answered ${status}${behind}  ${paint('dim', id)}`,
  );
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : body;
  print(`${JSON.stringify(data, null, 2).replaceAll(/^/gm, '  ')}\n`);
}
