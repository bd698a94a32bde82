import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Job, Load } from '../load-client.ts';
import type { Server } from './servers.ts';
import type { Work } from './work.ts';

export { median } from './spread.ts';

export interface Figure {
  readonly perSecond: number;
  /** Milliseconds; undefined where the tool does not tell. */
  readonly p50?: number;
  readonly p99?: number;
  /** Microseconds of the server's CPU for one request. */
  readonly cpu?: number;
  /** The same of PostgreSQL. */
  readonly database?: number;
}

/** A server and what it is asked; numbers of requests go on from round to round. */
export class Target {
  readonly #work: Work;
  readonly #databaseCpu: (() => number) | undefined;
  #next: number;

  constructor(work: Work, options: { first?: number; databaseCpu?: () => number } = {}) {
    this.#work = work;
    this.#databaseCpu = options.databaseCpu;
    this.#next = options.first ?? 0;
  }

  async load(server: Server, client: LoadClient, connections: number, seconds: number): Promise<Figure> {
    const cpu = { server: server.cpu(), database: this.#databaseCpu?.() };
    const job = { ports: [server.port], work: this.#work, connections, seconds, first: this.#next };
    const { requests, next, p50, p99 } = await client.run(job);
    this.#next = next;
    return {
      perSecond: requests / seconds,
      p50,
      p99,
      cpu: (server.cpu() - cpu.server) / requests,
      ...(cpu.database === undefined ? {} : { database: (this.#databaseCpu!() - cpu.database) / requests }),
    };
  }
}

/** The load generator's process, kept for a whole part so that it is as warm as what it measures. */
export class LoadClient {
  readonly #child: ChildProcess = fork(new URL('../load-client.ts', import.meta.url));

  async run(job: Job): Promise<Load> {
    this.#child.send(job);
    const [load] = (await once(this.#child, 'message')) as [Load];
    if (load.refusal !== undefined) throw new Error(`an answer was not as expected: ${load.refusal}`);
    return load;
  }

  stop(): void {
    this.#child.kill();
  }
}
