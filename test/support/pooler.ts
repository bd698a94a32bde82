import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort, unprivilegedUser } from './cluster.ts';
import { makeFolder } from './process.ts';

const PROGRAM = process.env['PGBOUNCER'] ?? '/usr/sbin/pgbouncer';

/** Debian's package. Where it is missing, whoever needs it says so. */
export const hasPgBouncer = existsSync(PROGRAM);

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
  const user = process.getuid?.() === 0 ? unprivilegedUser() : {};
  const child = spawn(PROGRAM, ['-q', file], { ...user, stdio: 'ignore' });
  const exit = once(child, 'exit');
  await listening(port);
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

async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const connected = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (connected) return;
  }
}
