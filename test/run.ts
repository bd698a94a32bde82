import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judge } from './contract/seen.ts';
import { startCluster, type Cluster } from './support/cluster.ts';

// npm test: the whole suite on both engines. Arguments are test files; without any, all of them.
// PostgreSQL is TEST_DATABASE_URL or a throw-away cluster. Where neither can be had the suite says so and runs
// on the embedded engine alone; in CI that is a failure.
// A run of the whole suite also fails when the OpenAPI document promises an answer that no test has seen.

const files = process.argv.slice(2);
let cluster: Cluster | undefined;
let url = process.env['TEST_DATABASE_URL'];
if (url === undefined || url === '') {
  cluster = await startCluster();
  url = cluster?.url;
}
if (url === undefined) {
  const line = '!'.repeat(100);
  process.stderr.write(
    `${line}\nNo PostgreSQL: set TEST_DATABASE_URL or install the server (Debian: apt-get install postgresql).\n` +
      `Everything that needs it is NOT TESTED in this run; only the embedded engine is.\n${line}\n`,
  );
  if (process.env['CI'] === 'true') process.exit(1);
}

const seen = mkdtempSync(join(tmpdir(), 'hourkeep-contract-'));
const child = spawn(
  process.execPath,
  [
    '--test',
    '--test-concurrency=3',
    '--test-timeout=240000',
    ...(files.length > 0 ? files : ['src/**/*.test.ts', 'test/**/*.test.ts']),
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      TEST_DATABASE_URL: url ?? '',
      NODE_ENV: 'test',
      CONTRACT_SEEN: seen,
      // Every file is a process of its own; without this each of them compiles the whole service anew.
      NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
    },
  },
);
const code = await new Promise<number>((resolve) => child.once('exit', (status) => resolve(status ?? 1)));
cluster?.stop();
const found = files.length > 0 ? [] : judge(seen);
for (const line of found) process.stderr.write(`contract: ${line}\n`);
rmSync(seen, { recursive: true });
process.exit(found.length > 0 ? 1 : code);
