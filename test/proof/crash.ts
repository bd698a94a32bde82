import { CREATE } from '../support/booking.ts';
import { NEXT_YEAR } from '../support/clock.ts';
import type { Engine } from '../support/engines.ts';
import { startProcess } from '../support/process.ts';
import { send } from '../support/world.ts';
import { violations } from './invariants.ts';
import { deploy, wantEvents } from './services.ts';

export interface CrashRun {
  acknowledged: number;
  violations: string[];
}

/**
 * Kills the service in the middle of a storm of creates and cancellations, starts it again, and asks the
 * database for everything that had been acknowledged. `rounds` times, on the same data.
 */
export async function crash(engine: Engine, rounds: number, random: () => number): Promise<CrashRun> {
  const deployment = await deploy(engine);
  await wantEvents(deployment);
  const made = new Set<string>();
  const found: string[] = [];
  let n = 0;
  for (let round = 1; round <= rounds; round++) {
    const enough = 15 + Math.floor(random() * 120);
    let acknowledged = 0;
    let killed = false;
    const storm = async (): Promise<void> => {
      while (!killed) {
        const i = n++;
        const booking = await tryBook(deployment.url(i), deployment.demo, i);
        if (booking === undefined) continue;
        made.add(booking);
        // As soon as there have been enough answers, every process dies, whatever it is doing.
        if (++acknowledged === enough) {
          killed = true;
          await Promise.all(deployment.processes.map((running) => running.end('SIGKILL')));
        }
      }
    };
    await Promise.all(Array.from({ length: 24 }, storm));
    found.push(...(await violations(deployment.settings, made)).map((text) => `round ${round}: ${text}`));
    const command = engine.name === 'sqlite' ? 'serve' : 'api';
    const restarted = await Promise.all(
      deployment.processes.map(() => startProcess(command, deployment.settings)),
    );
    deployment.processes.splice(0, deployment.processes.length, ...restarted);
  }
  await deployment.close();
  return { acknowledged: made.size, violations: found };
}

/** The id of a booking that was acknowledged; undefined when the answer never came. */
async function tryBook(
  url: string,
  demo: { keys: { production: string }; spaces: { id: string }[] },
  i: number,
): Promise<string | undefined> {
  const day = 1 + (Math.floor(i / 24) % 28);
  const month = 1 + (Math.floor(i / (24 * 28)) % 12);
  const date = `${NEXT_YEAR + Math.floor(i / (24 * 28 * 12))}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  const body = {
    space_id: demo.spaces[0]!.id,
    date,
    start_hour: i % 24,
    end_hour: (i % 24) + 1,
    guest_name: 'Storm',
    guest_email: `storm-${i}@example.com`,
  };
  try {
    const answer = await send(url, 'POST', CREATE, { key: demo.keys.production, body });
    return answer.status === 200 ? answer.body.data.booking.id : undefined;
  } catch {
    return undefined;
  }
}
