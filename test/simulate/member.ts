import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Ask, Message, Reply } from './child.ts';
import type { Delivery } from './operation.ts';

/** Instead of a reply: the process was killed before. */
export const GONE = Symbol('gone');

/** One process of the service, as the simulation holds it. */
export class Member {
  readonly #process;
  readonly #waiting = new Map<number, (reply: Reply | typeof GONE) => void>();
  readonly #arrived: Delivery[] = [];
  readonly #ended;
  #asked = 0;
  #seen = 0;
  /** That the process says it has sent, and that came. */
  #sent = 0;
  #came = 0;
  #wake = (): void => undefined;
  isGone = false;

  /** `folder`: of the version. */
  constructor(folder: string) {
    this.#process = fork(`${folder}/test/simulate/child.ts`, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc', 'pipe'],
    });
    const lines = createInterface({ input: this.#process.stdio[4] as Readable });
    lines.on('line', (line) => {
      this.#arrived.push(JSON.parse(line) as Delivery);
      this.#came++;
      this.#wake();
    });
    this.#ended = Promise.all([once(this.#process, 'exit'), once(lines, 'close')]);
    this.#process.on('message', (reply: Reply) => {
      this.#sent = reply.deliveries;
      this.#waiting.get(reply.id)?.(reply);
      this.#waiting.delete(reply.id);
    });
    this.#process.on('exit', () => {
      this.isGone = true;
      for (const settle of this.#waiting.values()) settle(GONE);
      this.#waiting.clear();
    });
  }

  /** Throws what the process threw. */
  async ask<Value>(now: number, ask: Ask): Promise<Value | typeof GONE> {
    if (this.isGone) return GONE;
    const id = ++this.#asked;
    const replied = new Promise<Reply | typeof GONE>((settle) => this.#waiting.set(id, settle));
    // It may be killed meanwhile.
    this.#process.send({ id, now, ask } satisfies Message, () => undefined);
    const reply = await replied;
    if (reply === GONE) return GONE;
    if (reply.error !== undefined) throw new Error(reply.error);
    return reply.value as Value;
  }

  /** What it has delivered since the last time. */
  async deliveries(): Promise<Delivery[]> {
    if (this.isGone) await this.#ended;
    else while (this.#came < this.#sent) await new Promise<void>((settle) => (this.#wake = settle));
    const some = this.#arrived.slice(this.#seen);
    this.#seen = this.#arrived.length;
    return some;
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended;
  }

  /** Whether this process waits for it at its end. */
  set keepsAlive(keeps: boolean) {
    const each = [this.#process, this.#process.channel, this.#process.stdio[4]] as unknown as {
      ref(): void;
      unref(): void;
    }[];
    for (const handle of each) {
      if (keeps) handle.ref();
      else handle.unref();
    }
  }
}
