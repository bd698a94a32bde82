import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { openDesk } from '../support/booking.ts';
import { findBinaries, startCluster, type Cluster } from '../support/cluster.ts';
import { pgBouncerVersion, startPgBouncer, tracksPreparedStatements } from '../support/pooler.ts';
import { hourkeep, makeFolder, type TestFolder } from '../support/process.ts';
import { query } from '../support/query.ts';
import { startWorld, type World } from '../support/world.ts';

// A server of its own: these set its databases and roles up as others do.
if (findBinaries() === undefined) notTested('PostgreSQL’s server programs are');
else onPostgresOfOurOwn();

/** A way from the service to the server. */
interface Way {
  name: string;
  /** Settings of the pooler that stands in between; undefined: nothing does. */
  pooler?: Record<string, string>;
  mode?: 'session' | 'transaction';
}

function waysToServer(): Way[] {
  const direct: Way = { name: 'without a pooler' };
  if (pgBouncerVersion === undefined) {
    notTested('pgbouncer is');
    return [direct];
  }
  const session = { pool_mode: 'session', default_pool_size: '20' };
  const ways: Way[] = [direct];
  for (const mode of ['session', 'transaction'] as const)
    ways.push({ name: `behind a pooler in session mode, as ${mode}`, pooler: session, mode });
  const pooler = { pool_mode: 'transaction', max_prepared_statements: '200', default_pool_size: '4' };
  if (tracksPreparedStatements)
    ways.push({ name: 'behind a pooler in transaction mode', pooler, mode: 'transaction' });
  else notTested('pgbouncer 1.21 or newer is');
  return ways;
}

