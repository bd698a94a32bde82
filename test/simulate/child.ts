import { writeSync } from 'node:fs';
import type { ExternalCalendar, Phase, Receiver, Request, Command } from './operation.ts';
import { closeKept } from './kept-database.ts';
import { makeTemplate, open, respond, runCommand, work, type Instance } from './instance.ts';
import { network } from './network.ts';
import { machine, Random } from './random.ts';

// A process of the service: the simulation asks it over IPC, stops it with kill -9, and sees what it delivers on a pipe.

const { readConfig } = await import('../../src/config.ts');
const { restartIds } = await import('../../src/ids/uuid.ts');

export type Ask =
  | { readonly kind: 'template'; readonly url: string }
  | {
      readonly kind: 'open';
      readonly variables: Record<string, string>;
      readonly seed: number;
      readonly jitter: number;
    }
  | { readonly kind: 'close' }
  /** Whether the database answers. */
  | { readonly kind: 'look' }
  | { readonly kind: 'work'; readonly phase: Phase }
  | Request
  | Command
  | Receiver
  | ExternalCalendar;

export interface Message {
  readonly id: number;
  readonly now: number;
  readonly ask: Ask;
}

export interface Reply {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
  /** That this process has sent so far. */
  readonly deliveries: number;
}

/** The pipe keeps what was written when the process is killed. */
const PIPE = 4;
let deliveries = 0;
network.deliver = (delivery) => {
  deliveries++;
  writeSync(PIPE, `${JSON.stringify(delivery)}\n`);
};

let instance: Instance | undefined;

process.on('disconnect', () => process.exit());
process.on('message', ({ id, now, ask }: Message) => {
  machine.now = now;
  const reply = (result: Pick<Reply, 'value' | 'error'>): void =>
    void process.send?.({ id, ...result, deliveries } satisfies Reply);
  answer(ask).then(
    (value) => reply({ value }),
    (error: Error) => reply({ error: error.stack ?? String(error) }),
  );
});

async function answer(ask: Ask): Promise<unknown> {
  switch (ask.kind) {
    case 'template':
      return makeTemplate(ask.url);
    case 'open':
      machine.random = new Random(ask.seed);
      machine.jitter = ask.jitter;
      restartIds();
      network.receivers.clear();
      network.calendars.clear();
      Object.assign(process.env, ask.variables);
      instance = await open(readConfig(ask.variables));
      break;
    case 'close':
      await instance?.app.close();
      await closeKept();
      await instance?.ctx.db.close();
      break;
    case 'look':
      await closeKept();
      await instance!.ctx.db.transaction((tx) =>
        tx.get({ text: 'select 1 as one', name: '', writes: false }),
      );
      break;
    case 'work':
      return work(instance!.ctx, ask.phase);
    case 'request':
      return respond(instance!, ask);
    case 'command':
      return runCommand(ask.argv, ask.stdin);
    case 'receiver':
      network.receivers.set(ask.url, ask);
      break;
    case 'calendar':
      network.calendars.set(ask.url, ask.serves);
  }
  return undefined;
}
