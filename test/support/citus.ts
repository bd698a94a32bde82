import { readFileSync } from 'node:fs';
import { beginSealing } from '../../src/calendars/urls.ts';
import { readConfig } from '../../src/config.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { createLogger } from '../../src/log.ts';
import { systemClock } from '../../src/time/clock.ts';
import { onConnection } from './query.ts';

const DISTRIBUTE = new URL('../../deploy/citus/distribute.sql', import.meta.url);
/** Enough to lie on several nodes. A database with more takes longer to make, and tests make many. */
const FEW_SHARDS = 4;

/**
 * An empty database on the coordinator at this address and on the nodes that it knows, so many of them in all. The
 * coordinator has shards too.
 */
export async function createOnNodes(coordinator: string, name: string, count: number, shards = FEW_SHARDS) {
  const known = await nodesOf(coordinator);
  const nodes = known.slice(0, count);
  const createOn = async (node: string): Promise<void> => {
    await onServer(node, [`create database ${name}`]);
    await onServer(databaseOf(node, name), ['create extension citus']);
  };
  for (const node of nodes) await createOn(node);
  const url = databaseOf(coordinator, name);
  const [first, ...others] = nodes.map(addressOf);
  await onServer(url, [
    // Making a node known writes what all databases of a server share, and fails when another does so at that moment.
    'select pg_advisory_lock(1)',
    `select citus_set_coordinator_host(${first!})`,
    `select citus_set_node_property(${first!}, 'shouldhaveshards', true)`,
    ...others.map((address) => `select citus_add_node(${address})`),
  ]);
  return {
    url,
    /** Migrates it first. */
    distribute: async () => {
      const db = openDatabase(readConfig({ DATABASE_URL: url }), createLogger('silent'));
      await migrate(db, systemClock, { afterwards: async (tx) => void (await beginSealing(tx, db.engine)) });
      await db.close();
      await onServer(url, [`set citus.shard_count = ${shards}`, readFileSync(DISTRIBUTE, 'utf8')]);
    },
    /** One more of those that the coordinator knows. It has no shards yet. */
    addNode: async () => {
      const node = known[nodes.length]!;
      await createOn(node);
      nodes.push(node);
      await onServer(url, [`select citus_add_node(${addressOf(node)})`]);
    },
    drop: async () => {
      for (const node of nodes) await onServer(node, [`drop database ${name} with (force)`]);
    },
  };
}

/** The coordinator first. Every node takes the user and the password that the coordinator takes. */
async function nodesOf(coordinator: string): Promise<string[]> {
  const [rows] = await onServer(coordinator, [
    'select nodename, nodeport from pg_dist_node where groupid > 0 order by nodeid',
  ]);
  const workers = rows as { nodename: string; nodeport: number }[];
  return [
    coordinator,
    ...workers.map(({ nodename, nodeport }) => {
      const url = new URL(coordinator);
      url.hostname = nodename;
      url.port = String(nodeport);
      return url.href;
    }),
  ];
}

function databaseOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** As arguments of Citus's functions. */
function addressOf(server: string): string {
  const { hostname, port } = new URL(server);
  return `'${hostname}', ${port || 5432}`;
}

/** The rows of each statement. */
export function onServer(url: string, statements: readonly string[]): Promise<unknown[][]> {
  return onConnection(url, async (client) => {
    const rows: unknown[][] = [];
    for (const text of statements) rows.push((await client.query(text)).rows ?? []);
    return rows;
  });
}
