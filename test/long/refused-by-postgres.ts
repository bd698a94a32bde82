import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import { examine } from '../../src/doctor/doctor.ts';
import { openDesk, type Desk } from '../support/booking.ts';
import { findBinaries, freePort, startCluster, type Cluster } from '../support/cluster.ts';
import { pgBouncerVersion, startPgBouncer, tracksPreparedStatements } from '../support/pooler.ts';
import { hourkeep, makeFolder, startProcess, type TestFolder } from '../support/process.ts';
import { query } from '../support/query.ts';
import { startWorld, type Answer, type World } from '../support/world.ts';

// A server of its own: these change who may connect to it.
if (findBinaries() === undefined) notTested('PostgreSQL’s server programs are');
else onPostgresOfOurOwn();

function onPostgresOfOurOwn(): void {
  let cluster: Cluster;
  before(async () => {
    cluster = (await startCluster({ max_connections: '24' }))!;
    const [{ hba_file: file }] = (await run('show hba_file')) as [{ hba_file: string }];
    const lines = ['host all app 127.0.0.1/32 scram-sha-256', 'host all,replication all 127.0.0.1/32 trust'];
    await run(`copy (select unnest(array['${lines.join("','")}'])) to '${file}'`);
    await run('select pg_reload_conf()');
    await run("create role app login password 'right'");
    await run('create database app owner app');
  });
  after(() => cluster.stop());

  const run = (statement: string, url = cluster.url): Promise<unknown[]> => query(url, statement);
  const address = (login: string, database: string): string => {
    const { host } = new URL(cluster.url);
    return `postgres://${login}@${host}/${database}`;
  };
  /** Until there is none: one that was just being let in shows up only after the others are cut. */
  const cutConnections = async (): Promise<void> => {
    const cut = "select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename = 'app'";
    while ((await run(cut)).length > 0);
  };

  describe('PostgreSQL that refuses connections to a running service', () => {
    let world: World;
    let desk: Desk;
    before(async () => {
      const url = address('app:right', 'app');
      world = await startWorld({
        name: 'postgres',
        createDatabase: async () => ({ url, drop: async () => undefined }),
      });
      desk = await openDesk(world);
    });
    after(() => world.close());
    let day = 1;
    const book = (): Promise<Answer> => desk.book({ date: `2027-07-${String(day++).padStart(2, '0')}` });

    const refusals: { because: string; begin(): Promise<unknown>; end(): Promise<unknown> }[] = [
      {
        because: 'the database allows no connections',
        begin: () => run('alter database app allow_connections false'),
        end: () => run('alter database app allow_connections true'),
      },
      {
        because: 'the database has another name',
        // The service connects again at once: nobody may, until the database has its other name.
        begin: async () => {
          await run('alter role app nologin');
          await cutConnections();
          await run('alter database app rename to elsewhere');
          await run('alter role app login');
        },
        end: () => run('alter database elsewhere rename to app'),
      },
      {
        because: 'the password was changed',
        begin: () => run("alter role app password 'another'"),
        end: () => run("alter role app password 'right'"),
      },
      {
        because: 'the role may not log in any more',
        begin: () => run('alter role app nologin'),
        end: () => run('alter role app login'),
      },
      {
        because: 'no connection is left',
        begin: () => run('alter role app connection limit 0'),
        end: () => run('alter role app connection limit -1'),
      },
    ];
    for (const { because, begin, end } of refusals) {
      test(`is 503 with Retry-After everywhere while ${because}, and then all is well by itself`, async () => {
        await begin();
        await cutConnections();
        const key = desk.key;
        const answers = [
          await world.call('GET', '/readyz'),
          await world.call('GET', '/api-listings/api/v1/spaces', { key }),
          await book(),
        ];
        for (const answer of answers) {
          assert.equal(answer.status, 503, JSON.stringify(answer.body));
          assert.equal(answer.body.error.code, 'SERVICE_UNAVAILABLE');
          assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
        }
        assert.equal((await world.call('GET', '/healthz')).status, 200);
        await end();
        assert.equal((await world.call('GET', '/readyz')).status, 200);
        assert.equal((await book()).status, 200);
      });
    }
  });

  describe('PostgreSQL that refuses a start', () => {
    let folder: TestFolder;
    before(async () => {
      folder = makeFolder();
      await run('create role visitor login');
      await run('create role locked_out');
      await run('create database private');
      await run('revoke connect on database private from public');
      await run('create database closed allow_connections false');
      await run('create database frozen');
      await run('alter database frozen set default_transaction_read_only = on');
      await run("create database old_letters encoding 'LATIN1' locale 'C' template template0");
      await run('create database pathless');
      await run("alter database pathless set search_path = ''");
    });
    after(() => folder.remove());
    const assertRefused = async (
      url: string,
      line: string,
      more: Record<string, string> = {},
      { host } = new URL(url),
    ): Promise<void> => {
      const settings = { DATA_DIR: folder.path, DATABASE_URL: url, PORT: '0', ...more };
      for (const command of [['serve'], ['migrate']]) {
        const { code, stdout, stderr } = await hourkeep(command, settings);
        assert.equal(stderr, `hourkeep: PostgreSQL at ${host}: ${line}\n`);
        assert.deepEqual([code, stdout], [1, '']);
      }
    };
    const LOGIN = 'correct user and password in DATABASE_URL, or let the user in (pg_hba.conf)';
    const READ_ONLY = 'this server is a standby or read-only; name the one that takes writes in DATABASE_URL';
    const LETTERS =
      'the database "old_letters" is in LATIN1, which has not the letters of all names; ' +
      "create one in UTF8: create database … encoding 'UTF8' template template0";
    const PATHLESS =
      'search_path is "", and no schema of it can be used; ' +
      'let the user use one, or: alter role "postgres" set search_path = public';
    const CREATE = 'cannot execute CREATE TABLE in a read-only transaction';

    const cases: [because: string, who: string, line: string][] = [
      [
        'the database does not exist',
        'app:right hourkep',
        'database "hourkep" does not exist; create it, or correct its name in DATABASE_URL',
      ],
      ['the role does not exist', 'ap app', `role "ap" does not exist; ${LOGIN}`],
      ['the password is wrong', 'app:wrong app', `password authentication failed for user "app"; ${LOGIN}`],
      [
        'there is no password',
        'app app',
        'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string; put the password into DATABASE_URL',
      ],
      ['the role may not log in', 'locked_out app', `role "locked_out" is not permitted to log in; ${LOGIN}`],
      [
        'the role may not connect to the database',
        'visitor private',
        'permission denied for database "private"; let the user own it, or: grant connect on this database to "visitor"',
      ],
      [
        'the role may not create tables, as in PostgreSQL 15’s public',
        'visitor postgres',
        'permission denied for schema public; let "visitor" own the database; or, where another role owns the tables, run "hourkeep migrate" with that role in DATABASE_URL (docs/operations.md, Roles on PostgreSQL)',
      ],
      [
        'the database allows no connections',
        'postgres closed',
        'database "closed" is not currently accepting connections; allow them with: alter database "closed" allow_connections true',
      ],
      ['the database cannot hold every name', 'postgres old_letters', LETTERS],
      ['the search path has no schema', 'postgres pathless', PATHLESS],
      ['the database is read-only', 'postgres frozen', `${CREATE}; ${READ_ONLY}`],
    ];
    for (const [because, who, line] of cases) {
      const [login, database] = who.split(' ') as [string, string];
      test(`says so in one line when ${because}`, () => assertRefused(address(login, database), line));
    }

    for (const [database, line] of [
      ['old_letters', LETTERS],
      ['pathless', PATHLESS],
    ] as const) {
      test(`is what doctor says of the database ${database}`, async () => {
        const url = address('postgres', database);
        const found = await examine({ DATABASE_URL: url, DATA_DIR: folder.path });
        const message = `PostgreSQL at ${new URL(url).host}: ${line}`;
        assert.deepEqual(found[1], { check: 'database', status: 'fail', message });
      });
    }

    test('says so in one line, as doctor does, when the direct address leads to a database of that name on another server', async () => {
      const other = (await startCluster())!;
      const { host } = new URL(cluster.url);
      const line =
        'DATABASE_DIRECT_URL leads to another database ("postgres" there) than DATABASE_URL ' +
        `("postgres" at ${host}); both must be the same, of the same server`;
      await assertRefused(cluster.url, line, { DATABASE_DIRECT_URL: other.url }, new URL(other.url));
      const urls = { DATABASE_URL: cluster.url, DATABASE_DIRECT_URL: other.url };
      const found = await examine({ ...urls, DATA_DIR: folder.path });
      assert.deepEqual(found[1]?.message, `PostgreSQL at ${new URL(other.url).host}: ${line}`);
      other.stop();
    });

    test('says so in one line when nothing listens there', async () => {
      const port = await freePort();
      const line = `connect ECONNREFUSED 127.0.0.1:${port}; start PostgreSQL, or correct host and port in DATABASE_URL`;
      await assertRefused(`postgres://app:right@127.0.0.1:${port}/app`, line);
    });

    test('says so in one line when it is a hot standby', async () => {
      await assertRefused(await cluster.startStandby(), `${CREATE}; ${READ_ONLY}`);
    });

    if (pgBouncerVersion !== undefined) behindPgBouncer();
    else notTested('pgbouncer is');

    function behindPgBouncer(): void {
      const OURS = { ignore_startup_parameters: 'lock_timeout, idle_in_transaction_session_timeout' };
      const pooled = async (t: TestContext, settings: Record<string, string>): Promise<string> => {
        const pooler = await startPgBouncer(cluster.url, settings);
        t.after(() => pooler.stop());
        return pooler.url;
      };
      const transaction = { pool_mode: 'transaction' };
      const statement = { pool_mode: 'statement' };
      // Older ones do not know the setting.
      const untracked = { ...transaction, ...(tracksPreparedStatements && { max_prepared_statements: '0' }) };
      const IN_TRANSACTION_MODE =
        'this is a pooler in transaction mode; set pool_mode = session in it, or (PgBouncer 1.21 or newer) DATABASE_POOLER=transaction and DATABASE_DIRECT_URL';
      const NO_TRANSACTIONS =
        'transaction blocks not allowed in statement pooling mode; set in the pooler: pool_mode = session or transaction';

      /** `mode`: DATABASE_POOLER; null where it is not set. */
      const poolers: [
        because: string,
        settings: Record<string, string>,
        mode: string | null,
        line: string,
      ][] = [
        [
          'it takes none of our start-up parameters',
          {},
          null,
          'unsupported startup parameter: lock_timeout; set DATABASE_POOLER to the mode of this pooler, session or transaction',
        ],
        [
          'it is in transaction mode and nothing says so',
          { ...transaction, ...OURS },
          null,
          IN_TRANSACTION_MODE,
        ],
        [
          'it is in transaction mode, not in session mode',
          { ...transaction, ...OURS },
          'session',
          IN_TRANSACTION_MODE,
        ],
        [
          'it is in transaction mode and has no prepared statements',
          untracked,
          'transaction',
          'prepared statement "hk_pooler" does not exist; the pooler loses prepared statements; use PgBouncer 1.21 or newer with max_prepared_statements = 200, or set pool_mode = session in it',
        ],
        ['it has no transactions', { ...statement, ...OURS }, null, NO_TRANSACTIONS],
        ['it has no transactions, whatever we say', statement, 'transaction', NO_TRANSACTIONS],
        [
          'it takes no more connections',
          { max_client_conn: '0', ...OURS },
          null,
          'no more connections allowed (max_client_conn); raise it in the pooler, or lower DATABASE_POOL_SIZE or the number of processes',
        ],
      ];
      for (const [because, settings, mode, line] of poolers)
        test(`says so in one line when a pooler is in between and ${because}`, async (t) => {
          const route = mode === 'transaction' ? { DATABASE_DIRECT_URL: cluster.url } : {};
          const more: Record<string, string> = mode === null ? {} : { DATABASE_POOLER: mode, ...route };
          await assertRefused(await pooled(t, settings), line, more);
        });

      test('says so in one line when the direct address leads to a pooler in transaction mode too', async (t) => {
        const url = await pooled(t, { ...transaction, ...OURS });
        const line =
          'this is a pooler in transaction mode; DATABASE_DIRECT_URL must lead past it, to the server';
        await assertRefused(cluster.url, line, { DATABASE_DIRECT_URL: url }, new URL(url));
      });

      test('names DATABASE_DIRECT_URL when that is the pooler’s own or wrong, and no password', async (t) => {
        const url = await pooled(t, transaction);
        const { host } = new URL(`postgres://127.0.0.1:${await freePort()}`);
        const wrong = `connect ECONNREFUSED ${host}; start PostgreSQL, or correct host and port in DATABASE_DIRECT_URL`;
        const own =
          'unsupported startup parameter: lock_timeout; this is a pooler; DATABASE_DIRECT_URL must lead past it, to the server';
        for (const [direct, line] of [
          [url, own],
          [`postgres://app:right@${host}/app`, wrong],
        ] as const) {
          const more = { DATABASE_POOLER: 'transaction', DATABASE_DIRECT_URL: direct };
          await assertRefused(url, line, more, new URL(direct));
        }
      });

      test('starts behind a pooler in session mode that ignores what our sessions set', async (t) => {
        const url = await pooled(t, { pool_mode: 'session', ...OURS });
        const service = await startProcess('serve', { DATA_DIR: folder.path, DATABASE_URL: url });
        assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
        await service.end();
      });
    }
  });
}

function notTested(missing: string): void {
  process.stderr.write(`${missing} not installed: what refuses a start is NOT TESTED with it in this run\n`);
}
