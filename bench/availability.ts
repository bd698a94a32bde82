import { join } from 'node:path';
import { compare, type Options } from './support/compare.ts';
import { filledDates } from './support/fill.ts';
import { availabilityScript, CLIENTS } from './support/pgbench.ts';
import type { Report } from './support/report.ts';
import { CONNECTIONS, embeddedReads, postgresReads } from './support/sides.ts';
import { bareSide, pgbenchSide } from './support/yardsticks.ts';
import { withDatabase } from './support/world.ts';

const LABELS = { many: 'availability', lone: 'availability, one connection' } as const;

/**
 * The availability read: on the embedded engine against a bare route with the same bytes, on PostgreSQL against pgbench
 * sending the two statements of it.
 */
export async function availability(folder: string, options: Options): Promise<Report> {
  const rows = await compare(options, LABELS, {
    embedded: {
      prepare: (stage, tree, name) => embeddedReads(stage, tree, join(folder, `availability-${name}`)),
      yardstick: (stage, ours) => bareSide(stage, ours, join(folder, 'bare-availability')),
      called: { many: 'bare Fastify route, same bytes', lone: 'bare Fastify route, one connection' },
      promised: { many: { atLeast: 0.5 } },
    },
    postgres: {
      prepare: (stage, tree, name, cluster) =>
        postgresReads(stage, tree, join(folder, `availability-pg-${name}`), cluster),
      yardstick: async (stage, ours) => {
        const file = join(folder, 'availability.sql');
        const script = await withDatabase(ours.url, (ctx) =>
          availabilityScript(ctx.db, ours.hosts[0]!, filledDates(), file),
        );
        return pgbenchSide(stage, ours, { many: script, lone: script });
      },
      called: { many: `pgbench, ${CLIENTS} clients, one by one`, lone: 'pgbench, 1 client' },
      promised: { many: { atLeast: 0.75 } },
    },
  });
  return { title: `Availability of a day, ${CONNECTIONS} connections`, rows };
}
