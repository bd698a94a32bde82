import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { findBinaries } from '../test/support/cluster.ts';
import { availability } from './availability.ts';
import { creates } from './creates.ts';
import { growth } from './growth.ts';
import { money } from './money.ts';
import { scale } from './scale.ts';
import { size } from './size.ts';
import { benchFolder } from './support/folder.ts';
import { format, type Report } from './support/report.ts';
import { webhooksBench } from './webhooks.ts';

// npm run bench [-- part …] [-- --check]
// The first three parts by default, about five minutes; any by name, scale and size in about two minutes each. With
// --check it ends with 1 when a target is missed. Only ratios are targets: both sides of each are measured in turns,
// in the same run, on the same machine.

const PARTS: Record<string, (folder: string) => Promise<Report>> = {
  availability,
  creates,
  growth,
  money: async () => moneyTable(await money()),
  scale,
  size,
  webhooks: () => webhooksBench(),
};
const DEFAULT = ['availability', 'creates', 'growth'];

const named = process.argv.slice(2).filter((argument) => argument !== '--check');
const unknown = named.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  process.stderr.write(`bench: no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}\n`);
  process.exit(2);
}

const folder = benchFolder();
const reports: Report[] = [];
try {
  for (const name of named.length > 0 ? named : DEFAULT) {
    const report = await PARTS[name]!(folder.path);
    process.stdout.write(`${format(report)}\n\n`);
    reports.push(report);
  }
} finally {
  folder.remove();
}
const missed = reports.flatMap((report) => report.missed ?? []);
process.stdout.write(`${'='.repeat(100)}\n${machine()}\n\n${reports.map(format).join('\n\n')}\n`);
if (missed.length > 0) process.stdout.write(`\nMissed: ${missed.join('; ')}\n`);
if (process.argv.includes('--check') && missed.length > 0) process.exitCode = 1;

function machine(): string {
  const cores = cpus();
  const bin = findBinaries();
  const postgres =
    bin === undefined
      ? 'no PostgreSQL'
      : execFileSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' }).trim();
  return [
    `${cores.length} × ${cores[0]?.model ?? 'unknown core'}, ${process.platform} ${process.arch}`,
    `Node ${process.versions.node}, SQLite ${process.versions['sqlite']}, ${postgres}`,
  ].join('\n');
}

/** Its figures are milliseconds. */
function moneyTable({ title, rows }: Awaited<ReturnType<typeof money>>): Report {
  const isMet = ({ ratio, target }: (typeof rows)[number]): boolean =>
    target === undefined || ratio < target.below;
  const lines = rows.flatMap((row) => {
    const target =
      row.target === undefined ? ['', ''] : [`< ${row.target.below} ×`, isMet(row) ? 'met' : 'MISSED'];
    return [
      [row.what, row.ours.toFixed(1), `${row.ratio.toFixed(2)} ×`, ...target],
      [row.against, row.reference.toFixed(1), '', '', ''],
    ];
  });
  const missed = rows.filter((row) => !isMet(row)).map((row) => row.what);
  return { title, rows: [['', 'ms', 'ratio', 'target', ''], ...lines], missed };
}
