import { read, write } from '../db/database.ts';

export interface HostRow {
  id: string;
  name: string;
  email: string;
  timezone: string;
  currency: string;
  commission_millionths: number;
  settlement_modes: string;
  max_booking_value: number | null;
  created_at: number;
  deactivated_at: number | null;
  /** The operator's own name for it. */
  ref: string | null;
}

const COLUMNS = `id, name, email, timezone, currency, commission_millionths, settlement_modes, max_booking_value, created_at,
  deactivated_at, ref`;

/** Ids sort by time. */
export const selectHosts = read<HostRow>(`select ${COLUMNS} from hosts order by id desc`);

export const selectDeactivated = read<{ id: string }>(
  `select id from hosts where deactivated_at is not null`,
);

export const selectHost = read<HostRow>(`select ${COLUMNS} from hosts where id = $1`);

export const insertHost = write(`
  insert into hosts (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, null, $10)`);

export const selectHostByEmail = read<{ id: string }>(`
  select id from hosts where lower(email) = lower($1) and id <> $2`);

/** Reads the row and locks it for the update that follows. */
export const lockHost = write<HostRow>(`update hosts set name = name where id = $1 returning ${COLUMNS}`);

export const updateHost = write(`
  update hosts set name = $2, email = $3, timezone = $4, currency = $5, commission_millionths = $6,
    settlement_modes = $7, max_booking_value = $8, deactivated_at = $9
  where id = $1`);

export const selectAnyHost = read<{ id: string }>('select id from hosts limit 1');
