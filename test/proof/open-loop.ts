import { Connection } from '../traffic/connection.ts';
import { requestText, type Work } from '../traffic/work.ts';

// The load generator of load.ts, in a process of its own. It asks at a fixed rate, whether or not the service
// keeps up (an open loop): whoever waits for answers before asking again hides the queue it causes. Without a rate
// every connection asks again as soon as it has its answer, which finds out what the service can take.

export interface Job {
  readonly port: number;
  readonly connections: number;
  /** Requests per second, as far as there are connections to carry them; undefined: as fast as they are answered. */
  readonly rate?: number;
  readonly seconds: number;
  /** Asked for in turns. */
  readonly works: readonly Work[];
  /** Number of the first request. */
  readonly first: number;
}

export interface Outcome {
  /** What was answered with 200: when it was asked, in seconds since the start, and the milliseconds it took. */
  readonly accepted: { readonly at: number[]; readonly ms: number[] };
  /** 503 with Retry-After, likewise. */
  readonly shed: { readonly at: number[]; readonly ms: number[] };
  /** How many had which other status; 0: the connection was closed. */
  readonly other: Record<string, number>;
  /** Milliseconds from the end until the last answer had come. */
  readonly drainMs: number;
  /** Number of the first request that was not sent. */
  readonly next: number;
}

const RETRY_AFTER = Buffer.from('\r\nretry-after: ');

process.on('message', (job: Job) => {
  run(job).then(
    (outcome) => process.send?.(outcome),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});

async function run({ port, connections, rate, seconds, works, first }: Job): Promise<Outcome> {
  const outcome = {
    accepted: { at: [] as number[], ms: [] as number[] },
    shed: { at: [] as number[], ms: [] as number[] },
    other: {} as Record<string, number>,
    drainMs: 0,
    next: first,
  };
  const idle: Connection[] = [];
  const done = Promise.withResolvers<void>();
  let pending = 0;
  // No time at all: every connection asks once.
  let over = seconds === 0;
  const ask = (connection: Connection): void => {
    const n = outcome.next++;
    const sentAt = performance.now();
    pending++;
    connection.hear = (status, head) => hear(connection, status, head, sentAt);
    connection.ask(requestText(works[n % works.length]!, Math.floor(n / works.length)));
  };
  const hear = (connection: Connection, status: number, head: Buffer, sentAt: number): void => {
    pending--;
    const isShed = status === 503 && head.includes(RETRY_AFTER);
    const list = status === 200 ? outcome.accepted : isShed ? outcome.shed : undefined;
    list?.at.push((sentAt - start) / 1000);
    list?.ms.push(performance.now() - sentAt);
    if (list === undefined) outcome.other[status] = (outcome.other[status] ?? 0) + 1;
    if (connection.isOpen && rate !== undefined) idle.push(connection);
    else if (connection.isOpen && !over) ask(connection);
    if (over && pending === 0) done.resolve();
  };
  const all = await connectionsTo(port, connections);
  const start = performance.now();
  if (rate === undefined) for (const connection of all) ask(connection);
  else idle.push(...all);
  let due = 0;
  const tick = setInterval(() => {
    if (rate === undefined) return;
    const now = Math.floor(((performance.now() - start) / 1000) * rate);
    for (; due < now && idle.length > 0; due++) ask(idle.pop()!);
    // What nobody was free to ask for is not asked for later.
    due = now;
  }, 1);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  clearInterval(tick);
  over = true;
  const end = performance.now();
  if (pending > 0) await done.promise;
  outcome.drainMs = performance.now() - end;
  return outcome;
}

let open: Connection[] = [];

/** Kept from one run to the next: thousands that come or go at once are a load of their own. */
async function connectionsTo(port: number, count: number): Promise<Connection[]> {
  open = open.filter((connection) => connection.isOpen);
  const missing = Math.max(0, count - open.length);
  open.push(...(await Promise.all(Array.from({ length: missing }, () => Connection.to(port)))));
  return open.slice(0, count);
}
