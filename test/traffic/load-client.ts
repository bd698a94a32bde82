import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { quantile, type Figure } from './figures.ts';
import type { Job, Outcome } from './load-process.ts';
import { cpuOf, type Server } from './servers.ts';
import { requestText, type Work } from './work.ts';

/** Counts from now on; answers with what one of so many has cost these servers and the database. */
export function countCpu(servers: readonly Pick<Server, 'pid'>[], databaseCpu: () => number) {
  const own = (): number => servers.reduce((sum, { pid }) => sum + cpuOf(pid), 0);
  const before = { own: own(), database: databaseCpu() };
  return (count: number) => ({
    cpu: (own() - before.own) / count,
    database: (databaseCpu() - before.database) / count,
  });
}

/** The load generator's process, kept for a whole part so that it is as warm as what it measures. */
export class LoadClient {
  readonly #child: ChildProcess = fork(new URL('load-process.ts', import.meta.url));
  readonly #next = new Map<Work, number>();

  async ask(job: Job): Promise<Outcome> {
    this.#child.send(job);
    const [outcome] = (await once(this.#child, 'message')) as [Outcome | { failure: string }];
    if ('failure' in outcome) throw new Error(outcome.failure);
    return outcome;
  }

  /** All must be accepted. What is answered after the time does not count. */
  async run(job: Job): Promise<{ requests: number; p50: number; p99: number; next: number }> {
    const { accepted, shed, anOther, next } = await this.ask(job);
    if (anOther !== undefined) throw new Error(`an answer was not as expected: ${anOther}`);
    if (shed.ms.length > 0) throw new Error(`${shed.ms.length} requests were refused with 503`);
    const times = accepted.ms.filter((ms, i) => accepted.at[i]! + ms / 1000 <= job.seconds);
    return { requests: times.length, p50: quantile(times, 0.5), p99: quantile(times, 0.99), next };
  }

  /** The numbers of a work's requests go on from one time to the next, so that each books what is still free. */
  async load(
    servers: readonly Server[],
    work: Work,
    connections: number,
    seconds: number,
    databaseCpu: () => number,
    pauseMs?: number,
  ): Promise<Figure> {
    const cpuEach = countCpu(servers, databaseCpu);
    const first = this.#next.get(work) ?? 0;
    const ports = servers.map(({ port }) => port);
    const job = { ports, works: [work], connections, seconds, pauseMs, first };
    const { requests, next, p50, p99 } = await this.run(job);
    this.#next.set(work, next);
    return { perSecond: requests / seconds, ms: p50, p99, ...cpuEach(requests) };
  }

  stop(): void {
    this.#child.kill();
  }
}

/** The bytes that the service answers to the first request. */
export async function answerTo({ port }: Server, work: Work): Promise<string> {
  const [head = '', body = ''] = requestText(work, 0).split('\r\n\r\n');
  const [method = '', path] = head.split(' ');
  const authorization = /Bearer \S+/.exec(head)?.[0] ?? '';
  const sent = body === '' ? {} : { body };
  const headers = { authorization, ...(body === '' ? {} : { 'content-type': 'application/json' }) };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...sent });
  if (answer.status !== 200) throw new Error(`${method} ${path} answered ${await answer.text()}`);
  return answer.text();
}
