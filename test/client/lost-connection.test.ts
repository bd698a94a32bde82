import assert from 'node:assert/strict';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { Hourkeep, type CreateBooking } from '../../client/src/index.ts';
import { onBothEngines } from '../support/engines.ts';
import { useWorld } from '../support/world.ts';

// Between client and service stands a network that breaks at the worst moment: the service has done what it was asked,
// and nobody hears of it.

onBothEngines('a create over a network that breaks', (engine) => {
  const world = useWorld(engine);
  const network = useBreakingNetwork(() => Number(new URL(world.url).port));
  let hk: Hourkeep;
  let input: CreateBooking;
  let day = 0;
  before(async () => {
    const hostId = await world.addHost();
    const space_id = await world.addSpace(hostId);
    const { key } = await world.addKey(hostId);
    hk = new Hourkeep({ apiKey: key, baseUrl: network.url() });
    const guest = { guest_email: 'ada@example.com', guest_name: 'Ada Miller' };
    input = { space_id, date: '', start_hour: 10, end_hour: 12, ...guest };
  });
  beforeEach(() => {
    day += 1;
    input.date = `2027-04-0${day}`;
  });
  const madeThatDay = () =>
    world.rows('select idempotency_key from bookings where date = $1', [input.date]) as Promise<
      { idempotency_key: string }[]
    >;

  test('is made once when the whole answer is lost', async () => {
    network.breakNext(0);
    const booking = await hk.bookings.create(input);
    assert.equal(network.answers, 2);
    assert.deepEqual(await madeThatDay(), [{ idempotency_key: booking.idempotency_key }]);
  });

  test('is made once when the answer breaks off in its middle, twice', async () => {
    network.breakNext(900, 1);
    const booking = await hk.bookings.create(input);
    assert.equal(network.answers, 3);
    assert.deepEqual(await madeThatDay(), [{ idempotency_key: booking.idempotency_key }]);
  });

  test('is made once when every answer is lost, and the caller who tries again gets that booking', async () => {
    network.breakNext(0, 0, 0);
    const order = { ...input, idempotency_key: `order-${day}` };
    await assert.rejects(hk.bookings.create(order), { code: 'CONNECTION_LOST', status: 0 });
    const booking = await hk.bookings.create(order);
    assert.equal(booking.idempotency_key, `order-${day}`);
    assert.deepEqual(await madeThatDay(), [{ idempotency_key: `order-${day}` }]);
  });
});

/** Passes bytes on. Of the next answers only so many bytes as told arrive, then the connection is reset. */
function useBreakingNetwork(port: () => number) {
  let breaks: number[] = [];
  const open = new Set<Socket>();
  const network = {
    answers: 0,
    url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    breakNext: (...bytes: number[]) => {
      breaks = bytes;
      network.answers = 0;
    },
  };
  const server: Server = createServer((near) => {
    const far = connect(port(), '127.0.0.1');
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => open.delete(socket));
    }
    let asked = false;
    let left = Infinity;
    near.on('data', (chunk: Buffer) => {
      asked = true;
      far.write(chunk);
    });
    far.on('data', (chunk: Buffer) => {
      // The service has answered: what it was asked is done.
      if (asked) {
        asked = false;
        left = breaks.shift() ?? Infinity;
        network.answers += 1;
      }
      if (left <= chunk.length) near.write(chunk.subarray(0, left), () => near.resetAndDestroy());
      else near.write(chunk);
      left -= chunk.length;
    });
    far.on('close', () => near.destroy());
    near.on('close', () => far.destroy());
  });
  before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return network;
}
