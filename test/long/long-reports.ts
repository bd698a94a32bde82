import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { longReads } from '../../src/db/long-reads.ts';
import { toMinor } from '../../src/money/currency.ts';
import { counting } from '../support/counting.ts';
import { onBothEngines } from '../support/engines.ts';
import { cancel } from '../../src/bookings/cancel.ts';
import { insertManyBookings } from '../support/many-bookings.ts';
import { putBooking } from '../support/put-booking.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/world.ts';
import type { SettlementLine, SettlementReport } from '../../src/settlement/schemas.ts';
import * as settlement from '../../src/settlement/settlement.ts';
import { PAGE_ROWS } from '../../src/settlement/sql.ts';
import { operator } from '../support/operator.ts';

const REPORT = '/api-settlement-report/api/v1/settlement/report';
const JUNE = Array.from({ length: 30 }, (_, i) => `2027-06-${String(i + 1).padStart(2, '0')}`);

onBothEngines('long settlement reports', (engine) => {
  const world = useWorld(engine);

  async function busyHost(rooms: number) {
    const hostId = await world.addHost();
    for (let i = 0; i < rooms; i++) await world.addSpace(hostId, { title: `Room “${i}”` });
    const many = { hostId, environment: 'production', days: JUNE, perDay: 24, today: '2027-06-16' } as const;
    const rows = await insertManyBookings(world.ctx.db, many);
    return { hostId, rows, key: (await world.addKey(hostId)).key };
  }

  async function report(key: string): Promise<SettlementReport> {
    const answer = await world.call('GET', `${REPORT}?month=2027-06`, { key });
    assert.equal(answer.status, 200);
    return answer.body.data;
  }

  /** Totals and modes are the sums of the lines, in minor units. */
  function assertAddsUp(data: SettlementReport): void {
    const { lines, totals, refunds_pending: refunds, by_settlement_mode: modes } = data;
    const minor = (major: number) => toMinor(major, data.currency);
    const sums = (of: SettlementLine[]) => ({
      bookings: of.filter((line) => line.status !== 'cancelled').length,
      hours: of.reduce((sum, line) => sum + line.hours, 0),
      gross: of.reduce((sum, line) => sum + minor(line.gross)!, 0),
      commission: of.reduce((sum, line) => sum + minor(line.commission)!, 0),
      net: of.reduce((sum, line) => sum + minor(line.net)!, 0),
    });
    const told = ({ bookings, hours, gross, commission, net }: typeof totals | (typeof modes)[number]) => ({
      bookings,
      hours,
      gross: minor(gross),
      commission: minor(commission),
      net: minor(net),
    });
    assert.deepEqual(told(totals), sums(lines));
    for (const mode of modes) {
      assert.deepEqual(
        told(mode),
        sums(lines.filter((line) => line.settlement_mode === mode.settlement_mode)),
      );
    }
    assert.equal(totals.bookings + refunds.bookings, lines.length);
  }

  test('a report of many pages has every booking once, in order, and what SQL adds up', async () => {
    const { hostId, rows, key } = await busyHost(2);
    assert.ok(rows > 10 * PAGE_ROWS);
    const data = await report(key);
    assertAddsUp(data);
    const positions = data.lines.map(
      (line) => `${line.date} ${String(line.start_hour).padStart(2, '0')} ${line.booking_id}`,
    );
    assert.deepEqual(positions, [...new Set(positions)].sort());
    const sum = await world.row<{ bookings: number; gross: number; commission: number }>(
      `select count(*) as bookings, cast(sum(total_price) as bigint) as gross,
         cast(sum(cast(floor(total_price * commission_millionths / 1000000.0 + 0.5) as bigint)) as bigint) as commission
       from bookings where host_id = $1 and source = 'api' and status <> 'cancelled'`,
      [hostId],
    );
    const { bookings: count, gross, commission } = data.totals;
    assert.deepEqual([count, gross, commission], [sum.bookings, sum.gross / 100, sum.commission / 100]);
  });

  test('a report of one page of the first month takes eight statements', async () => {
    const hostId = await world.addHost();
    await putBooking(world, { host_id: hostId, space_id: await world.addSpace(hostId), date: '2027-03-18' });
    const counted = counting(world.ctx);
    const caller = { hostId, environment: 'production', actor: operator } as const;
    const longRead = longReads.begin(hostId, new AbortController().signal);
    const { pages } = await settlement.report(counted.ctx, caller, '2027-03', longRead);
    assert.deepEqual(
      (await Array.fromAsync(pages)).map((page) => page.length),
      [1],
    );
    assert.equal(counted.statements(), 8);
  });

  test('a report whose bookings fill its last page exactly is complete', async () => {
    const hostId = await world.addHost();
    const spaceId = await world.addSpace(hostId);
    const { key } = await world.addKey(hostId);
    for (let i = 0; i < PAGE_ROWS; i++) {
      const date = JUNE[i % 30]!;
      await putBooking(world, {
        host_id: hostId,
        space_id: spaceId,
        date,
        start_hour: Math.floor(i / 30),
        end_hour: 24,
      });
    }
    const data = await report(key);
    assert.equal(data.lines.length, PAGE_ROWS);
    assertAddsUp(data);
  });

  test('totals agree with the lines while bookings are made and cancelled', async () => {
    const { hostId, key } = await busyHost(2);
    const [space] = await world.rows<{ id: string }>('select id from spaces where host_id = $1', [hostId]);
    const confirmed = await world.rows<{ id: string }>(
      `select id from bookings where host_id = $1 and status = 'confirmed' order by date`,
      [hostId],
    );
    const done = new AbortController();
    const writing = (async () => {
      for (let i = 0; !done.signal.aborted; i++) {
        const caller = { hostId, environment: 'production' as const, actor: operator };
        await putBooking(world, { host_id: hostId, space_id: space!.id, date: JUNE[i % 30]! });
        await cancel(world.ctx, caller, confirmed[i % confirmed.length]!.id, 'Ill').catch(() => undefined);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let i = 0; i < 10; i++) assertAddsUp(await report(key));
    done.abort();
    await writing;
  });

  test('a failure on the way cuts the connection, so that half a report is not taken for all of it', async () => {
    // More than the sockets between them hold, so that the service waits for the reader.
    const { key } = await busyHost(70);
    const sent = request(`${world.url}${REPORT}?month=2027-06`, {
      headers: { authorization: `Bearer ${key}`, 'x-request-id': 'cut' },
    });
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    assert.equal(answer.statusCode, 200);
    await world.ctx.db.migration((tx) => tx.script('alter table bookings rename to bookings_away'));
    const parts: Buffer[] = [];
    const reading = (async () => {
      for await (const part of answer) parts.push(part as Buffer);
    })();
    await assert.rejects(reading, { code: 'ECONNRESET' });
    await world.ctx.db.migration((tx) => tx.script('alter table bookings_away rename to bookings'));
    assert.throws(() => JSON.parse(Buffer.concat(parts).toString()));
    assert.match(world.logText(), /"message":"request failed"/);
    const status = () => /"request_id":"cut".*"status":(\d+)/.exec(world.logText())?.[1];
    await until(() => status() !== undefined);
    // Not 499: it was not the client who hung up.
    assert.equal(status(), '500');
  });

  test('a reader who leaves early harms nobody and is no failure', async () => {
    const { key } = await busyHost(20);
    const failures = () => world.logText().split('"message":"request failed"').length;
    const before = failures();
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${world.url}${REPORT}?month=2027-06`, { headers, signal: leaving.signal });
    leaving.abort();
    await assert.rejects(answer.text(), { name: 'AbortError' });
    assertAddsUp(await report(key));
    assert.equal(failures(), before);
  });
});
