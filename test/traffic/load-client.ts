import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Figure } from './figures.ts';
import type { Job, Measured } from './load-process.ts';
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

  async run(job: Job): Promise<Measured> {
    this.#child.send(job);
    const [load] = (await once(this.#child, 'message')) as [Measured];
    if (load.refusal !== undefined) throw new Error(`an answer was not as expected: ${load.refusal}`);
    return load;
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
    const { requests, next, p50, p99 } = await this.run({
      ports,
      work,
      connections,
      seconds,
      pauseMs,
      first,
    });
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
