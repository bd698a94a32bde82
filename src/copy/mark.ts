import { read, type Sql } from '../db/database.ts';
import { OperatorError } from '../errors.ts';

/** The setting in which an SQLite file that was copied keeps where to. */
export const COPIED_TO = 'copied_to';

/** What is booked in a file that was copied would be missing where everybody else books. */
export async function refuseCopied(db: Sql, file: string): Promise<void> {
  const mark = await db.get(selectMark);
  if (mark === undefined) return;
  throw new OperatorError(
    `${file} was copied to ${mark.value}; set DATABASE_URL to that, or say "hourkeep serve --anyway" if you know what you do`,
  );
}

const selectMark = read<{ value: string }>(`select value from settings where name = '${COPIED_TO}'`);
