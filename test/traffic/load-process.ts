import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from './connection.ts';
import { requestText, type Work } from './work.ts';

// The load generator: keep-alive connections, one request under way on each, as many as the server will take, with a pause, or at a
// fixed rate. It takes about 25 µs a request and drives a bare server as fast as wrk does.

export interface Job {
  /** Connections are dealt out to them in turns. */
  readonly ports: readonly number[];
  readonly connections: number;
  /** 0: every connection asks once. */
  readonly seconds: number;
  /** How long a connection waits after an answer before it asks again; not at all by default. */
  readonly pauseMs?: number | undefined;
  /**
   * Requests per second, as far as there are connections to carry them, whether or not the service keeps up (an open loop): whoever
   * waits for answers before asking again hides the queue it causes.
   */
  readonly rate?: number | undefined;
  /** Asked for in turns. */
  readonly works: readonly Work[];
  /** Number of the first request. */
  readonly first: number;
  /** Its connections are there for the next job: thousands that come or go at once are a load of their own. */
  readonly keepsConnections?: boolean;
}

/** When each was asked, in seconds since the start, and the milliseconds it took. */
interface Answers {
  readonly at: number[];
  readonly ms: number[];
}

export interface Outcome {
  /** 200; of a crowd also 409. */
  readonly accepted: Answers;
  /** 503 with Retry-After. */
  readonly shed: Answers;
  /** How many were answered in any other way, and the first of them. Status 0: the connection was closed. */
  others: number;
  anOther: string | undefined;
  /** Milliseconds from the end until the last answer had come. */
  drainMs: number;
  /** Number of the first request that was not sent. */
  next: number;
}

const RETRY_AFTER = Buffer.from('\r\nretry-after: ');

process.on('message', (job: Job) => {
  run(job).then(
    (outcome) => process.send?.(outcome),
    (error: unknown) => process.send?.({ failure: String(error) }),
  );
});

/** All connections are open before the clock starts: accepting them is not what is measured. */
async function run(job: Job): Promise<Outcome> {
  const { seconds, pauseMs = 0, rate, works } = job;
  const outcome: Outcome = {
    accepted: { at: [], ms: [] },
    shed: { at: [], ms: [] },
    others: 0,
    anOther: undefined,
    drainMs: 0,
    next: job.first,
  };
  const tooLate = works.some((work) => work.kind === 'create' && work.crowd !== undefined) ? 409 : 200;
  const idle: Connection[] = [];
  const drained = Promise.withResolvers<void>();
  let pending = 0;
  let isOver = seconds === 0;
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
    const list = status === 200 || status === tooLate ? outcome.accepted : isShed ? outcome.shed : undefined;
    list?.at.push((sentAt - start) / 1000);
    list?.ms.push(performance.now() - sentAt);
    if (list === undefined && outcome.others++ === 0) outcome.anOther = `${status} ${head.toString()}`;
    if (connection.isOpen && !isOver) {
      if (rate !== undefined) idle.push(connection);
      else if (pauseMs === 0) ask(connection);
      else setTimeout(() => isOver || ask(connection), pauseMs);
    }
    if (isOver && pending === 0) drained.resolve();
  };
  const all = await connectionsOf(job);
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
  await delay(seconds * 1000);
  clearInterval(tick);
  isOver = true;
  const end = performance.now();
  if (pending > 0) await drained.promise;
  outcome.drainMs = performance.now() - end;
  if (job.keepsConnections !== true) for (const connection of open.splice(0)) connection.close();
  return outcome;
}

let open: Connection[] = [];

async function connectionsOf({ ports, connections }: Job): Promise<Connection[]> {
  open = open.filter((connection) => connection.isOpen);
  const missing = Math.max(0, connections - open.length);
  const opened = Array.from({ length: missing }, (_, i) => Connection.to(ports[i % ports.length]!));
  open.push(...(await Promise.all(opened)));
  return open.slice(0, connections);
}
