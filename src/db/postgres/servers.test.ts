import assert from 'node:assert/strict';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { onPostgres } from '../../../test/support/engines.ts';
import { until } from '../../../test/support/until.ts';
import { Servers } from './servers.ts';

onPostgres('of two servers that take writes', (engine) => {
  const stops: (() => void)[] = [];
  after(() => {
    for (const stop of stops) stop();
  });

  test('the one that was promoted last is used, and there is no way back to the older one', async () => {
    const database = await engine.createDatabase();
    const { port, pathname } = new URL(database.url);
    const older = await atTimeline('00000007', Number(port));
    const newer = await atTimeline('00000008', Number(port));
    stops.push(older.stop, newer.stop);
    const moves: string[] = [];
    const servers = new Servers(
      `postgres://postgres@127.0.0.1:${older.port},127.0.0.1:${newer.port}${pathname}`,
      (host) => moves.push(host),
    );
    const first = await servers.writer();
    assert.equal(new URL(first).port, String(newer.port));
    newer.stop();
    servers.doubt(first);
    let next: unknown = first;
    await until(async () => {
      next = await servers.writer().catch((error: Error) => error.cause);
      return next !== first;
    });
    assert.match(String(next), /takes writes, but another server was promoted after it/);
    assert.equal(servers.current, undefined);
    assert.deepEqual(moves, [`127.0.0.1:${newer.port}`]);
    await database.drop();
  });
});

/** The server behind `port`, as it would be after so many promotions: what it says of its timeline is replaced on the way. */
async function atTimeline(timeline: string, port: number): Promise<{ port: number; stop(): void }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) sockets.add(socket.on('error', () => undefined));
    near.pipe(far);
    far.on('data', (chunk: Buffer) =>
      near.write(Buffer.from(chunk.toString('latin1').replace('00000001', timeline), 'latin1')),
    );
    far.on('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: (server.address() as AddressInfo).port, stop };
}
