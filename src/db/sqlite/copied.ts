import { OperatorError } from '../../errors.ts';
import { read, type Sql } from '../database.ts';

/** The setting in which an SQLite file that was copied keeps where to. */
export const COPIED_TO = 'copied_to';

export interface EmbeddedFile {
  readonly file: string;
  /** Serve it, and write to it, even if it was copied. */
  readonly anyway?: boolean;
}

/** What is written to a file that was copied would be missing where everybody else reads. */
export async function refuseCopied(db: Pick<Sql, 'get'>, { file, anyway }: EmbeddedFile): Promise<void> {
  if (anyway) return;
  const mark = await db.get(selectMark).catch(ifSetUp);
  if (mark === undefined) return;
  throw new OperatorError(
    `${file} was copied to ${mark.value}; set DATABASE_URL to that, or HOURKEEP_ANYWAY=1 to write to the old file anyway`,
  );
}

/** A file without our tables was never copied. */
function ifSetUp(error: unknown): undefined {
  if (!(error instanceof Error) || !/^no such (table|column)/.test(error.message)) throw error;
}

const selectMark = read<{ value: string }>(`select value from settings where name = '${COPIED_TO}'`);
