import type { Owned } from '../caller.ts';
import { read, write } from '../db/database.ts';
import { assignments, chosen, isSettable, placeholders, selectList, stored } from '../fields/fields.ts';
import { SPACE, type SpaceRow } from './fields.ts';

const SELECT = `select ${selectList(SPACE, 's')} from spaces s join hosts h`;

export const selectSpacesOfHost = read<SpaceRow>(
  `${SELECT} on h.id = $1 where s.host_id = $1 and s.environment = $2 order by s.id`,
);

export const selectSpace = read<SpaceRow>(
  `${SELECT} on h.id = $1 where s.host_id = $1 and s.environment = $2 and s.id = $3`,
);

export const selectSpacesForOperator = read<SpaceRow>(
  `${SELECT} on h.id = s.host_id where ($1::uuid is null or s.host_id = $1::uuid) order by s.id desc`,
);

/** A space of a host by its ref, or by its id. */
export const selectNamedSpace = read<{ id: string }>(`
  select id from spaces where host_id = $1 and (id = $2::uuid or ref = $3)
  order by case when id = $2::uuid then 1 else 2 end limit 1`);

const { columns, cells: spaceCells } = stored(SPACE);
export { spaceCells };

export const insertSpace = write(`
  insert into spaces (created_at, updated_at, ${columns.join(', ')}) values ($1, $1, ${placeholders(columns, 2)})`);

/** Locks the row by a write that changes nothing. */
export const lockSpace = write(`
  update spaces set updated_at = updated_at where host_id = $1 and environment = $2 and id = $3`);

const changeable = stored(chosen(SPACE, isSettable));
export const changeableCells = changeable.cells;

export const updateSpace = write(`
  update spaces set updated_at = $4, ${assignments(changeable.columns, 5)}
  where host_id = $1 and environment = $2 and id = $3`);

/** The host and environment of a space, for callers who know only its id. */
export const selectFeed = read<Owned & { token_hash: string }>(
  'select host_id, environment, token_hash from feeds where space_id = $1',
);

export const insertFeed = write(`
  insert into feeds (host_id, environment, space_id, token_hash) values ($1, $2, $3, $4)`);

export const updateFeedToken = write('update feeds set token_hash = $2 where space_id = $1');

export const selectFeedSpace = read<{ id: string; title: string; timezone: string }>(`
  select s.id, s.title, s.timezone from spaces s join hosts h on h.id = $1
  where s.host_id = $1 and s.environment = $2 and s.id = $3 and h.deactivated_at is null`);
