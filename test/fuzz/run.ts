import { inspect, violations } from '../proof/kept.ts';
import type { Engine } from '../support/engines.ts';
import { startWorld } from '../support/world.ts';
import { fireAtWill } from './fire.ts';

const SETTINGS = { GUEST_VELOCITY_MAX: '1000000', LOG_LEVEL: 'fatal' };

export interface FuzzRun {
  /** How many answers of each status to generated requests; `raw` are those to bytes over a socket. */
  answers: Record<string, number>;
}

export async function fuzz(engine: Engine, seed: number, requests: number): Promise<FuzzRun> {
  const world = await startWorld(engine, SETTINGS);
  try {
    const answers = await fireAtWill(world, seed, requests);
    const { database } = world.ctx.config;
    const url = database.engine === 'sqlite' ? `sqlite:${database.file}` : database.url;
    const broken = violations(await inspect({ DATABASE_URL: url }));
    if (broken.length > 0) throw new Error(`broken in the database: ${broken.slice(0, 20).join('; ')}`);
    return { answers };
  } finally {
    await world.close();
  }
}
