import { read, write } from '../db/database.ts';
import { assignments, placeholders, stored } from '../fields/fields.ts';
import { HOST, type HostRow } from './fields.ts';

const { columns, cells: hostCells } = stored(HOST);
export { hostCells };
const COLUMNS = columns.join(', ');

/** Ids sort by time. */
export const selectHosts = read<HostRow>(`select ${COLUMNS} from hosts order by id desc`);

export const selectHost = read<HostRow>(`select ${COLUMNS} from hosts where id = $1`);

export const insertHost = write(`insert into hosts (${COLUMNS}) values (${placeholders(columns)})`);

export const selectHostByEmail = read<{ id: string }>(`
  select id from hosts where lower(email) = lower($1) and id <> $2`);

/** By its id, ref or email: `rank` says by which. Two rows of rank 3 are possible in databases that began with 0.1.0. */
export const selectNamedHost = read<{ id: string; rank: number }>(`
  select id, case when id = $1::uuid then 1 when ref = $2 then 2 else 3 end as rank from hosts
  where id = $1::uuid or ref = $2 or lower(email) = lower($2) order by rank limit 2`);

export const selectHostNames = read<{ id: string; name: string }>('select id, name from hosts');

/** Reads the row and locks it for the update that follows. */
export const lockHost = write<HostRow>(`update hosts set name = name where id = $1 returning ${COLUMNS}`);

export const updateHost = write(`update hosts set ${assignments(columns.slice(1), 2)} where id = $1`);

export const selectAnyHost = read<{ id: string }>('select id from hosts limit 1');
