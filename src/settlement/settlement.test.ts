import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { turnMonth } from '../../test/support/books.ts';
import { bookingBody, CREATE } from '../../test/support/booking.ts';
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

  test('on a host_settled booking the host owes the commission, rounded half up', async () => {
    const hostId = await world.addHost();
    const spaceId = await world.addSpace(hostId, { title: 'Loft', price_per_hour: 35.05 });
    const { key } = await world.addKey(hostId);
    const body = bookingBody(spaceId, { date: '2027-03-18', start_hour: 10, end_hour: 11 });
    await world.call('POST', CREATE, { key, body });
    const answer = await world.call('GET', `${REPORT}?month=2027-03`, { key });
    assert.equal(answer.status, 200, answer.text);
    const { lines, totals, by_settlement_mode } = answer.body.data;
    const sums = { bookings: 1, hours: 1, gross: 35.05, commission: 3.51, net: 31.54 };
    assert.partialDeepStrictEqual(lines, [
      { gross: 35.05, commission_rate: 0.1, commission: 3.51, net: 31.54 },
    ]);
    assert.partialDeepStrictEqual(totals, { ...sums, commission_due: 3.51, payout_due: 0, balance: -3.51 });
    assert.deepEqual(by_settlement_mode[0], { settlement_mode: 'host_settled', ...sums });
  });

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
