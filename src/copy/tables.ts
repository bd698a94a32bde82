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
 * What PostgreSQL gets instead of what the file holds, in SQLite's words. Whoever held a lease has ended. (A delivery's
 * `due_at` is then when its lease ends, twenty seconds later at most.)
 */
const INSTEAD: Readonly<Record<string, string>> = {
  'deliveries.lease_token': 'null',
  'calendars.lease_token': 'null',
  'calendars.lease_until': 'null',
};

/**
 * One row as a line of COPY's CSV format: a text in quotes, nothing for null. Only quotes must be escaped, which is half the
 * work of its text format. (And `concat_ws` is half that of `||`, which copies the line at each of thirty columns.)
 */
export function csvLine({ name, columns }: Table): string {
  const cells = columns.map((column) => {
    const value = valueOf(name, column);
    return `coalesce(${column.type === 'text' ? `'"' || replace(${value}, '"', '""') || '"'` : value}, '')`;
  });
  return `concat_ws(',', ${cells.join(', ')})`;
}

/**
 * One row as a text that both engines make alike, and that is made otherwise than the lines above: a mistake in those must
 * not hide itself. Each text has its length in front, so two different rows have different ones.
 */
export function sourceLine({ name, columns }: Table): string {
  return lineOf(columns, (column) => valueOf(name, column));
}

export function targetLine({ columns }: Table): string {
  return lineOf(columns, ({ name }) => name);
}

/** What is null is left out by `concat_ws`. */
function lineOf(columns: readonly Column[], value: (column: Column) => string): string {
  const cells = columns.flatMap((column) => {
    const cell = value(column);
    const told = column.type === 'text' ? `octet_length(${cell})` : cell;
    return [`coalesce(cast(${told} as text), '~')`, ...(column.type === 'text' ? [cell] : [])];
  });
  return `concat_ws(';', ${cells.join(', ')})`;
}

function valueOf(table: string, column: Column): string {
  return INSTEAD[`${table}.${column.name}`] ?? column.name;
}

/** What a table holds, in whatever order: how many rows, and the sum of a hash of each. */
export interface Sum {
  readonly rows: number;
  /** In hexadecimal digits. */
  readonly hash: string;
}

/** So many hexadecimal digits of a row's SHA-256 are added up: as many as a JavaScript number holds. */
export const DIGITS = 12;
