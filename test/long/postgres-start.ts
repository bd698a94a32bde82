import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { migrate } from '../../src/db/migrate.ts';
import { bookingBody, CREATE } from '../support/booking.ts';
import { freePort, startCluster, unprivilegedUser, type Cluster } from '../support/cluster.ts';
import { examine, typed } from '../support/command-line.ts';
import { openContext } from '../support/context.ts';
import { readDemo } from '../support/demo.ts';
import { networkTo } from '../support/network.ts';
import { notTested, onOwnServer } from '../support/own-server.ts';
import { pgBouncerVersion, startPgBouncer, tracksPreparedStatements } from '../support/pooler.ts';
import {
  BIN,
  cleanEnvironment,
  hourkeep,
  makeFolder,
  startProcess,
  type TestFolder,
} from '../support/process.ts';
import { query } from '../support/query.ts';
import { TEST_CERTIFICATE, TEST_CERTIFICATE_KEY } from '../support/tls.ts';
import { send } from '../support/world.ts';

const ROOT = join(import.meta.dirname, '../..');

// These change who may connect to the server, and how.
onOwnServer(() => {
  let cluster: Cluster;
  let folder: TestFolder;
  let certificate: string;
  before(async () => {
    folder = makeFolder();
    chmodSync(folder.path, 0o755);
    certificate = put('server.crt', TEST_CERTIFICATE);
    const key = put('server.key', TEST_CERTIFICATE_KEY);
    cluster = (await startCluster({ ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key }))!;
    const [{ hba_file: file }] = (await run('show hba_file')) as [{ hba_file: string }];
    const lines = [
      'local all all trust',
      'hostssl all encrypted 127.0.0.1/32 trust',
      'hostnossl all encrypted 127.0.0.1/32 reject',
      'host all app 127.0.0.1/32 scram-sha-256',
      'host all,replication all 127.0.0.1/32 trust',
    ];
    await run(`copy (select unnest(array['${lines.join("','")}'])) to '${file}'`);
    for (const statement of [
      'select pg_reload_conf()',
      'create role encrypted superuser login',
      "create role app login password 'right'",
      'create role visitor login',
      'create role locked_out',
      'create database app owner app',
      'create database empty',
      'create database private',
      'revoke connect on database private from public',
      'create database closed allow_connections false',
      'create database frozen',
      'alter database frozen set default_transaction_read_only = on',
      "create database old_letters encoding 'LATIN1' locale 'C' template template0",
      'create database pathless',
      "alter database pathless set search_path = ''",
    ])
      await run(statement);
  });
  after(() => {
    cluster.stop();
    folder.remove();
  });
  /** A file that the server's user owns, and nobody else reads. */
  function put(name: string, text: string): string {
    const file = join(folder.path, name);
    writeFileSync(file, `${text}\n`, { mode: 0o600 });
    const user = unprivilegedUser();
    if (user !== undefined) chownSync(file, user.uid, user.gid);
    return file;
  }
  const run = (statement: string, url = cluster.url): Promise<unknown[]> => query(url, statement);
  const address = (login: string, database = 'postgres'): string =>
    `postgres://${login}@${new URL(cluster.url).host}/${database}`;
  const settingsFor = (url: string, more = {}): Record<string, string> => ({
    DATA_DIR: folder.path,
    DATABASE_URL: url,
    ...more,
  });
  const assertMigrated = async (url: string): Promise<void> => {
    const { code, stdout, stderr } = await typed(['migrate'], settingsFor(url));
    assert.equal(stderr, '');
    assert.match(stdout, /^Applied|up to date/);
    assert.equal(code, 0);
  };
  const assertRefused = async (
    url: string,
    line: string,
    more: Record<string, string> = {},
  ): Promise<void> => {
    const ended = await typed(['migrate'], settingsFor(url, more));
    assert.deepEqual(ended, { code: 1, stdout: '', stderr: `hourkeep: ${line}\n` });
  };
  const assertRefusedAt = (url: string, line: string, more = {}, { host } = new URL(url)): Promise<void> =>
    assertRefused(url, `PostgreSQL at ${host}: ${line}`, more);

  describe('a role that may only read and write rows', () => {
    let settings: Record<string, string>;
    before(async () => {
      for (const role of ['hourkeep_owner', 'hourkeep']) await run(`create role ${role} login`);
      await run('create database hourkeep owner hourkeep_owner');
      const [, grants] = /## Roles on PostgreSQL[^]*?```sql\n([^]*?)```/.exec(
        readFileSync(join(ROOT, 'docs/operations.md'), 'utf8'),
      ) as unknown as [string, string];
      await run(grants, address('postgres', 'hourkeep'));
      await assertMigrated(address('hourkeep_owner', 'hourkeep'));
      settings = settingsFor(address('hourkeep', 'hourkeep'));
    });

    test('runs the service', async () => {
      const service = await startProcess('serve', settings);
      const { keys, spaces } = readDemo(folder.path);
      const body = bookingBody(spaces[0]!.id, { date: '2031-03-18' });
      assert.equal((await send(service.url, 'POST', CREATE, { key: keys.production, body })).status, 200);
      assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
      assert.equal((await service.end()).code, 0);
    });

    test('runs the operator’s commands', async () => {
      const host = ['--name', 'x', '--email', 'x@example.com', '--timezone', 'UTC', '--currency', 'USD'];
      const added = await typed(['host', 'add', ...host, '--json'], settings);
      assert.equal(added.code, 0, added.stderr);
      const { id } = JSON.parse(added.stdout) as { id: string };
      const commands = [
        ['space', 'add', '--host', id, '--title', 'Attic', '--price', '45'],
        ['key', 'create', '--host', id, '--name', 'x'],
        ['host', 'deactivate', id],
        ['host', 'update', id, '--name', 'y'],
        ['booking', 'list'],
        ['webhook', 'list'],
        ['guest', 'export', '--email', 'x@example.com'],
        ['guest', 'erase', '--email', 'x@example.com', '--yes'],
        ['audit', 'list'],
        ['migrate'],
      ];
      for (const command of commands) {
        const { code, stderr } = await typed(command, settings);
        assert.equal(code, 0, `${command.join(' ')}: ${stderr}`);
      }
      // No worker runs here.
      assert.deepEqual(
        (await failing(settings)).filter(({ check }) => check !== 'worker'),
        [],
      );
    });

    test('is told who must migrate', async () => {
      const more = makeFolder();
      cpSync(join(ROOT, 'migrations'), more.path, { recursive: true });
      const text = '-- oldest: 0.1.0\nalter table hosts add column more integer;\n';
      writeFileSync(join(more.path, '9999_more.sql'), text);
      const ctx = openContext(settings);
      await assert.rejects(migrate(ctx.db, ctx.clock, { folder: pathToFileURL(`${more.path}/`) }), {
        message: `PostgreSQL at ${new URL(cluster.url).host}: must be owner of table hosts; ${rights('hourkeep')}`,
      });
      await ctx.db.close();
      more.remove();
    });
  });

  async function failing(settings: Record<string, string>): Promise<{ check: string; message: string }[]> {
    const found = [...(await examine(settings)).values()].filter(({ status }) => status === 'fail');
    return found.map(({ check, message }) => ({ check, message }));
  }

  test('the address of a socket has libpq’s forms', async () => {
    const [{ sockets }] = (await run("select current_setting('unix_socket_directories') as sockets")) as [
      { sockets: string },
    ];
    const { port } = new URL(cluster.url);
    for (const url of [
      `postgres://postgres:x@/postgres?host=${sockets}&port=${port}`,
      `postgres:///postgres?host=${sockets}&port=${port}&user=postgres`,
      `postgres://postgres@${encodeURIComponent(sockets)}:${port}/postgres`,
    ])
      await assertMigrated(url);
    await assertRefused(
      `postgres://postgres:x@/postgres?host=${folder.path}&port=${port}`,
      `PostgreSQL at ${folder.path}: connect ENOENT ${folder.path}/.s.PGSQL.${port}; ${UNREACHABLE}`,
    );
  });

  describe('sslmode', () => {
    test('encrypts, and looks at the certificate, as libpq does', async () => {
      for (const mode of ['allow', 'prefer', 'require', `verify-ca&sslrootcert=${certificate}`])
        await assertMigrated(`${address('encrypted')}?sslmode=${mode}`);
      for (const [mode, says] of [
        ['verify-full', 'self-signed certificate'],
        [`verify-full&sslrootcert=${certificate}`, "[^;]* does not match certificate's altnames.*"],
      ] as const) {
        const { stderr } = await typed(['migrate'], settingsFor(`${address('encrypted')}?sslmode=${mode}`));
        assert.match(
          stderr,
          new RegExp(`^[^\n]*: ${says}; correct sslmode and sslrootcert in DATABASE_URL.*\n$`),
        );
      }
    });

    test('goes on without encryption, as libpq does, where the server has none and it need not', async () => {
      const plain = (await startCluster())!;
      for (const mode of ['disable', 'allow', 'prefer']) await assertMigrated(`${plain.url}?sslmode=${mode}`);
      const line =
        'The server does not support SSL connections; switch it on there (ssl = on), or leave sslmode out of DATABASE_URL';
      await assertRefusedAt(`${plain.url}?sslmode=require`, line);
      plain.stop();
    });

    test('that makes no sense ends the start', async () => {
      const modes = 'disable, allow, prefer, require, verify-ca, verify-full';
      for (const [mode, line] of [
        ['on', `sslmode must be one of ${modes}`],
        ['verify-ca', 'sslmode=verify-ca needs sslrootcert, the file with the authority’s certificate'],
        ['verify-full&sslrootcert=/nowhere.crt', 'sslrootcert names /nowhere.crt, which cannot be read'],
      ])
        await assertRefused(`${cluster.url}?sslmode=${mode}`, `DATABASE_URL: ${line}`);
    });
  });

  describe('a start that meets a server which does not answer waits 15 seconds, says what for', () => {
    const silent = async (t: TestContext) => {
      const network = await networkTo(Number(new URL(cluster.url).port));
      t.after(() => network.close());
      network.lose();
      return { network, settings: settingsFor(`postgres://postgres@127.0.0.1:${network.port}/postgres`) };
    };

    test('and goes on when it answers', async (t) => {
      const { network, settings } = await silent(t);
      const child = spawn(BIN, ['migrate'], { env: cleanEnvironment(settings) });
      let said = '';
      child.stderr.on('data', (chunk) => {
        said += String(chunk);
        network.find();
      });
      const [code] = (await once(child, 'close')) as [number];
      assert.match(said, /^hourkeep: the database is not available: .*; waiting for it for 15 s\n$/);
      assert.equal(code, 0);
    });

    test('and gives up with what to do', async (t) => {
      const { settings } = await silent(t);
      const { code, stderr } = await hourkeep(['migrate'], settings);
      assert.match(stderr, new RegExp(`; waiting for it for 15 s\n.*; ${UNREACHABLE}\n$`));
      assert.equal(code, 1);
    });
  });

  const UNREACHABLE = 'start PostgreSQL, or correct host and port in DATABASE_URL';
  const LOGIN = 'correct user and password in DATABASE_URL, or let the user in (pg_hba.conf)';
  const rights = (user: string): string =>
    `let "${user}" own the database, or run "hourkeep migrate" as the role that owns its tables ` +
    '(docs/operations.md, Roles on PostgreSQL)';
  const READ_ONLY =
    'cannot execute CREATE TABLE in a read-only transaction; ' +
    'this server is a standby or read-only; name the one that takes writes in DATABASE_URL';
  const LETTERS =
    'the database "old_letters" is in LATIN1, which has not the letters of all names; ' +
    "create one in UTF8: create database … encoding 'UTF8' template template0";
  const PATHLESS =
    'search_path is "", and no schema of it can be used; ' +
    'let the user use one, or: alter role "postgres" set search_path = public';

  describe('PostgreSQL that refuses a start says so in one line', () => {
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
        `permission denied for database "private"; ${rights('visitor')}`,
      ],
      [
        'the role may not create tables, as in PostgreSQL 15’s public',
        'visitor empty',
        `permission denied for schema public; ${rights('visitor')}`,
      ],
      [
        'the server wants encryption',
        'encrypted postgres',
        'pg_hba.conf rejects connection for host "127.0.0.1", user "encrypted", database "postgres", no encryption; ' +
          'add sslmode=require to DATABASE_URL, or let the user in without encryption (pg_hba.conf)',
      ],
      [
        'the database allows no connections',
        'postgres closed',
        'database "closed" is not currently accepting connections; allow them with: alter database … allow_connections true',
      ],
      ['the database cannot hold every name', 'postgres old_letters', LETTERS],
      ['the search path has no schema', 'postgres pathless', PATHLESS],
      ['the database is read-only', 'postgres frozen', READ_ONLY],
    ];
    for (const [because, who, line] of cases) {
      const [login, database] = who.split(' ') as [string, string];
      test(`when ${because}`, () => assertRefusedAt(address(login, database), line));
    }

    test('when it is a hot standby', async () => {
      const standby = await cluster.startStandby();
      await assertRefusedAt(standby.replace(/postgres$/, 'empty'), READ_ONLY);
    });

    test('when nothing listens there', async () => {
      const port = await freePort();
      const line = `connect ECONNREFUSED 127.0.0.1:${port}; ${UNREACHABLE}`;
      await assertRefusedAt(`postgres://app:right@127.0.0.1:${port}/app`, line);
    });

    test('when the direct address leads to a database of that name on another server', async (t) => {
      const other = (await startCluster())!;
      t.after(() => other.stop());
      const line =
        'DATABASE_DIRECT_URL leads to another database ("postgres" there) than DATABASE_URL ' +
        `("postgres" at ${new URL(cluster.url).host}); both must be the same, of the same server`;
      const more = { DATABASE_DIRECT_URL: other.url };
      await assertRefusedAt(cluster.url, line, more, new URL(other.url));
      const message = `PostgreSQL at ${new URL(other.url).host}: ${line}`;
      assert.deepEqual(await failing(settingsFor(cluster.url, more)), [{ check: 'database', message }]);
    });

    test('to serve and to doctor too', async () => {
      const url = address('postgres', 'old_letters');
      const message = `PostgreSQL at ${new URL(url).host}: ${LETTERS}`;
      const ended = await hourkeep(['serve'], settingsFor(url, { PORT: '0' }));
      assert.deepEqual(ended, { code: 1, stdout: '', stderr: `hourkeep: ${message}\n` });
      assert.deepEqual(await failing(settingsFor(url)), [{ check: 'database', message }]);
    });

    if (pgBouncerVersion !== undefined) behindPgBouncer();
    else notTested('starts behind poolers: pgbouncer is not installed');
  });

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
    const PARAMETER =
      'unsupported startup parameter: lock_timeout; this is a pooler: set DATABASE_POOLER to its mode, ' +
      'session or transaction, and DATABASE_DIRECT_URL to the server itself';
    const IN_TRANSACTION_MODE =
      'this is a pooler in transaction mode; set pool_mode = session in it, or (PgBouncer 1.21 or newer) DATABASE_POOLER=transaction and DATABASE_DIRECT_URL';
    const NO_TRANSACTIONS =
      'transaction blocks not allowed in statement pooling mode; set in the pooler: pool_mode = session or transaction';
    const UNTRACKED =
      'prepared statement "hk_pooler" does not exist; the pooler loses prepared statements; use PgBouncer 1.21 or newer with max_prepared_statements = 200, or set pool_mode = session in it';
    const FULL =
      'no more connections allowed (max_client_conn); raise that limit, or lower DATABASE_POOL_SIZE or the number of processes';

    /** `mode`: DATABASE_POOLER; null where it is not set. */
    const poolers: [because: string, settings: Record<string, string>, mode: string | null, line: string][] =
      [
        ['takes none of our start-up parameters', {}, null, PARAMETER],
        [
          'is in transaction mode and nothing says so',
          { ...transaction, ...OURS },
          null,
          IN_TRANSACTION_MODE,
        ],
        [
          'is in transaction mode, not in session mode',
          { ...transaction, ...OURS },
          'session',
          IN_TRANSACTION_MODE,
        ],
        ['is in transaction mode and has no prepared statements', untracked, 'transaction', UNTRACKED],
        ['has no transactions', { ...statement, ...OURS }, null, NO_TRANSACTIONS],
        ['has no transactions, whatever we say', statement, 'transaction', NO_TRANSACTIONS],
        ['takes no more connections', { max_client_conn: '0', ...OURS }, null, FULL],
      ];
    for (const [because, settings, mode, line] of poolers)
      test(`when a pooler in between ${because}`, async (t) => {
        const route = mode === 'transaction' ? { DATABASE_DIRECT_URL: cluster.url } : {};
        const more = mode === null ? {} : { DATABASE_POOLER: mode, ...route };
        await assertRefusedAt(await pooled(t, settings), line, more);
      });

    test('when the direct address leads to a pooler in transaction mode too', async (t) => {
      const url = await pooled(t, { ...transaction, ...OURS });
      const line =
        'this is a pooler in transaction mode; DATABASE_DIRECT_URL must lead past it, to the server';
      await assertRefusedAt(cluster.url, line, { DATABASE_DIRECT_URL: url }, new URL(url));
    });

    test('that names DATABASE_DIRECT_URL when that is wrong, and no password', async (t) => {
      const url = await pooled(t, transaction);
      const host = `127.0.0.1:${await freePort()}`;
      const line = `connect ECONNREFUSED ${host}; start PostgreSQL, or correct host and port in DATABASE_DIRECT_URL`;
      const direct = `postgres://app:right@${host}/app`;
      const more = { DATABASE_POOLER: 'transaction', DATABASE_DIRECT_URL: direct };
      await assertRefusedAt(url, line, more, new URL(direct));
    });

    test('but none about a pooler in session mode that ignores what our sessions set', async (t) => {
      const url = await pooled(t, { pool_mode: 'session', ...OURS });
      const service = await startProcess('serve', settingsFor(url));
      assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
      await service.end();
    });
  }
});
