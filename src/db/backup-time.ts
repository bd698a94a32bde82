import { read, write, type Db } from './database.ts';

// When a database was last backed up, kept in it: by "hourkeep backup", or as the operator says of another tool.

const BACKED_UP_AT = 'backed_up_at';

export async function recordBackup(db: Pick<Db, 'once'>, now: number): Promise<void> {
  await db.once(upsertBackup, [String(now)]);
}

const upsertBackup = write(`
  insert into settings (name, value) values ('${BACKED_UP_AT}', $1)
  on conflict (name) do update set value = excluded.value`);

/** In epoch milliseconds. */
export const selectBackup = read<{ value: string }>(
  `select value from settings where name = '${BACKED_UP_AT}'`,
);
