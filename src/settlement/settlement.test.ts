import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { turnMonth } from '../../test/support/books.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';

const REPORT = '/api-settlement-report/api/v1/settlement/report';

onBothEngines('GET settlement report', (engine) => {
  const world = useWorld(engine);

  async function newHost(timezones: string[]): Promise<string> {
    const hostId = await world.addHost();
    for (const timezone of timezones) await world.addSpace(hostId, { timezone });
    return (await world.addKey(hostId)).key;
  }

  async function status(key: string, month: string): Promise<string> {
    await turnMonth(world);
    return (await world.call('GET', `${REPORT}?month=${month}`, { key })).body.data.status;
  }

  test('anything but an existing month in four and two digits is 422', async () => {
    const { key } = await world.addKey(await world.addHost());
    for (const month of ['2027-13', '2027-00', '2027-3', '2027-03-01', 'March', '', '0000-05']) {
      const answer = await world.call('GET', `${REPORT}?month=${month}`, { key });
      const { details } = refused(answer, 422, 'VALIDATION_ERROR');
      assert.deepEqual(details, [{ field: 'month', message: 'must be a month in the form YYYY-MM' }]);
    }
  });

  test('a month is open until it has ended in the last of the host’s timezones', async () => {
    world.clock.set('2027-04-20T12:00:00Z');
    const east = await newHost(['Pacific/Kiritimati']);
    const both = await newHost(['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Pacific/Kiritimati']);
    world.clock.set('2027-04-30T09:59:59.999Z');
    assert.equal(await status(east, '2027-04'), 'open');
    world.clock.set('2027-04-30T10:00:00Z');
    assert.equal(await status(east, '2027-04'), 'closed');
    assert.equal(await status(both, '2027-04'), 'open');
    world.clock.set('2027-05-01T10:59:59.999Z');
    assert.equal(await status(both, '2027-04'), 'open');
    world.clock.set('2027-05-01T11:00:00Z');
    assert.equal(await status(both, '2027-04'), 'closed');
  });
});
