import { createInterface } from 'node:readline';
import {
  Hourkeep,
  HourkeepError,
  signWebhook,
  verifyWebhook,
  type AnswerSeen,
  type Booking,
} from '../../client/src/index.ts';
import type { Asked, Call, Options, Result } from './client-process.ts';

// The TypeScript client, driven: a JSON object a line in, a JSON object a line out. client-process.ts says what they are.

interface Open {
  hk: Hourkeep;
  seen: unknown[];
}

const opened = new Map<string, Open>();

function open(options: Options): Open {
  const known = opened.get(JSON.stringify(options));
  if (known !== undefined) return known;
  const seen: unknown[] = [];
  const { apiKey, baseUrl, maxRetries, timeout, maxWait, throws } = options;
  const hk = new Hourkeep({
    apiKey,
    baseUrl,
    maxRetries,
    timeoutMs: timeout === undefined ? undefined : timeout * 1000,
    maxWaitMs: maxWait === undefined ? undefined : maxWait * 1000,
    onResponse: ({ method, path, status, headers, attempt, durationMs }: AnswerSeen) => {
      seen.push({ method, path, status, attempt, type: headers.get('content-type'), took: durationMs >= 0 });
      if (throws === true) throw new Error('not my business');
    },
  });
  const made = { hk, seen };
  opened.set(JSON.stringify(options), made);
  return made;
}

async function valueOf(options: Options, [name, ...args]: Call): Promise<unknown> {
  if (name === 'verifyWebhook') return verifyWebhook(args[0] as Parameters<typeof verifyWebhook>[0]);
  if (name === 'signWebhook') return signWebhook(args[0] as Parameters<typeof signWebhook>[0]);
  const { hk, seen } = open(options);
  if (name === 'seen') return seen;
  if (name === 'bookings.iterate') return Array.fromAsync(hk.bookings.iterate(args[0] as object | undefined));
  if (name === 'bookings.changes') {
    const pages: Booking[][] = [];
    const since = await hk.bookings.changes((args[0] as string | null) ?? undefined, (page) =>
      pages.push(page),
    );
    return { since, pages };
  }
  const [part = '', method = ''] = name.split('.');
  const methods = hk[part as keyof Hourkeep] as Record<string, (...given: unknown[]) => Promise<unknown>>;
  return methods[method]!(...args);
}

async function resultOf(options: Options, call: Call): Promise<Result> {
  try {
    return { value: await valueOf(options, call) };
  } catch (error) {
    if (!(error instanceof HourkeepError)) return { mistake: String(error) };
    const { code, status, message, requestId, details, retryAfter, outcome } = error;
    return { error: { code, status, message, requestId, details, retryAfter, outcome } };
  }
}

for await (const line of createInterface(process.stdin)) {
  const { options, calls } = JSON.parse(line) as Asked;
  const results = await Promise.all(calls.map((call) => resultOf(options, call)));
  process.stdout.write(`${JSON.stringify(results)}\n`);
}
