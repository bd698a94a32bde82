import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { read } from '../../src/db/database.ts';
import { openDesk, type Desk } from '../support/booking.ts';
import { freePort } from '../support/cluster.ts';
import { networkTo, type Network } from '../support/network.ts';
import { onOwnServer, worldAt } from '../support/own-server.ts';
import { startPair, type Pair } from '../support/pair.ts';
import { query } from '../support/query.ts';
import { hourkeep, makeFolder } from '../support/process.ts';
import { until } from '../support/until.ts';
import type { Answer, World } from '../support/world.ts';

const SPACES = '/api-listings/api/v1/spaces';
const selectPort = read<{ port: string }>("select current_setting('port') as port");
const ALLOW_WRITES = `?options=${encodeURIComponent('-c default_transaction_read_only=off')}`;

onOwnServer(() => {
  // One after another: each finds the servers as the one before has left them.
  describe('a DATABASE_URL with several servers', () => {
    let pair: Pair;
    let silent: Network;
    let world: World;
    let desk: Desk;
    let deadPort: number;
    before(async () => {
      pair = (await startPair())!;
      silent = await networkTo(pair.primary.port);
      silent.lose();
      deadPort = await freePort();
      // One that accepts and never answers, one that refuses, the standby, and at last the primary.
      const ports = [silent.port, deadPort, pair.standby.port, pair.primary.port];
      const url = `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres`;
      world = await worldAt(url);
      desk = await openDesk(world);
    });
    after(async () => {
      await world.close();
      silent.close();
      pair.stop();
    });
    let day = 0;
    const book = (): Promise<Answer> =>
      desk.book({ date: new Date(Date.UTC(2027, 6, 1 + day++)).toISOString().slice(0, 10) });
    const ask = (): Promise<Answer> => world.call('GET', SPACES, { key: desk.key });
    const port = async (): Promise<number> => Number((await world.ctx.db.get(selectPort))!.port);
    /** Books until it succeeds; no answer may take longer than two seconds. */
    const untilBooked = async (withinMs: number): Promise<void> => {
      const begin = performance.now();
      for (;;) {
        const sentAt = performance.now();
        const { status } = await book();
        assert.ok(performance.now() - sentAt < 2000, 'an answer took longer than two seconds');
        if (status === 200) return;
        assert.equal(status, 503);
        assert.ok(performance.now() - begin < withinMs, `not back within ${withinMs} ms`);
        await delay(50);
      }
    };

    test('is served from the one that takes writes, wherever it stands in the list', async () => {
      assert.equal((await book()).status, 200);
      assert.equal(await port(), pair.primary.port);
    });

    test('keeps nobody waiting for a server that does not answer', async () => {
      const sentAt = performance.now();
      const answers = await Promise.all(Array.from({ length: 20 }, ask));
      for (const { status } of answers) assert.equal(status, 200);
      assert.ok(performance.now() - sentAt < 2000);
    });

    test('is 503 within two seconds while none takes writes', async () => {
      pair.primary.kill();
      for (let i = 0; i < 3; i++) {
        for (const call of [book, ask, () => world.call('GET', '/readyz')]) {
          const sentAt = performance.now();
          assert.equal((await call()).status, 503);
          assert.ok(performance.now() - sentAt < 2000);
        }
      }
    });

    test('is served by a standby within five seconds of its promotion, and listeners hear again', async () => {
      let heard = 0;
      const stopListening = world.ctx.db.listen(() => heard++);
      await pair.promote();
      await untilBooked(5000);
      assert.equal(await port(), pair.primary.port);
      // Twice: a listener is also called when it has just been connected, without a notification.
      for (let times = 0; times < 2; times++) {
        const before = heard;
        await until(async () => {
          await query(pair.primary.url, 'notify hourkeep_work');
          return heard > before;
        });
      }
      stopListening();
      assert.match(world.logText(), new RegExp(`127.0.0.1:${pair.primary.port}.*takes writes`));
    });

    test('moves within five seconds when a standby is promoted beside a primary that goes on', async () => {
      await pair.rebuildStandby();
      const before = pair.primary.port;
      await pair.promote();
      const deadline = performance.now() + 5000;
      while ((await port().catch(() => before)) === before) {
        assert.ok(performance.now() < deadline);
        await delay(50);
      }
      await untilBooked(5000);
      assert.equal(await port(), pair.primary.port);
    });

    test('never goes back to a primary that another was promoted after', async () => {
      // What is called the standby here still takes writes.
      pair.primary.kill();
      for (let i = 0; i < 5; i++) {
        assert.equal((await book()).status, 503);
        assert.equal((await ask()).status, 503);
        await delay(200);
      }
      await pair.primary.start();
      await untilBooked(5000);
      assert.equal(await port(), pair.primary.port);
    });

    test('is 503 for reads too while the server that was used is read-only: what it knows may be old', async () => {
      await pair.rebuildStandby();
      await query(pair.primary.url, 'alter system set default_transaction_read_only = on');
      await query(pair.primary.url, 'select pg_reload_conf()');
      while ((await book()).status !== 503);
      assert.equal((await ask()).status, 503);
      await query(pair.primary.url + ALLOW_WRITES, 'alter system reset default_transaction_read_only');
      await query(pair.primary.url, 'select pg_reload_conf()');
      await untilBooked(5000);
    });

    test('moves when the server that was used hangs', async () => {
      pair.primary.freeze();
      await pair.promote();
      await untilBooked(5000);
      assert.equal(await port(), pair.primary.port);
    });

    test('that leads nowhere stops a start, after a wait, with one line that tells what each server said', async () => {
      const folder = makeFolder();
      const standby = pair.standby.port;
      const url = `postgres://postgres:secret@127.0.0.1:${deadPort},127.0.0.1:${standby}/postgres`;
      const { code, stderr } = await hourkeep(['migrate'], { DATA_DIR: folder.path, DATABASE_URL: url });
      folder.remove();
      assert.equal(code, 1);
      const [waits, ...line] = stderr.split(/(?<=\n)/);
      assert.match(waits!, /; waiting for it for 15 s\n$/);
      assert.equal(
        line.join(''),
        `hourkeep: PostgreSQL at 127.0.0.1:${deadPort},127.0.0.1:${standby}: no server takes writes ` +
          `(127.0.0.1:${deadPort}: connect ECONNREFUSED 127.0.0.1:${deadPort}; 127.0.0.1:${standby}: timeout expired); ` +
          'start or promote one of them, or correct DATABASE_URL\n',
      );
    });
  });
});
