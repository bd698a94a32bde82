import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { changesOf } from '../../test/support/trail.ts';
import { useWorld } from '../../test/support/world.ts';
import * as payouts from './payouts.ts';

const ABSENT = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';

onBothEngines('a payout', (engine) => {
  const world = useWorld(engine);
  let hostId: string;

  beforeEach(async () => {
    hostId = await world.addHost({ timezone: 'Asia/Seoul' });
  });

  const record = (amount: string, given: Partial<payouts.NewPayout> = {}, host = hostId) =>
    payouts.record(
      world.ctx,
      operator,
      { hostId: host, environment: 'production' },
      { amount, reference: null, ...given },
    );
  const list = (filter: payouts.PayoutFilter = { host: hostId }) => payouts.list(world.ctx.db, filter);

  test('of many with one reference at once is recorded once, and none fails', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => record('50', { reference: 'wire 1' })));
    assert.equal(all.filter(({ repeated }) => !repeated).length, 1);
  });

  const refusals: [what: string, amount: string, given: Partial<payouts.NewPayout>, message: RegExp][] = [
    ['of 0', '0.00', {}, /^a payout of 0 is none$/],
    ['with too many decimals', '1.005', {}, /^1\.005 is no amount in USD: at most 2 decimals/],
    ['beyond 2^53 minor units', '90071992547409.92', {}, /^90071992547409\.92 is no amount in USD/],
    ['in the future', '1', { paidOn: '2027-03-02' }, /^2027-03-02 is in the future: it is 2027-03-01/],
  ];
  for (const [what, amount, given, message] of refusals)
    test(`${what} is refused, and nothing is stored`, async () => {
      await assert.rejects(record(amount, given), { name: 'OperatorError', message });
      assert.deepEqual(await list(), []);
      assert.deepEqual(await changesOf(world, hostId), []);
    });

  test('of the greatest amount is exact', async () => {
    await record('90071992547409.91');
    const [row] = await world.rows<{ amount: number }>('select amount from payouts where host_id = $1', [
      hostId,
    ]);
    assert.equal(row?.amount, Number.MAX_SAFE_INTEGER);
  });

  test('of a host, or with an id, that does not exist is refused', async () => {
    await assert.rejects(record('1', {}, ABSENT), { message: `there is no host ${ABSENT}` });
    await assert.rejects(list({ host: ABSENT }), { message: `there is no host ${ABSENT}` });
    await assert.rejects(payouts.makeVoid(world.ctx, operator, ABSENT, 'x'), {
      message: `there is no payout ${ABSENT}`,
    });
  });
});
