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
}

const COLUMNS = `id, name, email, timezone, currency, commission_millionths, settlement_modes, max_booking_value, created_at`;

export const selectHosts = read<HostRow>(`select ${COLUMNS} from hosts order by id`);

export const selectHost = read<HostRow>(`select ${COLUMNS} from hosts where id = $1`);

export const insertHost = write(`
  insert into hosts (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`);

export const selectAnyHost = read<{ id: string }>('select id from hosts limit 1');
