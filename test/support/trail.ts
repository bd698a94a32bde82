import type { Actor } from '../../src/caller.ts';
import type { Action } from '../../src/audit/audit.ts';
import type { World } from './world.ts';

/** A row of the audit trail, without the order of its writing. */
export interface TrailRow {
  host_id: string;
  at: number;
  actor_type: Actor['type'];
  actor_id: string;
  action: Action;
  environment: string | null;
  subject: string;
  reason: string | null;
  request_id: string | null;
}

/** What the audit trail tells about a host, oldest first. */
export async function trailOf(world: World, hostId: string): Promise<TrailRow[]> {
  const rows = await world.rows<TrailRow>(
    `select host_id, at, actor_type, actor_id, action, environment, subject, reason, request_id
     from audit where host_id = $1 order by id`,
    [hostId],
  );
  return rows.map((row) => ({ ...row }));
}

/** The same, shorter: what was done to what. */
export async function changesOf(world: World, hostId: string): Promise<[action: Action, subject: string][]> {
  return (await trailOf(world, hostId)).map(({ action, subject }) => [action, subject]);
}
