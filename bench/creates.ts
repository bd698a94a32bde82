import { join } from 'node:path';
import type { Bench, Place } from './support/bench.ts';
import { compare, CONNECTIONS, type Case, type Prepared, type Tree } from './support/compare.ts';
import { addFilledHosts, FIRST_FREE_DAY } from '../test/traffic/fill.ts';
import { CLIENTS, createScript, refusalScript } from './support/pgbench.ts';
import type { Report } from './support/report.ts';
import type { Work } from '../test/traffic/work.ts';
import { datesFrom, withDatabase, type BenchHost } from '../test/traffic/world.ts';

const SPACES_EACH = 25;
/** So that PostgreSQL has seen what it plans for. */
const STORED = 10_000;
const FREE_YEAR = datesFrom(FIRST_FREE_DAY, 365);
const YEAR_AFTER = datesFrom(FIRST_FREE_DAY + 365, 365);

/**
 * Bookings of free hours, of hours that 64 want at once, and one after the other: how much of a bare route, and how
 * much of PostgreSQL itself, is left of them.
 */
export async function creates(bench: Bench): Promise<Report> {
  const rows = await compare(bench, { 'embedded engine': embedded, PostgreSQL: onPostgres });
  return { title: `Create booking, ${CONNECTIONS} connections`, rows };
}

async function embedded(tree: Tree, place: Place): Promise<Prepared> {
  const [host] = await tree.withDatabase(place.url, (ctx) => tree.addHosts(ctx, 1, SPACES_EACH));
  const bare = 'bare Fastify POST, same bytes';
  return { cases: casesOf(host!, 0.28, [bare, bare, 'bare Fastify POST, one connection']) };
}

async function onPostgres(tree: Tree, place: Place): Promise<Prepared> {
  const [ours, pgbenchs] = await addFilledHosts(place.url, 2, SPACES_EACH, STORED, tree);
  const cases = casesOf(ours!, 0.6, [
    `pgbench, ${CLIENTS} clients, one by one`,
    `pgbench, ${CLIENTS} clients, begin, ask for a taken hour, rollback`,
    'pgbench, 1 client',
  ]);
  const scripts = async () => {
    const create = await withDatabase(place.url, (ctx) =>
      createScript(ctx, pgbenchs!, FREE_YEAR, join(place.folder, 'create.sql')),
    );
    const refusal = refusalScript(pgbenchs!, FREE_YEAR, join(place.folder, 'refusal.sql'));
    return [create, refusal, create];
  };
  return { cases, scripts };
}

/** One key makes all bookings, so its limit is not counted. */
function casesOf(host: BenchHost, atLeast: number, [many, crowd, lone]: [string, string, string]): Case[] {
  const work: Work = { kind: 'create', callers: [host], dates: FREE_YEAR };
  const crowded: Work = { ...work, dates: YEAR_AFTER, crowd: CONNECTIONS };
  return [
    { what: 'create booking', work, against: many, atLeast },
    { what: `create booking, ${CONNECTIONS} for each hour`, work: crowded, against: crowd },
    { what: 'create booking, one connection', work, isLone: true, against: lone },
  ];
}
