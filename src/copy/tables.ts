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

/** One row as a line of COPY's text format. Numbers, ids and dates have nothing that must be escaped. */
export function copyLine({ name, columns }: Table): string {
  const cells = columns.map((column) => {
    const value = valueOf(name, column);
    return `coalesce(${column.type === 'text' ? escaped(value) : value}, '\\N')`;
  });
  return `${cells.join(' || char(9) || ')} || char(10)`;
}

function escaped(value: string): string {
  const special = [
    ["'\\'", "'\\\\'"],
    ['char(9)', "'\\t'"],
    ['char(10)', "'\\n'"],
    ['char(13)', "'\\r'"],
  ];
  return special.reduce((text, [from, to]) => `replace(${text}, ${from}, ${to})`, value);
}

/**
 * One row as a text that both engines make in the same way and that is made otherwise than COPY's lines: a mistake in
 * those must not hide itself. A text has its length in front, so that no two rows have the same one.
 */
export function sourceLine({ name, columns }: Table): string {
  return lineOf(columns, (column) => valueOf(name, column));
}

export function targetLine({ columns }: Table): string {
  return lineOf(columns, ({ name, type }) => (type === 'text' ? name : `${name}::text`));
}

function lineOf(columns: readonly Column[], value: (column: Column) => string): string {
  const cells = columns.map((column) => {
    const cell = value(column);
    const told = column.type === 'text' ? `octet_length(${cell}) || ':' || ${cell}` : `${cell} || ';'`;
    return `coalesce(${told}, '~')`;
  });
  return cells.join(' || ');
}

function valueOf(table: string, column: Column): string {
  return INSTEAD[`${table}.${column.name}`] ?? column.name;
}
