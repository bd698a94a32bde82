import type { Bench, Place } from './support/bench.ts';
import { compare, type Case, type Prepared, type Tree } from './support/compare.ts';
import { tidy } from '../test/traffic/fill.ts';
import type { Report } from './support/report.ts';
import { asking, availabilityPath, feedPaths } from '../test/traffic/work.ts';
import { datesFrom, type BenchHost } from '../test/traffic/world.ts';

const CONNECTIONS = 16;
/** A feed may be asked for 60 times a minute, so it takes many of them. */
const HOSTS = 137;
const SPACES = 3;
/** 720 bookings a host, one in ten cancelled, the last ones a month ahead. */
const DAYS = 120;
const BARE = 'bare Fastify route, same bytes';

/** What people wait for: pages of bookings, weeks and months of availability, money, feeds. Against bare routes with the same bytes. */
export async function reads(bench: Bench): Promise<Report> {
  const rows = await compare(bench, {
    'embedded engine': (tree, place) => prepare(tree, place, true),
    PostgreSQL: (tree, place) => prepare(tree, place, false),
  });
  return { title: `Reads of a host with ${SPACES * DAYS * 2} bookings, ${CONNECTIONS} connections`, rows };
}

/** Only the embedded engine was promised something: on PostgreSQL the database's processes share the cores. */
async function prepare(tree: Tree, place: Place, isPromised: boolean): Promise<Prepared> {
  const hosts = await tree.withDatabase(place.url, async (ctx) => {
    const hosts = await tree.addHosts(ctx, HOSTS, SPACES);
    await tree.fillDays(ctx, hosts, DAYS);
    return hosts;
  });
  await tidy(place.url);
  const [{ key, spaces }] = hosts as [BenchHost];
  const lists = '/api-bookings/api/v1/bookings';
  const report = `/api-settlement-report/api/v1/settlement/report?month=${datesFrom(-45, 1)[0]!.slice(0, 7)}`;
  const month = availabilityPath(spaces[0]!, datesFrom(0, 1)[0]!);
  const asked: Record<string, [paths: string[], atLeast?: number]> = {
    'a page of 50 bookings': [[lists], 0.35],
    'a page of 200 bookings': [[`${lists}?limit=200`], 0.35],
    'a page of 50 confirmed ones': [[`${lists}?status=confirmed`], 0.35],
    'availability of 7 days': [[`${month}&days=7`]],
    'availability of 31 days': [[`${month}&days=31`], 0.35],
    earnings: [['/api-earnings/api/v1/earnings'], 0.4],
    'a report of 160 lines': [[report]],
    'a feed': [hosts.flatMap(feedPaths)],
  };
  const cases = Object.entries(asked).map(([what, [paths, atLeast]]): Case => {
    return {
      what,
      work: asking(key, ...paths),
      against: BARE,
      ...(isPromised && atLeast !== undefined ? { atLeast } : {}),
    };
  });
  return { cases, connections: CONNECTIONS };
}
