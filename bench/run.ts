import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findBinaries } from '../test/support/cluster.ts';
import { availability } from './availability.ts';
import { creates } from './creates.ts';
import { growth } from './growth.ts';
import { money } from './money.ts';
import { reads } from './reads.ts';
import { scale } from './scale.ts';
import { size } from './size.ts';
import { folderOnDisk } from '../test/traffic/folder.ts';
import { withBench, type Bench, type Options } from './support/bench.ts';
import { PACE, QUICK } from './support/measure.ts';
import { format, type Report } from './support/report.ts';
import { webhooks } from './webhooks.ts';

// npm run bench [-- part …] [--quick] [--rounds 5] [--against folder] [--bookings 1e7]
// Parts by name, all by default: about an hour. Only ratios are targets: both sides of each are measured in turns, in the same
// run, on the same machine.
// With --against, availability, creates and reads are held against another checkout of the project. --quick is to see that
// they run: too short to tell anything. --bookings is the larger size of growth.

/** Those that another checkout can be held against. */
const COMPARABLE = { availability, creates, reads };
const PARTS: Record<string, (bench: Bench) => Promise<Report>> = {
  ...COMPARABLE,
  growth,
  scale,
  size,
  webhooks,
  money,
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    against: { type: 'string' },
    rounds: { type: 'string' },
    bookings: { type: 'string' },
  },
});
const all = Object.keys(values.against === undefined ? PARTS : COMPARABLE);
const unknown = positionals.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`bench: no part ${unknown.join(', ')}; there are ${all.join(', ')}\n`);
  process.exit(2);
}
const pace = values.quick ? QUICK : PACE;
const options: Options = {
  pace: { ...pace, rounds: Number(values.rounds ?? pace.rounds) },
  bookings: values.bookings === undefined ? undefined : Number(values.bookings),
  against: values.against === undefined ? undefined : resolve(values.against),
};

const folder = folderOnDisk();
const reports: Report[] = [];
try {
  for (const name of positionals.length > 0 ? positionals : all) {
    const report = await withBench(folder.path, options, PARTS[name]!);
    process.stderr.write(`${format([report])}\n\n`);
    reports.push(report);
  }
} finally {
  folder.remove();
}
const cores = cpus();
process.stdout.write(`${cores.length} × ${cores[0]?.model}, ${process.platform} ${process.arch}\n`);
const bin = findBinaries();
const postgres = bin && execFileSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' }).trim();
const { node, sqlite } = process.versions as Record<string, string>;
process.stdout.write(
  `Node ${node}, SQLite ${sqlite}, ${postgres ?? 'no PostgreSQL'}\n\n${format(reports)}\n`,
);
