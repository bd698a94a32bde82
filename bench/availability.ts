import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoFile } from '../src/demo/demo.ts';
import type { Bench, Place } from './support/bench.ts';
import { compare, CONNECTIONS, type Case, type Prepared, type Tree } from './support/compare.ts';
import { addFilledHosts, filledDates } from '../test/traffic/fill.ts';
import { availabilityScript, CLIENTS, GENEROUS_LIMIT } from './support/pgbench.ts';
import type { Report } from './support/report.ts';
import { asking, availabilityPath, type Work } from '../test/traffic/work.ts';
import { datesFrom } from '../test/traffic/world.ts';

/** Enough that nobody reaches a limit, which is counted as in production all the same. */
const HOSTS = 50;
const SPACES_EACH = 25;
/** So that PostgreSQL has seen what it plans for. */
const STORED = 10_000;

/**
 * The availability read: on the embedded engine against a bare route with the same bytes, on PostgreSQL against pgbench
 * sending the two statements of it.
 */
export async function availability(bench: Bench): Promise<Report> {
  const rows = await compare(bench, { 'embedded engine': onDemoData, PostgreSQL: onManyHosts });
  return { title: `Availability of a day, ${CONNECTIONS} connections`, rows };
}

/** One day of the demo data, whose key and spaces stand in a file once the service has started. */
async function onDemoData({ root }: Tree, place: Place): Promise<Prepared> {
  await (await place.start({}, 'serve', root)).stop();
  const demo = JSON.parse(readFileSync(join(place.folder, 'demo.json'), 'utf8')) as DemoFile;
  const path = availabilityPath(demo.spaces[0]!.id, datesFrom(2, 1)[0]!);
  const work = asking(demo.keys.production, path);
  const cases: Case[] = [
    { what: 'availability', work, against: 'bare Fastify route, same bytes', atLeast: 0.5 },
    { what: ONE_BY_ONE, work, isLone: true, against: 'bare Fastify route, one connection' },
  ];
  return { cases };
}

async function onManyHosts(tree: Tree, place: Place): Promise<Prepared> {
  const hosts = await addFilledHosts(place.url, HOSTS, SPACES_EACH, STORED, tree);
  const work: Work = { kind: 'read', callers: hosts, dates: filledDates() };
  const cases: Case[] = [
    { what: 'availability', work, against: `pgbench, ${CLIENTS} clients, one by one`, atLeast: 0.75 },
    { what: ONE_BY_ONE, work, isLone: true, against: 'pgbench, 1 client' },
  ];
  const scripts = async () => {
    const script = availabilityScript(hosts, filledDates(), join(place.folder, 'availability.sql'));
    return [script, script];
  };
  return { cases, settings: { RATE_LIMIT_PRODUCTION: String(GENEROUS_LIMIT) }, scripts };
}

const ONE_BY_ONE = 'availability, one connection';
