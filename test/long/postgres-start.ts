import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { migrate } from '../../src/db/migrate.ts';
import { readDemo } from '../support/demo.ts';
import { bookingBody, CREATE } from '../support/booking.ts';
import { findBinaries, startCluster, unprivilegedUser, type Cluster } from '../support/cluster.ts';
import { openContext } from '../support/context.ts';
import { networkTo } from '../support/network.ts';
import { hourkeep, makeFolder, startProcess, type Finished, type TestFolder } from '../support/process.ts';
import { query } from '../support/query.ts';
import { TEST_CERTIFICATE, TEST_CERTIFICATE_KEY } from '../support/tls.ts';
import { send } from '../support/world.ts';

const ROOT = join(import.meta.dirname, '../..');

// A server of its own: these change who may connect to it, and how.
if (findBinaries() === undefined)
  process.stderr.write('PostgreSQL’s server programs are not installed: starts are NOT TESTED in this run\n');
else onPostgresOfOurOwn();

function onPostgresOfOurOwn(): void {
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
      'host all postgres,hourkeep_owner,hourkeep 127.0.0.1/32 trust',
    ];
    await run(`copy (select unnest(array['${lines.join("','")}'])) to '${file}'`);
    await run('select pg_reload_conf()');
    await run('create role encrypted superuser login');
  });
  after(() => {
    cluster.stop();
    folder.remove();
  });
  /** A file that the server's user owns, and nobody else reads. */
  function put(name: string, text: string): string {
    const file = join(folder.path, name);
    writeFileSync(file, `${text}\n`, { mode: 0o600 });
    const user = process.getuid?.() === 0 ? unprivilegedUser() : undefined;
    if (user !== undefined) chownSync(file, user.uid, user.gid);
    return file;
  }
  const run = (statement: string, url = cluster.url): Promise<unknown[]> => query(url, statement);
  const address = (login: string, database = 'postgres'): string =>
    `postgres://${login}@${new URL(cluster.url).host}/${database}`;
  const migrated = (url: string): Promise<Finished> =>
    hourkeep(['migrate'], { DATA_DIR: folder.path, DATABASE_URL: url });
  const assertMigrated = async (url: string): Promise<void> => {
    const { code, stdout, stderr } = await migrated(url);
    assert.equal(stderr, '');
    assert.match(stdout, /^Applied|up to date/);
    assert.equal(code, 0);
  };
  const assertRefused = async (url: string, line: string): Promise<void> => {
    const { code, stdout, stderr } = await migrated(url);
    assert.deepEqual({ code, stdout, stderr }, { code: 1, stdout: '', stderr: `hourkeep: ${line}\n` });
  };

  describe('a role that may only read and write rows', () => {
    let settings: Record<string, string>;
    let url: string;
    before(async () => {
      for (const role of ['hourkeep_owner', 'hourkeep']) await run(`create role ${role} login`);
      await run('create database hourkeep owner hourkeep_owner');
      const [, grants] = /## Roles on PostgreSQL[^]*?```sql\n([^]*?)```/.exec(
        readFileSync(join(ROOT, 'docs/operations.md'), 'utf8'),
      ) as unknown as [string, string];
      await run(grants, address('postgres', 'hourkeep'));
      await assertMigrated(address('hourkeep_owner', 'hourkeep'));
      url = address('hourkeep', 'hourkeep');
      settings = { DATA_DIR: folder.path, DATABASE_URL: url };
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
      const added = await hourkeep(['host', 'add', ...host, '--json'], settings);
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
        const { code, stderr } = await hourkeep(command, settings);
        assert.equal(code, 0, `${command.join(' ')}: ${stderr}`);
      }
      const { stdout } = await hourkeep(['doctor', '--json'], settings);
      const failed = (JSON.parse(stdout) as { check: string; status: string }[])
        .filter(({ status }) => status === 'fail')
        .map(({ check }) => check);
      // No worker runs here.
      assert.deepEqual(
        failed.filter((check) => check !== 'worker'),
        [],
      );
    });

    test('is told who must migrate', async () => {
      const more = makeFolder();
      cpSync(join(ROOT, 'migrations'), more.path, { recursive: true });
      writeFileSync(
        join(more.path, '9999_more.sql'),
        '-- oldest: 0.1.0\nalter table hosts add column more integer;\n',
      );
      const ctx = openContext(settings);
      await assert.rejects(migrate(ctx.db, ctx.clock, { folder: pathToFileURL(`${more.path}/`) }), {
        message:
          `PostgreSQL at ${new URL(url).host}: must be owner of table hosts; ` +
          'run "hourkeep migrate" as the role that owns the tables, then start again',
      });
      await ctx.db.close();
      more.remove();
    });
  });

  describe('the address of a socket', () => {
    test('has libpq’s forms', async () => {
      const [{ folder: sockets }] = (await run(
        "select current_setting('unix_socket_directories') as folder",
      )) as [{ folder: string }];
      const { port } = new URL(cluster.url);
      for (const url of [
        `postgres://postgres:x@/postgres?host=${sockets}&port=${port}`,
        `postgres:///postgres?host=${sockets}&port=${port}&user=postgres`,
        `postgres://postgres@${encodeURIComponent(sockets)}:${port}/postgres`,
      ])
        await assertMigrated(url);
      await assertRefused(
        `postgres://postgres:x@/postgres?host=${folder.path}&port=${port}`,
        `PostgreSQL at ${folder.path}: connect ENOENT ${folder.path}/.s.PGSQL.${port}; ` +
          'start PostgreSQL, or correct host and port in DATABASE_URL',
      );
    });
  });

  describe('sslmode', () => {
    const place = (): string => `PostgreSQL at ${new URL(cluster.url).host}: `;

    test('encrypts, and looks at the certificate, as libpq does', async () => {
      for (const mode of ['allow', 'prefer', 'require', `verify-ca&sslrootcert=${certificate}`])
        await assertMigrated(`${address('encrypted')}?sslmode=${mode}`);
    });

    test('goes on without encryption, as libpq does, where the server has none and it need not', async () => {
      const plain = (await startCluster())!;
      for (const mode of ['disable', 'allow', 'prefer']) await assertMigrated(`${plain.url}?sslmode=${mode}`);
      await assertRefused(
        `${plain.url}?sslmode=require`,
        `PostgreSQL at ${new URL(plain.url).host}: The server does not support SSL connections; ` +
          'switch it on there (ssl = on), or leave sslmode out of DATABASE_URL',
      );
      plain.stop();
    });

    test('that cannot be had is a line that says what to do', async () => {
      const { hostname: host } = new URL(cluster.url);
      await assertRefused(
        address('encrypted'),
        `${place()}no pg_hba.conf entry for host "${host}", user "encrypted", database "postgres", no encryption; ` +
          'add sslmode=require to DATABASE_URL, or let the user in without encryption (pg_hba.conf)',
      );
      await assertRefused(
        `${address('encrypted')}?sslmode=verify-full`,
        `${place()}self-signed certificate; name the file with its authority’s certificate as sslrootcert in DATABASE_URL, ` +
          'or set sslmode=require, which trusts any',
      );
      const { stderr } = await migrated(
        `${address('encrypted')}?sslmode=verify-full&sslrootcert=${certificate}`,
      );
      assert.match(stderr, /does not match certificate's altnames.*; use the name that the certificate has/);
    });

    test('that makes no sense ends the start', async () => {
      const modes = 'disable, allow, prefer, require, verify-ca, verify-full';
      await assertRefused(`${cluster.url}?sslmode=on`, `DATABASE_URL: sslmode must be one of ${modes}`);
      await assertRefused(
        `${cluster.url}?sslmode=verify-ca`,
        'DATABASE_URL: sslmode=verify-ca needs sslrootcert, the file with the authority’s certificate',
      );
      await assertRefused(
        `${cluster.url}?sslmode=verify-full&sslrootcert=/nowhere.crt`,
        'DATABASE_URL: sslrootcert names /nowhere.crt, which cannot be read',
      );
    });
  });

  describe('a start that meets a server which does not answer', () => {
    test('waits, says what for, and goes on when it answers', async () => {
      const network = await networkTo(Number(new URL(cluster.url).port));
      network.lose();
      const { PATH, HOME } = process.env;
      const url = `postgres://postgres@127.0.0.1:${network.port}/postgres`;
      const env = { PATH, HOME, DATA_DIR: folder.path, DATABASE_URL: url };
      const child = spawn(join(ROOT, 'bin/hourkeep'), ['migrate'], { env });
      let said = '';
      child.stderr.on('data', (chunk) => {
        said += String(chunk);
        network.find();
      });
      const [code] = (await once(child, 'close')) as [number];
      assert.match(said, /^hourkeep: the database is not available: .*; waiting for it for 15 s\n$/);
      assert.equal(code, 0);
      network.close();
    });

    test('gives up after 15 seconds, and says what to do', async () => {
      const network = await networkTo(Number(new URL(cluster.url).port));
      network.lose();
      const began = performance.now();
      const { code, stderr } = await migrated(`postgres://postgres@127.0.0.1:${network.port}/postgres`);
      assert.ok(performance.now() - began > 14_000);
      assert.match(
        stderr,
        /; waiting for it for 15 s\n.*; start PostgreSQL, or correct host and port in DATABASE_URL\n$/,
      );
      assert.equal(code, 1);
      network.close();
    });
  });
}