function onPostgresOfOurOwn(): void {
  let cluster: Cluster;
  before(async () => {
    cluster = (await startCluster())!;
  });
  after(() => cluster.stop());

  const run = (statement: string, database = 'postgres'): Promise<unknown[]> =>
    query(address(database), statement);
  const address = (database: string, login = 'postgres', { host } = new URL(cluster.url)): string =>
    `postgres://${login}@${host}/${database}`;

  let databases = 0;
  /** A service on a new database with these defaults, as `alter database … set` takes them. */
  const open = async (
    defaults: readonly string[],
    { pooler, mode }: Omit<Way, 'name'> = {},
  ): Promise<World> => {
    const name = `settings_${++databases}`;
    await run(`create database ${name}`);
    for (const each of defaults) await run(`alter database ${name} set ${each}`);
    const pool = pooler && (await startPgBouncer(address(name), pooler));
    const route: Record<string, string> = mode ? { DATABASE_POOLER: mode } : {};
    if (mode === 'transaction') route['DATABASE_DIRECT_URL'] = address(name);
    const url = pool?.url ?? address(name);
    const drop = async (): Promise<void> => pool?.stop();
    const engine = { name: 'postgres', createDatabase: async () => ({ url, drop }) } as const;
    return startWorld(engine, route);
  };

  const defaultsOf = [
    ['serializable', 'German'],
    ['repeatable read', 'SQL, DMY'],
    ['serializable', 'Postgres, MDY'],
  ];
  for (const [i, way] of waysToServer().entries()) {
    const [level, style] = defaultsOf[i % defaultsOf.length]!;
    describe(`a database with ${level} transactions, DateStyle ${style}, another time zone and search path, ${way.name}`, () => {
      let world: World;
      before(async () => {
        const defaults = [
          `default_transaction_isolation = '${level}'`,
          `datestyle = '${style}'`,
          "timezone = 'Pacific/Kiritimati'",
          'search_path = nowhere, public',
        ];
        world = await open(defaults, way);
      });
      after(() => world.close());

      test('lets a guest make ten bookings of sixteen at once', async () => {
        const desk = await openDesk(world);
        const asked = Array.from({ length: 16 }, (_, hour) =>
          desk.book({ start_hour: hour, end_hour: hour + 1, guest_email: 'ada@example.com' }),
        );
        const statuses = (await Promise.all(asked)).map(({ status }) => status).sort((a, b) => a - b);
        assert.deepEqual(statuses, [...Array(10).fill(200), ...Array(6).fill(429)]);
      });

      test('gives the hour to one of many rivals, and tells the others which hours are taken', async () => {
        const desk = await openDesk(world);
        const answers = await Promise.all(Array.from({ length: 40 }, () => desk.book()));
        assert.equal(answers.filter(({ status }) => status === 200).length, 1);
        for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
          assert.equal(status, 409);
          assert.deepEqual(body.error.details.hours, [10, 11]);
        }
      });

      test('runs a single statement that writes as read committed', async () => {
        const text = "select current_setting('transaction_isolation') as level";
        const [row] = await world.ctx.db.once<{ level: string }>({ text, name: 'level', writes: true });
        assert.equal(row?.level, 'read committed');
      });

      test('answers with the same dates', async () => {
        const desk = await openDesk(world);
        const date = '2027-06-12';
        const booked = (await desk.book({ date })).body.data.booking;
        assert.equal(booked.date, date);
        assert.equal((await desk.read(booked.id)).date, date);
        assert.deepEqual(await desk.reasons(date), { 10: 'booked', 11: 'booked' });
        const listed = await world.call('GET', `/api-bookings/api/v1/bookings?from=${date}&to=${date}`, {
          key: desk.key,
        });
        assert.deepEqual(
          listed.body.data.bookings.map((each: { date: string }) => each.date),
          [date],
        );
      });

      test('adds up what is upcoming', async () => {
        const desk = await openDesk(world);
        await desk.book({ date: '2027-06-12' });
        const answer = await world.call('GET', '/api-earnings/api/v1/earnings', {
          key: desk.key,
          signal: AbortSignal.timeout(20_000),
        });
        assert.equal(answer.status, 200);
        assert.equal(answer.body.data.upcoming.hours, 2);
      });
    });
  }

  describe('a server that cancels statements, or cannot run them', () => {
    let world: World;
    let folder: TestFolder;
    before(async () => {
      folder = makeFolder();
      world = await open(["statement_timeout = '300ms'"]);
    });
    after(async () => {
      await world.close();
      folder.remove();
    });

    const assertAway = async (says: RegExp): Promise<void> => {
      const { key, spaceId } = await seen;
      const answers = [
        await world.call('GET', '/readyz'),
        await world.call('GET', `/api-availability/api/v1/spaces/${spaceId}/availability?date=2027-06-01`, {
          key,
        }),
      ];
      for (const { status, body, headers } of answers) {
        assert.deepEqual([status, body.error.code], [503, 'SERVICE_UNAVAILABLE']);
        assert.equal(headers.get('retry-after'), '1');
      }
      const settings = { DATA_DIR: folder.path, DATABASE_URL: world.databaseUrl };
      const listed = await hourkeep(['key', 'list'], settings);
      assert.match(listed.stderr, says);
      assert.deepEqual([listed.code, listed.stdout], [1, '']);
    };
    let seen: ReturnType<typeof openDesk>;
    before(async () => {
      seen = openDesk(world);
      await seen;
    });

    test('is away, everywhere and in one line, while it cancels what takes too long', async () => {
      const holder = new Client({ connectionString: world.databaseUrl });
      await holder.connect();
      await holder.query('begin; lock table api_keys in access exclusive mode');
      await assertAway(/^hourkeep: .*canceling statement due to statement timeout.*\n$/);
      await holder.query('commit');
      await holder.end();
      assert.equal((await world.call('GET', '/readyz')).status, 200);
    });

    test('is away, everywhere and in one line, while a library of it cannot be loaded', async () => {
      const handler = "where proname = 'plpgsql_call_handler'";
      const name = new URL(world.databaseUrl).pathname.slice(1);
      const cut = `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`;
      await run(`update pg_proc set probin = '$libdir/gone' ${handler}`, name);
      while ((await run(cut)).length > 0);
      const answer = await world.call('GET', '/readyz');
      assert.deepEqual([answer.status, answer.body.error.code], [503, 'SERVICE_UNAVAILABLE']);
      const { key } = await seen;
      assert.equal((await world.call('GET', '/api-listings/api/v1/spaces', { key })).status, 503);
      await run(`update pg_proc set probin = '$libdir/plpgsql' ${handler}`, name);
      while ((await run(cut)).length > 0);
      assert.equal((await world.call('GET', '/readyz')).status, 200);
    });
  });
}

function notTested(missing: string): void {
  process.stderr.write(
    `${missing} not installed: a server’s own settings are NOT TESTED with it in this run\n`,
  );
}
