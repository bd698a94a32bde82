import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { judge } from './contract/seen.ts';
import { startCluster, type Cluster } from './support/cluster.ts';

// npm test: the whole suite on both engines. Arguments are test files; without any, all of them.
// PostgreSQL is TEST_DATABASE_URL or a throw-away cluster. Where neither can be had the suite says so and runs
// on the embedded engine alone; in CI that is a failure.
// A run of the whole suite also fails when the OpenAPI document promises an answer that no test has seen.

const named = process.argv.slice(2);
// Those of whole processes take longest: begun last, they would run on alone.
const patterns = named.length > 0 ? named : ['test/**/*.test.ts', 'src/**/*.test.ts'];
const files = patterns.flatMap((pattern) =>
  globSync(pattern)
    .sort()
    .map((file) => resolvePath(file)),
);
if (files.length === 0) {
  process.stderr.write(`no test file is called ${named.join(' or ')}\n`);
  process.exit(1);
}
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
Object.assign(process.env, {
  TEST_DATABASE_URL: url ?? '',
  NODE_ENV: 'test',
  CONTRACT_SEEN: seen,
  // Every file is a process of its own; without this each of them compiles the whole service anew.
  NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
});
// It looks at TEST_DATABASE_URL.
const { makeTemplates } = await import('./support/engines.ts');
const templates = await makeTemplates();
const succeeded = await new Promise<boolean>((resolve) => {
  const events = run({
    files,
    // Processes wait for each other and for disks; two cores are busy with four files at a time.
    concurrency: Math.max(4, availableParallelism()),
    timeout: 240_000,
    // Names of tests that do not apply where this run takes place; they are counted as skipped.
    testSkipPatterns: process.env['TEST_SKIP'] ? new RegExp(process.env['TEST_SKIP']) : [],
  });
  events.on('test:summary', ({ file, success }) => {
    if (file === undefined) resolve(success);
  });
  events.compose(new spec()).pipe(process.stdout);
});
for (const template of templates) await template.drop();
cluster?.stop();
const found = named.length > 0 ? [] : judge(seen);
for (const line of found) process.stderr.write(`contract: ${line}\n`);
rmSync(seen, { recursive: true });
process.exitCode = succeeded && found.length === 0 ? 0 : 1;
