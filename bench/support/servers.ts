import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../test/support/cluster.ts';
import { cpuOf } from './cpu.ts';

/** A server in a process of its own. */
export interface Server {
  readonly port: number;
  /** CPU time it has used so far, in microseconds; NaN where the system does not tell. */
  cpu(): number;
  /** Memory it has now, in MiB; NaN where the system does not tell. */
  memory(): number;
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
  return start(folder, listensOn, readyPath, [join(root, 'bin/hourkeep'), command], env);
}

export async function startBare(folder: string, body: string): Promise<Server> {
  const port = await freePort();
  const file = join(folder, 'body.json');
  writeFileSync(file, body);
  const script = join(ROOT, 'bench/bare-server.ts');
  return start(folder, port, '/x', [process.execPath, script, String(port), file]);
}

const READY_WITHIN_MS = 30_000;

async function start(
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
    cpu: () => cpuOf(child.pid),
    memory: () => residentMemory(child.pid),
    signal: (name) => void child.kill(name),
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function residentMemory(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  } catch {
    return NaN;
  }
}
