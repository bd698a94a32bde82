import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MoveRace } from './proof/move-race.ts';
import { raceAtRandom, raceForOneSlot, seeded } from './proof/race.ts';
import { deploy, wantEvents, type Deployment } from './proof/services.ts';
import { onBothEngines } from './support/engines.ts';

// A short run of what `npm run race` does at length.

onBothEngines('no hour is ever held twice', (engine) => {
  let deployment: Deployment;
  let moves: MoveRace;
  before(async () => {
    deployment = await deploy(engine);
    await wantEvents(deployment);
    moves = await MoveRace.on(deployment);
  });
  after(async () => {
    await moves.close();
    await deployment.close();
  });

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

  test('of several who change one booking at once one wins, whatever they want, and nobody gets a 5xx', async () => {
    assert.deepEqual((await moves.forOneBooking(4)).violations, []);
  });

  test('an hour that a booking keeps through 30 moves is never free for those who hammer at it', async () => {
    const race = await moves.forKeptHour(30);
    assert.deepEqual(race.violations, []);
    assert.deepEqual(Object.keys(race.answers), ['409 BOOKING_CONFLICT']);
  });

  test('300 random creates, cancellations, moves and completions leave one holder an hour and every event', async () => {
    assert.deepEqual((await moves.atRandom(300, seeded(43))).violations, []);
  });
});
