import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, unprivilegedUser } from './cluster.ts';
import { accepts } from './listening.ts';
import { makeFolder } from './process.ts';
import { until } from './until.ts';

/** Debian's package, unless PGBOUNCER names another program. */
const PROGRAM = process.env['PGBOUNCER'] ?? '/usr/sbin/pgbouncer';

/** Such as [1, 25]; undefined where there is none: whoever needs it says so. */
export const pgBouncerVersion = existsSync(PROGRAM) ? readVersion() : undefined;

/** From 1.21 on it can. */
export const tracksPreparedStatements =
  pgBouncerVersion !== undefined && (pgBouncerVersion[0] > 1 || pgBouncerVersion[1] >= 21);

function readVersion(): [major: number, minor: number] {
  const said = execFileSync(PROGRAM, ['--version'], { encoding: 'utf8' });
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(said) ?? [];
  return [Number(major), Number(minor)];
}

/** PgBouncer in front of a server, with settings such as `pool_mode`. Returns the address of the same database. */
export async function startPgBouncer(
  serverUrl: string,
  settings: Record<string, string>,
): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = makeFolder();
  chmodSync(folder.path, 0o755);
  const port = await freePort();
  const url = new URL(serverUrl);
  const lines = Object.entries({
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(folder.path, 'users'),
    ...settings,
  }).map(([name, value]) => `${name} = ${value}`);
  const file = join(folder.path, 'pgbouncer.ini');
  writeFileSync(join(folder.path, 'users'), `"${url.username}" ""\n`);
  writeFileSync(file, `[databases]\n* = host=127.0.0.1 port=${url.port}\n[pgbouncer]\n${lines.join('\n')}\n`);
  const child = spawn(PROGRAM, ['-q', file], { ...unprivilegedUser(), stdio: 'ignore' });
  const exit = once(child, 'exit');
  await until(() => {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}`);
    return accepts(port);
  });
  url.port = String(port);
  return {
    url: url.href,
    stop: async () => {
      child.kill('SIGKILL');
      await exit;
      folder.remove();
    },
  };
}
