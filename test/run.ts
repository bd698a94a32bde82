import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
const patterns = named.length > 0 ? named : ['test/**/*.test.ts', 'src/**/*.test.ts', 'bench/**/*.test.ts'];
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
// Files share processes: to load the service, compile its schemas and read its document takes more of a core's time (1.3 s) than what
// most files do then. A process that is done with a file takes the next one: none runs on alone at the end.
writeFileSync(join(folder, 'files.json'), JSON.stringify(files));
const share = pathToFileURL(resolvePath('test/share.ts')).href;
const processes = Array.from({ length: Math.min(atATime, files.length) }, (_, i) => {
  const path = join(folder, `process-${i + 1}.mjs`);
  writeFileSync(path, `import '${share}';\n`);
  return path;
});
Object.assign(process.env, {
  TEST_DATABASE_URL: url ?? '',
  NODE_ENV: 'test',
  CONTRACT_SEEN: seen,
  TEST_FILES: folder,
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
    // Of a process. On two quiet cores one takes two minutes, and a quarter of an hour for test/long.
    timeout: 3_600_000,
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
// A process that ends by itself in the middle of a file would be no failure.
const cut = files.filter((_, i) => !existsSync(join(folder, String(i), 'done')));
for (const file of cut) process.stderr.write(`did not run to its end: ${file}\n`);
const found = named.length > 0 ? [] : judge(seen);
for (const line of found) process.stderr.write(`contract: ${line}\n`);
rmSync(folder, { recursive: true });
process.exitCode = succeeded && found.length === 0 && cut.length === 0 ? 0 : 1;
