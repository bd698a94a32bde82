import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../support/cluster.ts';

/** A server in a process of its own. */
export interface Server {
  readonly port: number;
  readonly pid: number;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  stop(): Promise<void>;
}

/** Runs a server for as long as the work takes. */
export async function withServer<T>(
  start: () => Promise<Server>,
  work: (server: Server) => Promise<T>,
): Promise<T> {
  const server = await start();
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

export type Command = 'serve' | 'api' | 'worker';

export const ROOT = new URL('../../', import.meta.url).pathname;

/**
 * The service as an operator starts it: logs at their default level into a file, metrics on. Only the limits
 * are lifted, which would refuse the load. Root: the checkout that it is started from.
 */
export async function startService(
  folder: string,
  settings: Record<string, string> = {},
  command: Command = 'serve',
  root = ROOT,
): Promise<Server> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const env = {
    DATA_DIR: folder,
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    RATE_LIMIT_PRODUCTION: '0',
    RATE_LIMIT_SANDBOX: '0',
    GUEST_VELOCITY_MAX: '1000000',
    ...settings,
  };
  // A worker serves nothing but its metrics.
  const [listensOn, readyPath] = command === 'worker' ? [metricsPort, '/metrics'] : [port, '/readyz'];
  return startServer(folder, listensOn, readyPath, [join(root, 'bin/hourkeep'), command], env);
}

const READY_WITHIN_MS = 30_000;

/** Starts a program, and waits until the path answers. */
export async function startServer(
  folder: string,
  port: number,
  readyPath: string,
  [command, ...args]: [string, ...string[]],
  env: Record<string, string> = {},
): Promise<Server> {
  mkdirSync(folder, { recursive: true });
  const logs = ['server.log', 'errors.log'].map((name) => openSync(join(folder, name), 'a'));
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', ...logs] });
  for (const log of logs) closeSync(log);
  const exited = once(child, 'exit');
  const isReady = async (): Promise<boolean> => (await fetch(`http://127.0.0.1:${port}${readyPath}`)).ok;
  const deadline = performance.now() + READY_WITHIN_MS;
  while (!(await isReady().catch(() => false))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`${command} did not start: ${readFileSync(join(folder, 'errors.log'), 'utf8')}`);
    }
    await delay(50);
  }
  return {
    port,
    pid: child.pid!,
    signal: (name) => void child.kill(name),
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Linux counts in hundredths of a second, whatever the kernel's own tick is. */
const TICK_US = 10_000;
/** Of the fields behind the name: user and system time, and those of children that have ended. */
const OWN = [11, 12];
const OF_THE_ENDED = [13, 14];

/** CPU time that a process has used so far, in microseconds; NaN where the system does not tell, or it has ended. */
export function cpuOf(pid: number, columns = OWN): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return columns.reduce((sum, column) => sum + Number(fields[column]) * TICK_US, 0);
  } catch {
    return NaN;
  }
}

/** Of a process and its children, those that have ended too: their time is their parent's when it has heard of it. */
export function cpuOfFamily(parent: number): number {
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ');
  const living = children.reduce((sum, child) => sum + cpuOf(Number(child)), 0);
  return living + cpuOf(parent, [...OWN, ...OF_THE_ENDED]);
}
