import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { until } from './until.ts';

/** The command, as an operator types it. */
export const BIN = join(import.meta.dirname, '../../bin/hourkeep');

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Settings of the machine the tests run on must not leak into the service under test. */
export function cleanEnvironment(settings: Record<string, string>): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), METRICS_PORT: '0', ...settings };
}

/** Runs one command to its end, as an operator would. */
export async function hourkeep(
  args: readonly string[],
  settings: Record<string, string>,
  bin = BIN,
): Promise<Finished> {
  const child = spawn(bin, args, { env: cleanEnvironment(settings) });
  return finished(child, collect(child));
}

export interface Running {
  url: string;
  process: ChildProcess;
  output: { stdout: string; stderr: string };
  /** Settles when the process has ended by itself or by a signal. */
  exit: Promise<Finished>;
  /** Ends it with a signal and waits. */
  end(signal?: NodeJS.Signals): Promise<Finished>;
}

/** Starts a service in a process of its own and waits until it is ready. Port 0: the first free one. */
export async function startProcess(
  command: 'serve' | 'serve --anyway' | 'api' | 'worker',
  settings: Record<string, string>,
  bin = BIN,
): Promise<Running> {
  const child = spawn(bin, command.split(' '), { env: cleanEnvironment({ PORT: '0', ...settings }) });
  return untilReady(child, `hourkeep ${command}`);
}

/** Waits for a service that was just started. `what` it is, for the error if it ends instead. */
export async function untilReady(child: ChildProcess, what: string): Promise<Running> {
  const output = collect(child);
  const exit = finished(child, output);
  const ready = new Promise<string>((resolve) => {
    const look = (): void => {
      const line = output.stdout.split('\n').find((text) => text.includes('"message":"ready"'));
      if (line === undefined) return;
      child.stdout?.off('data', look);
      resolve((JSON.parse(line) as { url?: string }).url ?? '');
    };
    child.stdout?.on('data', look);
  });
  const url = await Promise.race([ready, exit]);
  if (typeof url !== 'string') throw new Error(`${what} ended with ${url.code}: ${url.stderr}`);
  return {
    url,
    process: child,
    output,
    exit,
    end: async (signal = 'SIGTERM') => {
      child.kill(signal);
      closeOwnConnections();
      return exit;
    },
  };
}

/** Runs `serve` as a person does, until it is ready and ^C: what the terminal shows, and the log, which goes to a file. */
export async function serveAtTerminal(
  settings: Record<string, string>,
  whileReady: (shown: string) => Promise<void> = async () => undefined,
): Promise<{ shown: string; log: string }> {
  const folder = makeFolder();
  const log = join(folder.path, 'log');
  writeFileSync(log, '');
  const child = spawn('script', ['-qec', `${BIN} serve > ${log}`, '/dev/null'], {
    env: cleanEnvironment({ PORT: '0', ...settings }),
  });
  const output = collect(child);
  const exit = finished(child, output);
  // The banner ends with an empty line, and follows the log's "ready".
  await until(() => child.exitCode !== null || output.stdout.endsWith('\r\n\r\n'));
  const shown = output.stdout.replaceAll('\r\n', '\n');
  await whileReady(shown);
  child.stdin.write('\u0003');
  closeOwnConnections();
  await exit;
  const written = readFileSync(log, 'utf8');
  folder.remove();
  return { shown, log: written };
}

/** Runs a command at a terminal of its own, and types this once it has asked for a yes: its exit code, and all that the terminal shows. */
export async function answeredAtTerminal(
  command: string,
  settings: Record<string, string>,
  typed: string,
): Promise<{ code: number | null; shown: string }> {
  const child = spawn('script', ['-qec', `${BIN} ${command}`, '/dev/null'], {
    env: cleanEnvironment(settings),
  });
  const output = collect(child);
  const asked = (): void => {
    if (!output.stdout.includes('Type yes:')) return;
    child.stdout.off('data', asked);
    child.stdin.write(typed);
  };
  child.stdout.on('data', asked);
  const { code, stdout } = await finished(child, output);
  return { code, shown: stdout };
}

/** A service that stops waits some seconds for a proxy to close its idle connections. It need not wait for those of fetch. */
function closeOwnConnections(): void {
  const used = getGlobalDispatcher();
  setGlobalDispatcher(new Agent());
  void used.close();
}

export interface TestFolder {
  path: string;
  remove(): void;
}

export function makeFolder(): TestFolder {
  const path = mkdtempSync(join(tmpdir(), 'hourkeep-data-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => (output.stdout += String(chunk)));
  child.stderr?.on('data', (chunk) => (output.stderr += String(chunk)));
  return output;
}

function finished(child: ChildProcess, output: { stdout: string; stderr: string }): Promise<Finished> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...output }));
  });
}
