import assert from 'node:assert/strict';
import { createHmac, hash } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import * as contract from './judge.ts';
import type { Actual, Delivery, Operation, Request, Settings } from './operation.ts';
import type { Engine, Step } from './generator.ts';
import { Worlds, type Model } from './outcomes.ts';
import { Results } from './references.ts';

/** Everything that decides what happens, but for the steps. */
export interface Setting {
  readonly settings: Settings;
  /** Of ids, keys, tokens and secrets. */
  readonly seed: number;
  readonly engine?: Engine;
  readonly faults?: boolean;
}

interface Difference {
  readonly step: Step;
  readonly actual: Actual;
  readonly texts: readonly string[];
}

export interface Played {
  readonly operations: number;
  /** Responses, printed results, events and deliveries. */
  readonly compared: number;
  readonly digest: string;
  /** The first one, which ends the run. */
  readonly difference: Difference | undefined;
}

/** Does the steps to the service and to the model, until they are over or the two differ. */
export async function play<World, Expected>(
  model: Model<World, Expected>,
  { settings, seed, engine = 'sqlite', faults = false }: Setting,
  steps: Iterable<Step>,
  observe: (step: Step, actual: Actual) => void = () => undefined,
): Promise<Played> {
  const start = async (...world: [Settings, number, number]) =>
    engine === 'postgres'
      ? (await import('./postgres.ts')).PostgresService.start(...world, faults)
      : (await import('./service.ts')).Service.start(...world);
  let service: Awaited<ReturnType<typeof start>> | undefined;
  const worlds = new Worlds(model, settings, engine);
  const results = new Results();
  const secrets = new Secrets();
  const log: string[] = [];
  let digest = '';
  let compared = 0;
  let operations = 0;
  let difference: Difference | undefined;
  try {
    for (const step of steps) {
      service ??= await start(settings, seed, step.now);
      const operation = results.resolve(step.operation);
      const beside = (step.beside ?? []).map((other) => results.resolve(other) as Request);
      const actual = await service.perform({ ...step, operation, beside });
      const { response, printed, events, deliveries } = actual;
      const shown = [response, ...actual.beside].map((each) => each?.body ?? printed?.json);
      // Of requests at the same moment the one that was done.
      const done = [response, ...actual.beside].findIndex((each) => each !== undefined && each.status < 300);
      results.set(step.at, shown[Math.max(0, done)]);
      for (const [i, each] of shown.entries()) secrets.learn([operation, ...beside][i]!, each);
      const texts = [...secrets.problems(deliveries), ...worlds.judge(step, operation, beside, actual)];
      operations++;
      compared += (response || printed ? 1 : 0) + events.length + deliveries.length;
      // On PostgreSQL what is done is drawn from the seed; what comes of it depends on who is first.
      log.push(JSON.stringify(engine === 'postgres' ? step : [step.now, operation, actual]));
      if (log.length === 100) digest = fold(digest, log);
      if (!actual.isUnknown) observe(step, actual);
      if (texts.length === 0) continue;
      difference = { step, actual, texts };
      break;
    }
  } finally {
    await service?.stop();
  }
  return { operations, compared, digest: fold(digest, log), difference };
}

/** The hash of what came before and of these. */
function fold(digest: string, log: string[]): string {
  return hash('sha256', [digest, ...log.splice(0)].join('\n'), 'hex');
}

/**
 * Verifies signatures by the secrets that responses showed, with the library that receivers use. It takes longer than the whole delivery,
 * so it sees some of them; the model verifies all.
 */
class Secrets {
  readonly #known: string[] = [];
  #deliveries = 0;
  /** Until a response is lost that may have shown one. */
  #areAllKnown = true;

  learn(operation: Operation, result: unknown): void {
    const { data, error } = (result ?? {}) as Shown;
    const isUnseen = result === undefined || error?.outcome === 'unknown';
    if (isUnseen && operation.kind === 'request' && operation.path.startsWith('/api-webhooks'))
      this.#areAllKnown = false;
    const secret = data?.webhook?.secret;
    if (secret !== undefined) this.#known.unshift(secret);
  }

  problems(deliveries: readonly Delivery[]): string[] {
    return deliveries.flatMap((delivery) =>
      this.#deliveries++ % LIBRARY_EVERY > 0 || this.#isSigned(delivery)
        ? []
        : [`a delivery to ${delivery.url} is not signed by any secret that was shown`],
    );
  }

  #isSigned({ headers, body }: Delivery): boolean {
    const signatures = headers['webhook-signature']!.split(' ');
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const secret = this.#known.find((known) => {
      const key = Buffer.from(known.slice('whsec_'.length), 'base64');
      return signatures.includes(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    });
    if (secret === undefined) return !this.#areAllKnown;
    new Webhook(secret).verify(body, headers);
    return true;
  }
}

interface Shown {
  data?: { webhook?: { secret?: string } };
  error?: { outcome?: string };
}

const LIBRARY_EVERY = 20;

/** Fails with the first difference. For tests that a simulation has printed. */
export async function assertAgrees(setting: Setting, steps: readonly Step[]): Promise<void> {
  const { difference } = await play(contract, setting, steps);
  assert.deepEqual(difference?.texts ?? [], []);
}
