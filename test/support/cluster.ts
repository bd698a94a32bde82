import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, chownSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listening } from './listening.ts';
import { movableClock, type MovableClock } from './movable-clock.ts';

export interface Cluster {
  url: string;
  /** The server's first process; all its others are children of this one. */
  pid(): number;
  /** Takes the server down as a crash would, and brings it back on the same data. */
  crash(): Promise<void>;
  restart(): Promise<void>;
  /** Stops every process of the server where it stands: connections stay open, nothing is answered. */
  freeze(): void;
  thaw(): void;
  /** A hot standby of it: the address of a server that answers reads and refuses writes. Ends with this one. */
  startStandby(): Promise<string>;
  /** Moves its clock, where it was wanted and there is a C compiler. */
  stepClock?: MovableClock['step'] | undefined;
  /** For good: the data goes too. */
  stop(): void;
}

/**
 * A PostgreSQL server of our own for as long as the tests run, from binaries on the machine; undefined where
 * there are none. The server refuses to run as root, so root lends it the user of Debian's package.
 */
export async function startCluster(
  settings: Record<string, string> = {},
  { movesClock = false } = {},
): Promise<Cluster | undefined> {
  const bin = findBinaries();
  if (bin === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'hourkeep-pg-'));
  const user = unprivilegedUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const port = await freePort();
  const clock = movesClock ? movableClock(join(folder, 'clock')) : undefined;
  const env = { ...process.env, ...clock?.variables };
  const run = (command: string, args: string[]): void => {
    execFileSync(join(bin, command), args, {
      ...user,
      env,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  };
  run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']);
  const options = { fsync: 'off', max_connections: '300', listen_addresses: '127.0.0.1', ...settings };
  const flags = Object.entries(options).map(([name, value]) => `-c ${name}=${value}`);
  const startOf = (where: string, atPort: number): string[] => [
    '-D',
    where,
    '-w',
    '-l',
    `${where}.log`,
    '-o',
    `-p ${atPort} -k ${folder} ${flags.join(' ')}`,
    'start',
  ];
  const crashOf = (where: string): string[] => ['-D', where, '-m', 'immediate', 'stop'];
  const start = startOf(data, port);
  run('pg_ctl', start);
  const crash = crashOf(data);
  const standby = join(folder, 'standby');
  // Not waited for synchronously: whoever takes a server down wants to see what happens meanwhile.
  const control = async (args: string[]): Promise<void> => {
    await promisify(execFile)(join(bin, 'pg_ctl'), args, { ...user, env, cwd: folder });
  };
  const stop = (): void => {
    process.off('exit', stop);
    for (const where of [standby, data].filter((path) => existsSync(path)))
      spawnSync(join(bin, 'pg_ctl'), crashOf(where), { ...user, cwd: folder });
    rmSync(folder, { recursive: true, force: true });
  };
  // Whatever ends this process, a server must not be left behind.
  process.on('exit', stop);
  exitOnSignals();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    pid: () => postmaster(data),
    crash: () => control(crash),
    restart: () => control(start),
    freeze: () => signalAll(data, 'SIGSTOP'),
    thaw: () => signalAll(data, 'SIGCONT'),
    startStandby: async () => {
      const from = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres'];
      run('pg_basebackup', ['-D', standby, '-R', '-c', 'fast', '--no-sync', ...from]);
      const standbyPort = await freePort();
      run('pg_ctl', startOf(standby, standbyPort));
      return `postgres://postgres@127.0.0.1:${standbyPort}/postgres`;
    },
    stepClock: clock?.step,
    stop,
  };
}

let exits = false;

/** A signal ends a process without "exit", unless somebody exits. */
export function exitOnSignals(): void {
  if (exits) return;
  exits = true;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
}

/** The postmaster stops first, so that it starts no more children while they are being looked up. */
export function signalAll(data: string, signal: NodeJS.Signals): void {
  const parent = postmaster(data);
  process.kill(parent, 'SIGSTOP');
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8');
  for (const pid of children.split(' ').filter((text) => text !== '')) process.kill(Number(pid), signal);
  process.kill(parent, signal);
}

function postmaster(data: string): number {
  return Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10);
}

/** Debian keeps the server's programs outside the PATH, one folder a version. */
export function findBinaries(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl')));
}

export async function freePort(): Promise<number> {
  const { port, close } = await listening(createServer());
  await close();
  return port;
}

/** Whose the server's processes are where root starts them. */
export function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const number = (flag: string): number =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: number('-u'), gid: number('-g') };
}
