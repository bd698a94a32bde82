import { once } from 'node:events';
import { baseUrl, readConfig } from '../config.ts';
import { OperatorError } from '../errors.ts';
import { EVENT_TYPES, type EventType } from '../events/events.ts';
import { WEBHOOK } from '../webhooks/fields.ts';
import { command, flag, option, withDefault } from './command.ts';
import { startListener, type Heard } from './listener.ts';
import * as parse from './options.ts';
import { note, print, toJson } from './output.ts';

export const listen = command('listen', {
  about: 'receive webhooks on this machine, verify their signatures and print them',
  options: {
    port: withDefault('--port <port>', 'where to listen on 127.0.0.1', parse.countFrom(0, 65_535), 4000),
    key: option('--key <key>', 'subscribe with this API key, and unsubscribe at the end', parse.text()),
    api: option(
      '--api <url>',
      'the API to subscribe at (default: where the settings say it is)',
      parse.httpUrl,
    ),
    events: option(
      '--events <list>',
      'which events to subscribe to (default: all)',
      parse.field(WEBHOOK.events),
    ),
    secret: option(
      '--secret <secret>',
      'verify with this secret of a subscription you made yourself',
      parse.webhookSecret,
    ),
    status: withDefault(
      '--status <code>',
      'the status of a response to a verified delivery',
      parse.countFrom(200, 599),
      200,
    ),
    forwardTo: option(
      '--forward-to <url>',
      'forward verified deliveries to your own server, and return its status',
      parse.httpUrl,
    ),
    json: flag('--json', 'print one JSON object a delivery, each on its own line'),
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
  start: async ({ port, key, events = [...EVENT_TYPES], status, forwardTo, json, ...options }) => {
    let secret = options.secret;
    const listener = await startListener(port, {
      secret: () => secret,
      status,
      forwardTo,
      onHeard: json ? printLine : printForPeople,
    });
    const api = options.api ?? baseUrl(readConfig(process.env));
    try {
      const subscription = key === undefined ? undefined : await subscribe(api, key, listener.url, events);
      secret = subscription?.secret ?? secret;
      const checked =
        secret === undefined ? 'without verifying: give --key or --secret' : 'verifying signatures';
      note(`Listening on ${listener.url}, ${checked}. Ctrl-C stops.`);
      await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
      await subscription?.remove();
    } finally {
      await listener.close();
    }
  },
});

async function subscribe(api: string, apiKey: string, url: string, events: EventType[]) {
  // Loaded here: without a key it is not needed.
  const [{ Hourkeep }, { HourkeepError }] = await Promise.all([
    import('../../client/src/hourkeep.ts'),
    import('../../client/src/error.ts'),
  ]);
  const fail = (error: unknown): never => {
    throw new OperatorError(
      error instanceof HourkeepError && error.status > 0
        ? `${api} rejected the subscription: ${error.message}`
        : `cannot reach the API at ${api}; is "hourkeep serve" running? (--api names another)`,
    );
  };
  const open = async () => {
    const { webhooks } = new Hourkeep({ apiKey, baseUrl: api });
    const { id, secret } = await webhooks.create({ url, events, description: 'hourkeep listen' });
    return { secret, remove: () => webhooks.delete(id).catch(fail) };
  };
  return open().catch(fail);
}

function printLine({ problem, answered, forwarded, id, body }: Heard): void {
  print(toJson({ verified: problem === null, problem, answered, forwarded, id, body }));
}

function printForPeople({ problem, answered, forwarded, id, type, body }: Heard): void {
  const parts = [new Date().toISOString().slice(11, 23), type, problem ?? 'verified', `returned ${answered}`];
  if (forwarded !== undefined) parts.push(`your server: ${forwarded}`);
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : body;
  print([
    [...parts, id].join('  '),
    ...toJson(data, 2)
      .split('\n')
      .map((line) => `  ${line}`),
    '',
  ]);
}
