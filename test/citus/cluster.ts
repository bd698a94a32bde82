import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findBinaries, startCluster, type Cluster } from '../support/cluster.ts';
import { onServer } from '../support/citus.ts';

export interface CitusCluster {
  /** Of a superuser, on the coordinator. */
  readonly url: string;
  /** How many nodes have shards. */
  readonly nodes: number;
  /** Those that were started here: for the CPU time that they use. */
  readonly servers: readonly Cluster[];
  stop(): void;
}

const NODES = 3;
const SETTINGS = {
  shared_preload_libraries: 'citus',
  // Citus keeps a process for each database.
  max_worker_processes: '64',
  // Every connection to the coordinator may open one to each node.
  max_connections: '400',
  // Shards are moved by logical replication, so that their hosts go on.
  wal_level: 'logical',
  max_wal_senders: '40',
  max_replication_slots: '40',
  max_logical_replication_workers: '20',
  // On loopback. Else the servers, whose user is not ours, would look for certificates in our home.
  'citus.node_conninfo': 'sslmode=disable',
};

/**
 * The cluster that CITUS_URL names; else three servers of our own where Citus is installed beside the machine's
 * PostgreSQL; else undefined.
 */
export async function findCitus(): Promise<CitusCluster | undefined> {
  const url = process.env['CITUS_URL'] ?? '';
  if (url !== '') {
    const [rows] = await onServer(url, ['select 1 from pg_dist_node where groupid > 0']);
    return { url, nodes: 1 + rows!.length, servers: [], stop: () => undefined };
  }
  const binaries = findBinaries();
  if (binaries === undefined || !existsSync(join(binaries, '../lib/citus.so'))) return undefined;
  const servers: Cluster[] = [];
  for (let n = 0; n < NODES; n++) servers.push((await startCluster(SETTINGS))!);
  for (const server of servers) await onServer(server.url, ['create extension citus']);
  const [coordinator, ...workers] = servers.map((server) => `'127.0.0.1', ${new URL(server.url).port}`);
  await onServer(servers[0]!.url, [
    `select citus_set_coordinator_host(${coordinator!})`,
    ...workers.map((address) => `select citus_add_node(${address})`),
  ]);
  return {
    url: servers[0]!.url,
    nodes: NODES,
    servers,
    stop: () => {
      for (const server of servers) server.stop();
    },
  };
}
