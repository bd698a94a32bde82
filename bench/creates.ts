import { join } from 'node:path';
import { compare, type Options } from './support/compare.ts';
import { FIRST_FREE_DAY } from './support/fill.ts';
import { CLIENTS, createScript, refusalScript } from './support/pgbench.ts';
import type { Report } from './support/report.ts';
import { CONNECTIONS, embeddedCreates, postgresCreates } from './support/sides.ts';
import { bareSide, pgbenchSide } from './support/yardsticks.ts';
import { datesFrom, withDatabase } from './support/world.ts';

const LABELS = {
  many: 'create booking',
  crowd: `create booking, ${CONNECTIONS} for each hour`,
  lone: 'create booking, one connection',
} as const;

/**
 * Bookings of free hours, of hours that 64 want at once, and one after the other: how much of a bare route, and how
 * much of PostgreSQL itself, is left of them.
 */
export async function creates(folder: string, options: Options): Promise<Report> {
  const rows = await compare(options, LABELS, {
    embedded: {
      prepare: (stage, tree, name) => embeddedCreates(stage, tree, join(folder, `creates-${name}`)),
      yardstick: (stage, ours) => bareSide(stage, ours, join(folder, 'bare-creates')),
      called: {
        many: 'bare Fastify POST, same bytes',
        crowd: 'bare Fastify POST, same bytes',
        lone: 'bare Fastify POST, one connection',
      },
      promised: { many: { atLeast: 0.28 } },
    },
    postgres: {
      prepare: (stage, tree, name, cluster) =>
        postgresCreates(stage, tree, join(folder, `creates-pg-${name}`), cluster),
      yardstick: async (stage, ours) => {
        const dates = datesFrom(FIRST_FREE_DAY, 365);
        const [host] = ours.hosts.slice(1);
        const [taken] = datesFrom(FIRST_FREE_DAY + 365, 1);
        const { made, refused } = await withDatabase(ours.url, async (ctx) => ({
          made: await createScript(ctx, host!, dates, join(folder, 'create.sql')),
          refused: await refusalScript(ctx, host!, taken!, join(folder, 'refusal.sql')),
        }));
        return pgbenchSide(stage, ours, { many: made, crowd: refused, lone: made });
      },
      called: {
        many: `pgbench, ${CLIENTS} clients, one by one`,
        crowd: `pgbench, ${CLIENTS} clients, begin, ask for a taken hour, rollback`,
        lone: 'pgbench, 1 client',
      },
      promised: { many: { atLeast: 0.6 } },
    },
  });
  return { title: `Create booking, ${CONNECTIONS} connections`, rows };
}
