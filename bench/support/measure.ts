import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Job, Load } from '../load-client.ts';
import type { Server } from './servers.ts';
import type { Work } from './work.ts';

export { median } from './spread.ts';

/** What was measured; missing or NaN where nobody can tell. */
export interface Figure {
  readonly perSecond?: number;
  /** Milliseconds: the median, or the one duration that there is. */
  readonly ms?: number;
  readonly p99?: number;
  /** Microseconds of CPU for one request: of the servers that were asked, and of PostgreSQL. */
  readonly cpu?: number;
  readonly database?: number;
}

/** The load generator's process, kept for a whole part so that it is as warm as what it measures. */
export class LoadClient {
  readonly #child: ChildProcess = fork(new URL('../load-client.ts', import.meta.url));
  readonly #next = new Map<Work, number>();

  async run(job: Job): Promise<Load> {
    this.#child.send(job);
    const [load] = (await once(this.#child, 'message')) as [Load];
    if (load.refusal !== undefined) throw new Error(`an answer was not as expected: ${load.refusal}`);
    return load;
  }

  /** The numbers of a work's requests go on from one time to the next, so that each books what is still free. */
  async load(
    servers: readonly Server[],
    work: Work,
    connections: number,
    seconds: number,
    databaseCpu = () => NaN,
  ): Promise<Figure> {
    const cpuOfServers = (): number => servers.reduce((sum, server) => sum + server.cpu(), 0);
    const before = { servers: cpuOfServers(), database: databaseCpu() };
    const first = this.#next.get(work) ?? 0;
    const ports = servers.map(({ port }) => port);
    const { requests, next, p50, p99 } = await this.run({ ports, work, connections, seconds, first });
    this.#next.set(work, next);
    return {
      perSecond: requests / seconds,
      ms: p50,
      p99,
      cpu: (cpuOfServers() - before.servers) / requests,
      database: (databaseCpu() - before.database) / requests,
    };
  }

  stop(): void {
    this.#child.kill();
  }
}
