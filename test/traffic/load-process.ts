import { Connection } from './connection.ts';
import { quantile } from './figures.ts';
import { requestText, type Work } from './work.ts';

// The load generator: keep-alive connections, one request under way on each, as many as the server will take or with a pause.
// It takes about 25 µs a request and drives a bare server as fast as wrk does.

export interface Job {
  /** Connections are dealt out to them in turns. */
  readonly ports: readonly number[];
  readonly connections: number;
  readonly seconds: number;
  /** How long a connection waits after an answer before it asks again; not at all by default. */
  readonly pauseMs?: number | undefined;
  readonly work: Work;
  /** Number of the first request. */
  readonly first: number;
}

export interface Measured {
  readonly requests: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Number of the first request that was not sent. */
  readonly next: number;
  /** The first answer that was not expected. */
  readonly refusal: string | undefined;
}

process.on('message', (job: Job) => {
  run(job).then(
    (load) => process.send?.(load),
    (error: unknown) => process.send?.({ refusal: String(error) }),
  );
});

/** All connections are open before the clock starts: accepting them is not what is measured. */
async function run({ ports, connections, seconds, pauseMs = 0, work, first }: Job): Promise<Measured> {
  const open = await Promise.all(
    Array.from({ length: connections }, (_, i) => Connection.to(ports[i % ports.length]!)),
  );
  const times: number[] = [];
  const tooLate = work.kind === 'create' && work.crowd !== undefined ? 409 : 200;
  let next = first;
  let refusal: string | undefined;
  const deadline = performance.now() + seconds * 1000;
  const talk = (connection: Connection): Promise<void> =>
    new Promise((resolve) => {
      let sent = 0;
      const ask = (): void => {
        sent = performance.now();
        connection.ask(requestText(work, next++));
      };
      connection.hear = (status, head) => {
        const now = performance.now();
        if (now <= deadline) times.push(now - sent);
        if (status !== 200 && status !== tooLate) refusal ??= `${status} ${head.toString()}`;
        if (now >= deadline || refusal !== undefined) {
          connection.close();
          resolve();
        } else if (pauseMs === 0) ask();
        else setTimeout(ask, pauseMs);
      };
      ask();
    });
  await Promise.all(open.map(talk));
  return { requests: times.length, p50: quantile(times, 0.5), p99: quantile(times, 0.99), next, refusal };
}
