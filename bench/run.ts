import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findBinaries } from '../test/support/cluster.ts';
import { availability } from './availability.ts';
import { copy } from './copy.ts';
import { creates } from './creates.ts';
import { growth } from './growth.ts';
import { money } from './money.ts';
import { scale } from './scale.ts';
import { size } from './size.ts';
import { chart } from './support/chart.ts';
import type { Options } from './support/compare.ts';
import { benchFolder } from './support/folder.ts';
import { format, isMet, type Report } from './support/report.ts';
import { PACE, QUICK } from './support/turns.ts';
import { webhooksBench } from './webhooks.ts';

// npm run bench [-- part …] [-- --check] [--chart file.svg] [--quick] [--rounds 5] [--against folder] [--bookings 1e7]
// Parts by name, all by default: under twenty minutes. With --check it ends with 1 when a target is missed by more than
// the spread. Only ratios are targets: both sides of each are measured in turns, in the same run, on the same machine.
// With --against, availability and creates are held against another checkout of the project. --quick is to see that
// they run: too short to tell anything. --bookings is the larger size of growth.

const PARTS: Record<string, (folder: string, options: Options) => Promise<Report>> = {
  availability,
  creates,
  growth,
  scale,
  size,
  copy,
  webhooks: () => webhooksBench(),
  money: (_, { pace }) => money({ rounds: pace.rounds }),
};

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: 'boolean', default: false },
    chart: { type: 'string' },
    quick: { type: 'boolean', default: false },
    against: { type: 'string' },
    rounds: { type: 'string' },
    bookings: { type: 'string' },
  },
});
/** Those that another checkout can be held against. */
const COMPARABLE = ['availability', 'creates'];
const all = options.against === undefined ? Object.keys(PARTS) : COMPARABLE;
const unknown = positionals.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`bench: no part ${unknown.join(', ')}; there are ${all.join(', ')}\n`);
  process.exit(2);
}

const folder = benchFolder();
const reports: Report[] = [];
try {
  const wanted: Options = {
    pace: {
      ...(options.quick ? QUICK : PACE),
      ...(options.rounds ? { rounds: Number(options.rounds) } : {}),
    },
    ...(options.bookings === undefined ? {} : { bookings: Number(options.bookings) }),
    ...(options.against === undefined ? {} : { against: resolve(options.against) }),
  };
  for (const name of positionals.length > 0 ? positionals : all) {
    const report = await PARTS[name]!(folder.path, wanted);
    process.stderr.write(`${format([report])}\n\n`);
    reports.push(report);
  }
} finally {
  folder.remove();
}
const [machine, versions] = [cores(), software()];
process.stdout.write(`${machine}\n${versions}\n\n${format(reports)}\n`);
if (options.chart !== undefined) {
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(options.chart, chart(reports, [`${day}, ${machine}`, versions]));
}
const missed = reports.flatMap(({ rows = [] }) => rows.filter((row) => !isMet(row)).map(({ what }) => what));
if (missed.length > 0) process.stdout.write(`\nMissed: ${missed.join('; ')}\n`);
if (options.check && missed.length > 0) process.exitCode = 1;

function cores(): string {
  const all = cpus();
  return `${all.length} × ${all[0]?.model ?? 'unknown core'}, ${process.platform} ${process.arch}`;
}

function software(): string {
  const bin = findBinaries();
  const postgres =
    bin === undefined
      ? 'no PostgreSQL'
      : execFileSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' }).trim();
  return `Node ${process.versions.node}, SQLite ${process.versions['sqlite']}, ${postgres}`;
}
