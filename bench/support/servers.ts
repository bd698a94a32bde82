import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, openSync, closeSync, readFileSync, writeFileSync } from 'node:fs';
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

export const ROOT = new URL('../../', import.meta.url).pathname;

/**
 * The service as an operator starts it: logs at their default level into a file, metrics on. Only the limits
 * are lifted, which would refuse the load.
 */
export async function startService(
  folder: string,
  settings: Record<string, string> = {},
  command: 'serve' | 'api' | 'worker' = 'serve',
  /** The checkout that it is started from. */
  root = ROOT,
): Promise<Server> {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const metricsPort = await freePort();
  const env = {
    ...process.env,
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
  return start(folder, listensOn, readyPath, join(root, 'bin/hourkeep'), [command], env);
}

export async function startBare(folder: string, body: string): Promise<Server> {
  const port = await freePort();
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'body.json');
  writeFileSync(file, body);
  const script = join(ROOT, 'bench/bare-server.ts');
  return start(folder, port, '/x', process.execPath, [script, String(port), file], process.env);
}

const READY_WITHIN_MS = 30_000;

async function start(
  folder: string,
  port: number,
  readyPath: string,
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<Server> {
  const log = openSync(join(folder, 'server.log'), 'a');
  const errors = openSync(join(folder, 'errors.log'), 'a');
  const child = spawn(command, args, { env, stdio: ['ignore', log, errors] });
  closeSync(log);
  closeSync(errors);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const deadline = performance.now() + READY_WITHIN_MS;
  while (!(await answers(`http://127.0.0.1:${port}${readyPath}`))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`${command} did not start: ${readFileSync(join(folder, 'errors.log'), 'utf8')}`);
    }
    await delay(50);
  }
  return {
    port,
    cpu: () => cpuOf(child.pid),
    memory: () => residentMemory(child),
    signal: (name) => void child.kill(name),
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok;
    },
    () => false,
  );
}

function residentMemory(child: ChildProcess): number {
  try {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  } catch {
    return NaN;
  }
}
