import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { streams } from '../../src/cli/output.ts';
import { runCommand } from '../../src/cli/program.ts';
import type { DemoFile } from '../../src/demo/demo.ts';
import { readDemo } from './demo.ts';
import type { Engine, TestDatabase } from './engines.ts';
import {
  cleanEnvironment,
  makeFolder,
  startProcess,
  type Finished,
  type Running,
  type TestFolder,
} from './process.ts';
import { send, TEST_SECRET_KEY, type Answer, type Call, type World } from './world.ts';

/** One after the other: a command reads its settings from the environment of the process. */
let turn: Promise<unknown> = Promise.resolve();

/** Runs one command to its end, in this process: what `hourkeep` prints for it, and its exit code. */
export function typed(args: readonly string[], settings: Record<string, string>): Promise<Finished> {
  const ended = turn.then(() => runHere(args, settings));
  turn = ended.catch(() => undefined);
  return ended;
}

async function runHere(args: readonly string[], settings: Record<string, string>): Promise<Finished> {
  const { env } = process;
  const { out, err } = streams;
  const said = { stdout: '', stderr: '' };
  process.env = cleanEnvironment(settings);
  streams.out = { write: (text) => (said.stdout += text) };
  streams.err = { write: (text) => (said.stderr += text) };
  try {
    return { code: await runCommand(args), ...said };
  } finally {
    process.env = env;
    Object.assign(streams, { out, err });
  }
}

/** The command line with these settings, as an operator uses it. */
export function commandLine(settings: () => Record<string, string>) {
  const run = (...args: string[]) => typed(args, settings());
  return {
    run,
    /** What it prints with --json. */
    // oxlint-disable-next-line typescript/no-explicit-any -- each command prints another shape
    json: async <T = any>(...args: string[]): Promise<T> => {
      const { code, stdout, stderr } = await run(...args, '--json');
      assert.deepEqual([code, stderr], [0, ''], args.join(' '));
      return JSON.parse(stdout) as T;
    },
    says: async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await run(...args);
      assert.deepEqual([code, stderr], [0, ''], args.join(' '));
      return stdout;
    },
    /** The words with which it refuses. */
    refuses: async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await run(...args);
      assert.deepEqual([code, stdout], [1, ''], args.join(' '));
      return stderr;
    },
  };
}

/** The command line on the database of a world. */
export const commandsOn = (world: World) =>
  commandLine(() => ({ DATABASE_URL: world.databaseUrl, SECRET_KEY: TEST_SECRET_KEY }));

/** What doctor finds, by the name of the check. */
export async function examine(settings: Record<string, string>) {
  const { stdout } = await typed(['doctor', '--json'], settings);
  const checks = JSON.parse(stdout) as { check: string; status: 'ok' | 'warn' | 'fail'; message: string }[];
  return new Map(checks.map((found) => [found.check, found]));
}

interface Serving extends ReturnType<typeof commandLine> {
  folder: TestFolder;
  database: TestDatabase;
  settings: Record<string, string>;
  service: Running;
  demo: DemoFile;
  /** Asks the API, with the demo's production key unless another one is given. */
  call(method: string, path: string, call?: Call): Promise<Answer>;
}

/** A service in a process of its own with the demo, and the command line beside it, for all tests of a suite. */
export function useServing(engine: Engine, more: Record<string, string> = {}): Serving {
  const folder = makeFolder();
  const serving = {
    folder,
    ...commandLine(() => serving.settings),
    call: (method, path, call) =>
      send(serving.service.url, method, path, { key: serving.demo.keys.production, ...call }),
  } as Serving;
  before(async () => {
    serving.database = await engine.createDatabase();
    serving.settings = {
      DATABASE_URL: serving.database.url,
      DATA_DIR: folder.path,
      RATE_LIMIT_PRODUCTION: '0',
      RATE_LIMIT_SANDBOX: '0',
      ...more,
    };
    serving.service = await startProcess('serve', serving.settings);
    serving.demo = readDemo(folder.path);
  });
  after(async () => {
    await serving.service.end();
    await serving.database.drop();
    folder.remove();
  });
  return serving;
}
