import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openDesk, type Desk } from '../support/booking.ts';
import { startCluster, type Cluster } from '../support/cluster.ts';
import { assertUnavailable, notTested, onOwnServer, worldAt } from '../support/own-server.ts';
import { pgBouncerVersion, startPgBouncer, tracksPreparedStatements } from '../support/pooler.ts';
import { typed } from '../support/command-line.ts';
import { makeFolder, type TestFolder } from '../support/process.ts';
import { onConnection, query } from '../support/query.ts';
import type { Answer, World } from '../support/world.ts';

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
    notTested('a server’s own settings behind a pooler: pgbouncer is not installed');
    return [direct];
  }
  const session = { pool_mode: 'session', default_pool_size: '20' };
  const ways: Way[] = [direct];
  for (const mode of ['session', 'transaction'] as const)
    ways.push({ name: `behind a pooler in session mode, as ${mode}`, pooler: session, mode });
  const pooler = { pool_mode: 'transaction', max_prepared_statements: '200', default_pool_size: '4' };
  if (tracksPreparedStatements)
    ways.push({ name: 'behind a pooler in transaction mode', pooler, mode: 'transaction' });
  else notTested('a server’s own settings in transaction mode: pgbouncer is older than 1.21');
  return ways;
}

onOwnServer(() => {
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
    return worldAt(url, route, async () => pool?.stop());
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
        const refused = answers.filter(({ status }) => status !== 200);
        assert.equal(refused.length, 39);
        for (const { status, body } of refused)
          assert.deepEqual([status, body.error.details.hours], [409, [10, 11]]);
      });

      test('runs a single statement that writes as read committed', async () => {
        const text = "select current_setting('transaction_isolation') as level";
        const [row] = await world.ctx.db.once<{ level: string }>({ text, name: 'level', writes: true });
        assert.equal(row?.level, 'read committed');
      });

      test('answers with the same dates and sums', async () => {
        const desk = await openDesk(world);
        const { key } = desk;
        const date = '2027-06-12';
        const { id } = (await desk.book({ date })).body.data.booking;
        assert.equal((await desk.read(id)).date, date);
        assert.deepEqual(await desk.reasons(date), { 10: 'booked', 11: 'booked' });
        const listed = await world.call('GET', `/api-bookings/api/v1/bookings?from=${date}&to=${date}`, {
          key,
        });
        assert.equal(listed.body.data.bookings[0]!.date, date);
        const earned = await world.call('GET', '/api-earnings/api/v1/earnings', { key });
        assert.equal(earned.body.data.upcoming.hours, 2);
      });
    });
  }

  describe('PostgreSQL that refuses connections to a running service', () => {
    let world: World;
    let desk: Desk;
    before(async () => {
      await run("create role app superuser login password 'right'");
      const [{ file }] = (await run("select current_setting('hba_file') as file")) as [{ file: string }];
      const lines = ['host all app 127.0.0.1/32 scram-sha-256', 'host all all 127.0.0.1/32 trust'];
      await run(`copy (select unnest(array['${lines.join("','")}'])) to '${file}'`);
      await run('select pg_reload_conf()');
      await run('create database app');
      world = await worldAt(address('app', 'app:right'));
      desk = await openDesk(world);
    });
    after(() => world.close());
    let day = 1;
    const book = (): Promise<Answer> => desk.book({ date: `2027-07-${String(day++).padStart(2, '0')}` });
    /** Until there is none: one that was just being let in shows up only after the others are cut. */
    const cutConnections = async (): Promise<void> => {
      const cut = "select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename = 'app'";
      while ((await run(cut)).length > 0);
    };

    const refusals: [because: string, begin: string, end: string][] = [
      [
        'the database allows no connections',
        'alter database app allow_connections false',
        'alter database app allow_connections true',
      ],
      ['the password was changed', "alter role app password 'another'", "alter role app password 'right'"],
      ['the role may not log in any more', 'alter role app nologin', 'alter role app login'],
      [
        'no connection is left',
        'alter role app nosuperuser connection limit 0',
        'alter role app superuser connection limit -1',
      ],
    ];
    const isAway = async (): Promise<void> => {
      const { key } = desk;
      await cutConnections();
      for (const answer of [
        await world.call('GET', '/readyz'),
        await world.call('GET', '/api-listings/api/v1/spaces', { key }),
        await book(),
      ])
        assertUnavailable(answer);
      assert.equal((await world.call('GET', '/healthz')).status, 200);
    };
    const isBack = async (): Promise<void> => {
      assert.equal((await world.call('GET', '/readyz')).status, 200);
      assert.equal((await book()).status, 200);
    };
    for (const [because, begin, end] of refusals)
      test(`is 503 with Retry-After everywhere while ${because}, and then all is well by itself`, async () => {
        await run(begin);
        await isAway();
        await run(end);
        await isBack();
      });

    test('is 503 while the database has another name', async () => {
      // The service connects again at once: nobody may, until the database has its other name.
      await run('alter role app nologin');
      await cutConnections();
      await run('alter database app rename to elsewhere');
      await run('alter role app login');
      await isAway();
      await run('alter database elsewhere rename to app');
      await isBack();
    });
  });

  describe('a server that cancels statements, or cannot run them', () => {
    let world: World;
    let desk: Desk;
    let folder: TestFolder;
    before(async () => {
      folder = makeFolder();
      world = await open(["statement_timeout = '300ms'"]);
      desk = await openDesk(world);
    });
    after(async () => {
      await world.close();
      folder.remove();
    });

    const assertAway = async (says: RegExp): Promise<void> => {
      const { key, spaceId } = desk;
      assertUnavailable(await world.call('GET', '/readyz'));
      const day = `/api-availability/api/v1/spaces/${spaceId}/availability?date=2027-06-01`;
      assertUnavailable(await world.call('GET', day, { key }));
      const settings = { DATA_DIR: folder.path, DATABASE_URL: world.databaseUrl };
      const listed = await typed(['key', 'list'], settings);
      assert.match(listed.stderr, says);
      assert.deepEqual([listed.code, listed.stdout], [1, '']);
    };
    test('is away, everywhere and in one line, while it cancels what takes too long', async () => {
      await onConnection(world.databaseUrl, async (holder) => {
        await holder.query('begin; lock table api_keys in access exclusive mode');
        await assertAway(/^hourkeep: .*canceling statement due to statement timeout.*\n$/);
      });
      assert.equal((await world.call('GET', '/readyz')).status, 200);
    });

    test('is away, everywhere and in one line, while a library of it cannot be loaded', async () => {
      const handler = "where proname = 'plpgsql_call_handler'";
      const name = new URL(world.databaseUrl).pathname.slice(1);
      const cut = `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`;
      await run(`update pg_proc set probin = '$libdir/gone' ${handler}`, name);
      while ((await run(cut)).length > 0);
      assertUnavailable(await world.call('GET', '/readyz'));
      assertUnavailable(await world.call('GET', '/api-listings/api/v1/spaces', { key: desk.key }));
      await run(`update pg_proc set probin = '$libdir/plpgsql' ${handler}`, name);
      while ((await run(cut)).length > 0);
      assert.equal((await world.call('GET', '/readyz')).status, 200);
    });
  });
});
