import { join } from 'node:path';
import { Client } from 'pg';
import { startCluster } from '../test/support/cluster.ts';
import { hourkeep } from '../test/support/process.ts';
import { fill } from './support/fill.ts';
import { CLUSTER_SETTINGS } from './support/pgbench.ts';
import type { Report } from './support/report.ts';
import { addHosts, withDatabase } from './support/world.ts';

const HOSTS = 50;
const SPACES_EACH = 20;
const BOOKINGS = [100_000, 1_000_000];

/** How long `hourkeep copy` takes from an SQLite file into an empty PostgreSQL, checked and committed. */
export async function copy(folder: string): Promise<Report> {
  const cluster = await startCluster(CLUSTER_SETTINGS);
  if (cluster === undefined) {
    process.stderr.write('bench: no PostgreSQL on this machine; copy is left out\n');
    return { title: 'hourkeep copy: not measured' };
  }
  try {
    const table = [['', 'rows', 'seconds', 'rows a second']];
    for (const bookings of BOOKINGS) {
      const settings = { DATABASE_URL: `sqlite:${join(folder, `copy-${bookings}.db`)}`, DATA_DIR: folder };
      await withDatabase(settings.DATABASE_URL, async (ctx) =>
        fill(ctx, await addHosts(ctx, HOSTS, SPACES_EACH), bookings),
      );
      const target = cluster.url.replace(/\/\w+$/, `/copy_${bookings}`);
      await createDatabase(cluster.url, `copy_${bookings}`);
      const { code, stdout, stderr } = await hourkeep(['copy', '--to', target, '--json'], settings);
      if (code !== 0) throw new Error(stderr);
      const { seconds, tables } = JSON.parse(stdout) as { seconds: number; tables: { rows: number }[] };
      const rows = tables.reduce((sum, each) => sum + each.rows, 0);
      table.push([
        `${bookings} bookings`,
        String(rows),
        seconds.toFixed(1),
        String(Math.round(rows / seconds)),
      ]);
    }
    return { title: 'hourkeep copy, from SQLite to PostgreSQL', table };
  } finally {
    cluster.stop();
  }
}

async function createDatabase(server: string, name: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
}
