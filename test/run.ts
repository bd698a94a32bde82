import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { judge } from './contract/seen.ts';
import { startCluster, type Cluster } from './support/cluster.ts';

// npm test: the whole suite on both engines. Arguments are test files; without any, all of them.
// PostgreSQL is TEST_DATABASE_URL or a throw-away cluster. Where neither can be had the suite says so and runs
// on the embedded engine alone; in CI that is a failure.
// A run of the whole suite also fails when the OpenAPI document promises an answer that no test has seen.

const named = process.argv.slice(2);
const patterns = named.length > 0 ? named : ['test/**/*.test.ts', 'src/**/*.test.ts'];
const files = patterns.flatMap((pattern) => globSync(pattern).sort());
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

const folder = mkdtempSync(join(tmpdir(), 'hourkeep-run-'));
const seen = join(folder, 'seen');
// Processes wait for each other and for disks; two cores are busy with four of them at a time.
const atATime = Math.max(4, availableParallelism());
// In a run of the whole suite files share processes: to load the service, compile its schemas and read its document takes more of
// a core's time (1.3 s) than what most files do then. They are dealt out like cards, because those of a folder are alike: no
// process shall run on alone at the end.
const count = named.length > 0 ? files.length : 4 * atATime;
const processes = Array.from({ length: count }, (_, i) => {
  const dealt = files.filter((_, position) => position % count === i);
  const path = join(folder, `${dealt[0]?.replaceAll('/', '-')}.mjs`);
  writeFileSync(path, dealt.map((file) => `import '${pathToFileURL(resolvePath(file)).href}';\n`).join(''));
  return path;
});
Object.assign(process.env, {
  TEST_DATABASE_URL: url ?? '',
  NODE_ENV: 'test',
  CONTRACT_SEEN: seen,
  // Without this each process compiles the whole service anew.
  NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
});
// It looks at TEST_DATABASE_URL.
const { makeTemplates } = await import('./support/engines.ts');
const templates = await makeTemplates();
const succeeded = await new Promise<boolean>((resolve) => {
  const events = run({
    files: processes,
    concurrency: atATime,
    // Of a process. On two quiet cores one takes half a minute; on a busy machine each of them waits for all that others do.
    timeout: 900_000,
    // A test that has failed may leave a worker or a server behind, which would keep its process alive for ever.
    execArgv: ['--test-force-exit'],
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
rmSync(folder, { recursive: true });
process.exitCode = succeeded && found.length === 0 ? 0 : 1;
