import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { onBothEngines } from '../../test/support/engines.ts';
import { readStrictly, type StrictEvent } from '../../test/support/rfc5545.ts';
import { useWorld } from '../../test/support/world.ts';

/** Few dates and coarse hours around midnights, so that blocks meet, merge and split all the time. */
const change = fc.record({
  method: fc.constantFrom('POST', 'DELETE'),
  date: fc.constantFrom('2027-03-13', '2027-03-14'),
  start_hour: fc.constantFrom(0, 1, 22, 23),
  length: fc.constantFrom(1, 1, 2),
  reason: fc.constantFrom('a', 'a', 'b'),
  many: fc.constantFrom({}, {}, { end_date: '2027-03-15' }),
});

onBothEngines('The SEQUENCE of entries', (engine) => {
  const world = useWorld(engine);

  test('grows with every change of an entry and never falls, whatever is blocked and freed', async () => {
    const hostId = await world.addHost();
    const { key } = await world.addKey(hostId);
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 20, maxLength: 30 }), async (changes) => {
        const spaceId = await world.addSpace(hostId);
        const token = await world.newFeedToken(spaceId);
        const seen = new Map<string, StrictEvent>();
        for (const { method, reason, length, many, ...rest } of changes) {
          const end_hour = Math.min(24, rest.start_hour + length);
          const skip = 'end_date' in many ? { skip_occupied: true } : {};
          const body = { ...rest, ...many, end_hour, ...(method === 'POST' ? { reason, ...skip } : {}) };
          await world.call(method, `/api-blocks/api/v1/spaces/${spaceId}/blocks`, { key, body });
          const response = await world.call('GET', `/api-ical-feed?space_id=${spaceId}&token=${token}`);
          for (const event of readStrictly(response.bytes).events) {
            assertLater(seen.get(event.uid), event);
            seen.set(event.uid, event);
          }
        }
      }),
      { numRuns: 3, seed: 20_270_314 },
    );
  });
});

function assertLater(before: StrictEvent | undefined, event: StrictEvent): void {
  if (before === undefined) return;
  const same = before.start === event.start && before.end === event.end;
  assert.ok(same ? event.sequence >= before.sequence : event.sequence > before.sequence);
}
