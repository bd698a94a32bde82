/** A table as PostgreSQL has it after the migrations. SQLite's has the same name and columns. */
export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
}

export interface Column {
  readonly name: string;
  /** PostgreSQL's, such as `uuid`. */
  readonly type: string;
}

/** What is not taken along, and why. Every other table is. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  schema_migrations: 'each engine has migrations of its own',
  day_hours: 'the migrations fill it',
  rate_windows: 'on SQLite the process that serves has it in memory',
  rate_slots: 'on SQLite the process that serves has it in memory',
};

/**
 * One row as a line of COPY's CSV format: a text in quotes, nothing for null. Only quotes must be escaped, which is half the
 * work of its text format. (And `concat_ws` is half that of `||`, which copies the line at each of thirty columns.)
 */
export function csvLine({ columns }: Table): string {
  const cells = columns.map(({ name, type }) => {
    const cell = type === 'text' ? `'"' || replace(${name}, '"', '""') || '"'` : name;
    return `coalesce(${cell}, '')`;
  });
  return `concat_ws(',', ${cells.join(', ')})`;
}

/**
 * One row as a text that both engines make alike, and that is made otherwise than the lines above: a mistake in those must
 * not hide itself. Each text has its length in front, so two different rows have different ones.
 */
export function hashedLine({ columns }: Table): string {
  const cells = columns.map(({ name, type }) =>
    type === 'text'
      ? // What is null is left out by `concat_ws`.
        `coalesce(cast(octet_length(${name}) as text), '~'), ${name}`
      : `coalesce(cast(${name} as text), '~')`,
  );
  return `concat_ws(';', ${cells.join(', ')})`;
}

/** What a table holds, in whatever order: how many rows, and the sum of a hash of each. */
export interface Sum {
  readonly rows: number;
  /** In hexadecimal digits. */
  readonly hash: string;
}

/** So many hexadecimal digits of a row's SHA-256 are added up: as many as a JavaScript number holds. */
export const DIGITS = 12;
