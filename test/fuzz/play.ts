import fc from 'fast-check';
import * as spaces from '../../src/spaces/spaces.ts';
import type { World } from '../support/world.ts';
import { Model, type ModelSpace } from './model.ts';
import { hold } from './report.ts';
import { anyStep, lastLook, type Scene } from './steps.ts';

/**
 * Random sequences of operations, each on a host of its own, against a model of who holds which hour. Throws on
 * the first disagreement, with the sequence narrowed down to the steps that matter.
 */
export async function play(world: World, seed: number, requests: number): Promise<number> {
  const asked = { count: 0 };
  const sequences = fc.asyncProperty(
    fc.array(anyStep, { minLength: 1, maxLength: 40, size: 'max' }),
    async (steps) => {
      const scene = await openScene(world, asked);
      for (const step of [...steps, ...lastLook()]) {
        await step.take(scene).catch((error: unknown) => {
          throw new Error(`${step.told}: ${String(error)}`, { cause: error });
        });
      }
    },
  );
  for (let round = 0; asked.count < requests; round++) {
    await hold(sequences, seed + round, Math.min(25, Math.ceil((requests - asked.count) / 30)));
  }
  return asked.count;
}

/** A fresh start, so that a sequence does the same however often it is tried. */
async function openScene(world: World, asked: Scene['asked']): Promise<Scene> {
  world.clock.set('2027-03-12T15:00:00Z');
  const hostId = await world.addHost();
  const openSpace = async (space: Omit<ModelSpace, 'id' | 'token'>): Promise<ModelSpace> => {
    const { timezone, openHour, closeHour, noticeHours, price } = space;
    const id = await world.addSpace(hostId, {
      timezone,
      operating_hours: { start_hour: openHour, end_hour: closeHour },
      cancellation_notice_hours: noticeHours,
      price_per_hour: price,
    });
    const token = await world.ctx.db.transaction((tx) => spaces.rotateIcalToken(tx, id));
    return { id, token, ...space };
  };
  return {
    world,
    asked,
    hostId,
    key: (await world.addKey(hostId)).key,
    model: new Model(),
    spaces: [
      await openSpace({
        timezone: 'America/New_York',
        openHour: 0,
        closeHour: 24,
        noticeHours: 0,
        price: 45,
        isActive: true,
      }),
      await openSpace({
        timezone: 'Asia/Seoul',
        openHour: 9,
        closeHour: 22,
        noticeHours: 5,
        price: 12,
        isActive: true,
      }),
    ],
  };
}
