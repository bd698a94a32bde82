import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { availability } from './availability.ts';
import { creates } from './creates.ts';
import { benchFolder } from './support/folder.ts';
import { format, isMet, type Report } from './support/report.ts';

// npm run bench [-- availability creates webhooks money] [--check]
// Parts by name, all by default. With --check it ends with 1 when a target is missed. Only ratios are targets:
// both sides of each are measured in turns, in the same run, on the same machine.

const PARTS: Record<string, (folder: string) => Promise<Report>> = { availability, creates };

/** These print tables of their own kind, and run in a process of their own. */
const PROGRAMS = ['webhooks', 'money'];

const names = process.argv.slice(2).filter((argument) => argument !== '--check');
const check = process.argv.includes('--check');
const known = [...Object.keys(PARTS), ...PROGRAMS];
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`bench: no part ${unknown.join(', ')}; there are ${known.join(', ')}\n`);
  process.exit(2);
}

const folder = benchFolder();
const reports: Report[] = [];
try {
  for (const [name, part] of Object.entries(PARTS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const report = await part(folder.path);
    process.stdout.write(`${format([report])}\n\n`);
    reports.push(report);
  }
} finally {
  folder.remove();
}
if (reports.length > 0) process.stdout.write(`${machine()}\n${format(reports)}\n`);
for (const name of PROGRAMS) {
  if (names.length > 0 && !names.includes(name)) continue;
  const program = new URL(`${name}.ts`, import.meta.url).pathname;
  spawnSync(process.execPath, [program], { stdio: 'inherit' });
}
if (check && !reports.flatMap((report) => report.rows).every(isMet)) process.exitCode = 1;

function machine(): string {
  const cores = cpus();
  return [
    `${cores.length} cores (${cores[0]?.model ?? 'unknown'}), ${process.platform} ${process.arch}`,
    `Node ${process.versions.node}, SQLite ${process.versions['sqlite']}`,
  ].join('\n');
}
