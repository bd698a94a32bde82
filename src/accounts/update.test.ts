import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { useWorld } from '../../test/support/world.ts';
import { list } from '../audit/list.ts';
import * as hosts from '../hosts/hosts.ts';
import type { HostChanges } from '../hosts/fields.ts';
import { update } from './update.ts';

const ABSENT = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';

onBothEngines('changing a host', (engine) => {
  const world = useWorld(engine);
  const change = (hostId: string, wanted: HostChanges) => update(world.ctx, operator, hostId, wanted);
  const show = (hostId: string) => hosts.get(world.ctx.db, hostId);

  test('changes the fields it is given, and writes the audit trail', async () => {
    const hostId = await world.addHost();
    const before = await show(hostId);
    const wanted = {
      name: 'New Name',
      email: 'new-name@example.com',
      timezone: 'Asia/Seoul',
      commission_rate: 0.125,
      settlement_modes: ['host_settled'],
      max_booking_value: 500,
    } as const;
    const changed = await change(hostId, { ...wanted, settlement_modes: [...wanted.settlement_modes] });
    assert.deepEqual(changed, { ...before, ...wanted });
    assert.deepEqual(await show(hostId), changed);
    const [entry] = await list(world.ctx.db, { hostId, limit: 1 });
    assert.deepEqual([entry?.action, entry?.subject], ['host.updated', hostId]);
    assert.deepEqual(entry?.changes, {
      name: [before.name, 'New Name'],
      email: [before.email, 'new-name@example.com'],
      timezone: ['America/New_York', 'Asia/Seoul'],
      commission_rate: [0.1, 0.125],
      settlement_modes: [['host_settled', 'platform_settled'], ['host_settled']],
      max_booking_value: [null, 500],
    });
  });

  test('an email that another host has is refused, however it is written', async () => {
    const taken = await world.addHost({ email: 'Taken@Example.com' });
    const other = await world.addHost();
    const says = { message: `another host has the email tAKEN@example.com: ${taken}` };
    await assert.rejects(change(other, { email: 'tAKEN@example.com' }), says);
    await assert.rejects(world.addHost({ email: 'tAKEN@example.com' }), says);
    assert.equal((await change(taken, { email: 'taken@example.com' })).email, 'taken@example.com');
  });

  test('of many hosts with one email at once, one is added', async () => {
    const tries = Array.from({ length: 8 }, (_, i) =>
      world.addHost({ email: i % 2 === 0 ? 'race@example.com' : 'RACE@example.com' }),
    );
    const ended = await Promise.allSettled(tries);
    assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 1);
    const rows = await world.rows(`select id from hosts where lower(email) = 'race@example.com'`);
    assert.equal(rows.length, 1);
  });

  test('of many hosts that are given one email at once, one gets it', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => world.addHost()));
    const ended = await Promise.allSettled(ids.map((id) => change(id, { email: 'wanted@example.com' })));
    assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  test('prices and the maximum keep their amounts in a new currency, and the spaces are announced', async () => {
    const desk = await openDesk(world, { max_booking_value: 200 });
    const sandboxed = await world.addSpace(desk.hostId, { environment: 'sandbox' });
    await world.wantEvents(desk.hostId, 'sandbox');
    const changed = await change(desk.hostId, { currency: 'KRW' });
    assert.deepEqual([changed.currency, changed.max_booking_value], ['KRW', 200]);
    const { spaces } = (await world.call('GET', '/api-listings/api/v1/spaces', { key: desk.key })).body.data;
    assert.deepEqual(
      spaces.map(({ price_per_hour, currency }) => [price_per_hour, currency]),
      [[50, 'KRW']],
    );
    const [told, ofSandbox] = await desk.events();
    assert.deepEqual(told, { type: 'listing.updated', data: { space: spaces[0], changed: ['currency'] } });
    assert.ok(ofSandbox?.type === 'listing.updated');
    assert.deepEqual([ofSandbox.data.space.id, ofSandbox.data.changed], [sandboxed, ['currency']]);
  });

  test('a price that the new currency cannot write is refused, and nothing changes', async () => {
    const hostId = await world.addHost();
    const spaceId = await world.addSpace(hostId, { price_per_hour: 45.5 });
    await assert.rejects(change(hostId, { currency: 'KRW' }), {
      message: `space ${spaceId} costs 45.5, which is no price in KRW: change its price first`,
    });
    assert.equal((await show(hostId)).currency, 'USD');
  });

  test('a host that does not exist is refused', async () => {
    await assert.rejects(change(ABSENT, { name: 'x' }), { message: `there is no host ${ABSENT}` });
    await assert.rejects(show(ABSENT), { message: `there is no host ${ABSENT}` });
  });
});
