import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { LEFT_OUT } from '../../src/copy/tables.ts';
import type { DemoFile } from '../../src/demo/demo.ts';
import { readDemo } from '../support/demo.ts';
import { bookingBody, CREATE } from '../support/booking.ts';
import { freePort } from '../support/cluster.ts';
import { nextJune } from '../support/clock.ts';
import { typed } from '../support/command-line.ts';
import { signIn } from '../support/console.ts';
import { onPostgres, type TestDatabase } from '../support/engines.ts';
import { hourkeep, makeFolder, startProcess, type Running } from '../support/process.ts';
import { onConnection, query } from '../support/query.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { postgresFacts } from '../support/schema.ts';
import { until } from '../support/until.ts';
import { WEBHOOKS } from '../support/webhooks.ts';
import { send, type Answer } from '../support/world.ts';

/** Whatever could be mistaken for something else on the way. */
const ODD = 'Ada "the\tBraker" O’Hara \\N \\. \u001f,;\r\n\\.\r\n👩‍🔧 ~';

onPostgres('hourkeep copy', (engine) => {
  const folder = makeFolder();
  let database: TestDatabase;
  let settings: Record<string, string>;
  let receiver: Receiver;
  let service: Running;
  let demo: DemoFile;
  let secret: string;
  let copied: { file: string; to: string; tables: { table: string; rows: number; hash: string }[] };
  const bookings: string[] = [];
  let answersBefore: Map<string, unknown>;

  before(async () => {
    database = await engine.createDatabase();
    receiver = await startReceiver();
    settings = {
      DATA_DIR: folder.path,
      RATE_LIMIT_PRODUCTION: '0',
      RATE_LIMIT_SANDBOX: '0',
      // Answers name the address of the service.
      PORT: String(await freePort()),
    };
    service = await startProcess('serve', settings);
    demo = readDemo(folder.path);
    await liveOnSqlite();
    answersBefore = await everyAnswer();
    await service.end();
    const ended = await hourkeep(['copy', '--to', database.url, '--json'], settings);
    assert.deepEqual([ended.code, ended.stderr], [0, '']);
    copied = JSON.parse(ended.stdout);
    settings = { ...settings, DATABASE_URL: database.url };
    service = await startProcess('serve', { ...settings, DELIVERIES: 'off' });
  });
  after(async () => {
    await service.end();
    await receiver.close();
    await database.drop();
    folder.remove();
  });

  const get = (path: string, key = demo.keys.production): Promise<Answer> =>
    send(service.url, 'GET', path, { key });
  const post = async (path: string, body: object, key = demo.keys.production): Promise<Answer> => {
    const answer = await send(service.url, 'POST', path, { key, body });
    assert.ok(answer.status < 300, answer.text);
    return answer;
  };
  /** Repeatable: with the same day the same request, idempotency key and all. */
  const book = async (day: number, fields: object = {}): Promise<Answer> =>
    send(service.url, 'POST', CREATE, {
      key: demo.keys.production,
      headers: { 'idempotency-key': `day "${day}"` },
      body: {
        ...bookingBody(demo.spaces[0]!.id),
        date: nextJune(day),
        guest_email: 'ada@example.com',
        ...fields,
      },
    });

  const block = (day: number): Promise<Answer> =>
    post(`/api-blocks/api/v1/spaces/${demo.spaces[0]!.id}/blocks`, {
      date: nextJune(day),
      start_hour: 1,
      end_hour: 3,
      reason: ODD,
    });

  /** Something of everything that a host has; one delivery arrived, one is in a worker's hands, one was never tried. */
  async function liveOnSqlite(): Promise<void> {
    const { webhook } = (
      await post(WEBHOOKS, { url: receiver.url, events: ['booking.created'], description: ODD })
    ).body.data;
    secret = webhook.secret!;
    const made = await book(1, { guest_name: ODD });
    bookings.push(made.body.data.booking.id);
    await until(() => receiver.received.length === 1);
    await post(`/api-cancel-booking/api/v1/bookings/${bookings[0]}/cancel`, { reason: ODD });
    await block(2);
    await signIn({ call: (...call) => send(service.url, ...call) }, demo.keys.production, true);
    await hourkeep(['key', 'invite', '--host', demo.host.id, '--json'], settings);

    receiver.answer = () => undefined;
    bookings.push((await book(3)).body.data.booking.id);
    await until(() => receiver.received.length === 2);
    await service.end('SIGKILL');
    // An empty text is not null.
    const file = new DatabaseSync(join(folder.path, 'hourkeep.db'));
    file.exec("update calendars set ref = ''");
    file.exec(`insert into adjustments select host_id, environment, '2020-02', id, 'refunded', id, '2020-01', 1, 0, 0
      from bookings limit 1`);
    file.close();
    service = await startProcess('serve', { ...settings, DELIVERIES: 'off' });
    bookings.push((await book(4, { settlement_mode: 'platform_settled' })).body.data.booking.id);
    await hourkeep(['payment', 'confirm', bookings.at(-1)!], settings);
    await hourkeep(
      ['payout', 'record', '--host', demo.host.id, '--amount', '12.50', '--reference', ODD],
      settings,
    );
  }

  /** What every endpoint that reads answers, by its path. */
  async function everyAnswer(): Promise<Map<string, unknown>> {
    const [space, feed] = [demo.spaces[0]!, demo.spaces[1]!];
    const urls = [
      '/api-listings/api/v1/spaces',
      ...demo.spaces.map(({ id }) => `/api-listings/api/v1/spaces/${id}`),
      `/api-availability/api/v1/spaces/${space.id}/availability?date=${nextJune(1)}&days=4`,
      ...['', '?status=cancelled', '?status=completed&limit=100'].map(
        (query) => `/api-bookings/api/v1/bookings${query}`,
      ),
      ...bookings.map((id) => `/api-booking-detail/api/v1/bookings/${id}`),
      `/api-settlement-report/api/v1/settlement/report?month=${nextJune(1).slice(0, 7)}`,
      '/api-earnings/api/v1/earnings',
      WEBHOOKS,
      ...[space, feed].map(({ id, ical_token: token }) => `/api-ical-feed?space_id=${id}&token=${token}`),
      '/api-openapi',
    ];
    const answers = new Map<string, unknown>();
    for (const url of urls)
      for (const key of [demo.keys.production, demo.keys.sandbox]) {
        const { status, headers, text } = await get(url, key);
        const told = text.replaceAll(/"request_id":"[^"]*"/g, '');
        answers.set(`${key.slice(0, 8)} ${url}`, [status, headers.get('etag'), told]);
      }
    return answers;
  }

  test('takes every table along, and each has rows in this test', () => {
    const schema = readFileSync(join(import.meta.dirname, '../../schema/postgres.sql'), 'utf8');
    const tables = [...schema.matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(([, name]) => name!);
    assert.deepEqual(
      [...copied.tables.map(({ table }) => table), ...Object.keys(LEFT_OUT)].sort(),
      tables.sort(),
    );
    assert.deepEqual(
      copied.tables.filter(({ rows }) => rows === 0),
      [],
    );
  });

  test('every endpoint that reads answers as before', async () => {
    const now = await everyAnswer();
    const fine = [...now.values()].filter((answer) => (answer as [number])[0] === 200);
    assert.ok(fine.length > 20, `${fine.length} of ${now.size} with 200`);
    assert.deepEqual(now, answersBefore);
  });

  test('the schema is what the migrations make, with keys, references and indexes', async () => {
    const fresh = await engine.createDatabase();
    const ended = await typed(['migrate'], { DATABASE_URL: fresh.url });
    assert.equal(ended.code, 0, ended.stderr);
    const schemaOf = (url: string) =>
      onConnection(url, async (client) => {
        const { rows } = await client.query('select name from schema_migrations order by name');
        return [rows, await postgresFacts(client)];
      });
    assert.deepEqual(await schemaOf(database.url), await schemaOf(fresh.url));
    await fresh.drop();
  });

  test('an empty text is not null, tables have statistics, and the audit trail goes on after its last entry', async () => {
    await block(9);
    const [row] = await query(
      database.url,
      `select (select array_agg(distinct ref) from calendars) as refs,
         (select count(*)::int from pg_class where relname in ('bookings', 'hours', 'events') and reltuples > 0) as analyzed,
         (select array_agg(action order by id desc) from (select * from audit order by id desc limit 2) l) as trail`,
    );
    assert.deepEqual(row, { refs: [''], analyzed: 3, trail: ['block.created', 'database.copied'] });
  });

  test('deliveries that were pending arrive, signed with the subscription’s secret', async () => {
    receiver.answer = () => ({ status: 200 });
    receiver.received.length = 0;
    await service.end();
    service = await startProcess('serve', settings);
    await until(() => receiver.received.length === 2);
    const about = receiver.received.map(({ text, headers, body }) => {
      new Verifier(secret).verify(text, headers as Record<string, string>);
      return (body.data as { booking: { id: string } }).booking.id;
    });
    assert.deepEqual(about.sort(), bookings.slice(1).sort());
  });

  test('the old file refuses to be served, and says where everything is now', async () => {
    const { DATABASE_URL: _, ...file } = settings;
    const ended = await hourkeep(['serve'], file);
    assert.equal(ended.code, 1);
    const copiedTo = '\\S+hourkeep\\.db was copied to postgres:\\S+ at \\d{4}-\\S+Z; set DATABASE_URL';
    assert.match(ended.stderr, new RegExp(`^hourkeep: ${copiedTo}`));
    const examined = await hourkeep(['doctor'], file);
    assert.equal(examined.code, 1);
    assert.match(examined.stdout, new RegExp(`^fail +database +${copiedTo}`, 'm'));
    const anyway = await startProcess('serve --anyway', { ...file, PORT: '0', DELIVERIES: 'off' });
    assert.equal((await fetch(`${anyway.url}/readyz`)).status, 200);
    await anyway.end();
  });

  test('the old file takes no write of a command, unless HOURKEEP_ANYWAY is set; those that read go on', async () => {
    const { DATABASE_URL: _, ...file } = settings;
    const rename = ['host', 'update', demo.host.id, '--name', 'Renamed'];
    const guest = ['guest', 'erase', '--email', 'ada@example.com'];
    const writing = [rename, [...guest, '--yes']];
    for (const command of writing) {
      const { code, stdout, stderr } = await typed(command, file);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(
        stderr,
        /^hourkeep: \S+hourkeep\.db was copied to postgres:[^\n]+ HOURKEEP_ANYWAY=1 [^\n]+\n$/,
      );
    }
    for (const command of [['export'], [...guest, '--dry-run'], ['backup', join(folder.path, 'copy.db')]])
      assert.equal((await typed(command, file)).code, 0, command.join(' '));
    for (const command of writing)
      assert.equal((await typed(command, { ...file, HOURKEEP_ANYWAY: '1' })).code, 0, command.join(' '));
  });
});
