import { hourkeep } from '../test/support/process.ts';
import type { Bench } from './support/bench.ts';
import { addFilledHosts } from './support/fill.ts';
import type { Report } from './support/report.ts';

const HOSTS = 50;
const SPACES_EACH = 20;
const BOOKINGS = [100_000, 1_000_000];

/** How long `hourkeep copy` takes from an SQLite file into an empty PostgreSQL, checked and committed. */
export async function copy(bench: Bench): Promise<Report> {
  if (!bench.engines.includes('PostgreSQL')) return { title: 'hourkeep copy: not measured' };
  const table = [['', 'rows', 'seconds', 'rows a second']];
  for (const bookings of BOOKINGS) {
    const [from, to] = [await bench.newPlace('embedded engine'), await bench.newPlace('PostgreSQL')];
    await addFilledHosts(from.url, HOSTS, SPACES_EACH, bookings);
    const settings = { DATABASE_URL: from.url, DATA_DIR: from.folder };
    const { code, stdout, stderr } = await hourkeep(['copy', '--to', to.url, '--json'], settings);
    if (code !== 0) throw new Error(stderr);
    const { seconds, tables } = JSON.parse(stdout) as { seconds: number; tables: { rows: number }[] };
    const rows = tables.reduce((sum, each) => sum + each.rows, 0);
    table.push([`${bookings} bookings`, `${rows}`, seconds.toFixed(1), `${Math.round(rows / seconds)}`]);
  }
  return { title: 'hourkeep copy, from SQLite to PostgreSQL', table };
}
