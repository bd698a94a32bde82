import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from '../traffic/servers.ts';
import type { Work } from '../traffic/work.ts';
import type { Job, Outcome } from './open-loop.ts';

/** The load generator's process; numbers of requests go on from one run to the next. */
export class Generator {
  readonly #child: ChildProcess = fork(new URL('open-loop.ts', import.meta.url));
  readonly #service: Server;
  readonly #works: readonly Work[];
  #next = 0;

  constructor(service: Server, works: readonly Work[]) {
    this.#service = service;
    this.#works = works;
  }

  async run(job: Pick<Job, 'connections' | 'seconds' | 'rate'>): Promise<Outcome> {
    const whole: Job = { ...job, port: this.#service.port, works: this.#works, first: this.#next };
    this.#child.send(whole);
    const [outcome] = (await once(this.#child, 'message')) as [Outcome];
    this.#next = outcome.next;
    return outcome;
  }

  stop(): void {
    this.#child.kill();
  }
}
