import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { raceAtRandom, raceForOneSlot, seeded } from './proof/race.ts';
import { deploy, wantEvents, type Deployment } from './proof/services.ts';
import { onBothEngines } from './support/engines.ts';

// A short run of what `npm run race` does at length.

onBothEngines('no hour is ever held twice', (engine) => {
  let deployment: Deployment;
  before(async () => {
    deployment = await deploy(engine);
    await wantEvents(deployment);
  });
  after(() => deployment.close());

  test('of 200 who want the same hours at once one gets them and the rest are told which', async () => {
    const race = await raceForOneSlot(deployment, 200);
    assert.deepEqual(race, { answers: { 200: 1, '409 BOOKING_CONFLICT': 199 }, violations: [] });
  });

  test('300 random creates, cancellations and blocks leave one holder an hour and every event', async () => {
    const race = await raceAtRandom(deployment, 300, seeded(42));
    assert.deepEqual(race.violations, []);
    assert.deepEqual(
      Object.keys(race.answers).filter(
        (name) => !/^(200|409 (BOOKING_CONFLICT|BLOCK_SLOT_OCCUPIED))$/.test(name),
      ),
      [],
    );
  });
});
