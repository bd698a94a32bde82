import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { DemoFile } from '../../src/demo/demo.ts';
import type { Engine, TestDatabase } from './engines.ts';
import { hourkeep, makeFolder, startProcess, type Running, type TestFolder } from './process.ts';

/** The command line with these settings, as an operator uses it. */
export function commandLine(settings: () => Record<string, string>) {
  const run = (...args: string[]) => hourkeep(args, settings());
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

interface Serving extends ReturnType<typeof commandLine> {
  folder: TestFolder;
  database: TestDatabase;
  settings: Record<string, string>;
  service: Running;
  demo: DemoFile;
}

/** A service in a process of its own with the demo, and the command line beside it, for all tests of a suite. */
export function useServing(engine: Engine, more: Record<string, string> = {}): Serving {
  const folder = makeFolder();
  const serving = { folder, ...commandLine(() => serving.settings) } as Serving;
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
    serving.demo = JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8')) as DemoFile;
  });
  after(async () => {
    await serving.service.end();
    await serving.database.drop();
    folder.remove();
  });
  return serving;
}
