/** One row that several tables have together, as a `sharedRead` asks for it. */
export interface Pieces {
  /** Its columns, and which row of which table has them. All of these rows are there, or there is none. */
  readonly rows: readonly { readonly columns: string; readonly from: string; readonly where: string }[];
  /** Single values that are looked up beside them: a name, and a select of one column that finds one row or none. */
  readonly values: Readonly<Record<string, string>>;
}

export function wholeText({ rows, values }: Pieces): string {
  const looked = Object.entries(values).map(([name, text]) => `(${text}) as ${name}`);
  const columns = [...rows.map((row) => row.columns), ...looked].join(', ');
  const [first, ...others] = rows;
  const joined = others.map(({ from, where }) => `join ${from} on ${where}`).join(' ');
  return `select ${columns} from ${first!.from} ${joined} where ${first!.where}`;
}

/** A statement that asks one table alone, by numbers of its own for the values that it takes of all. */
export interface Piece {
  readonly text: string;
  /** From 0 on. */
  readonly takes: readonly number[];
}

/** First the rows, then the values. */
export function piecesOf({ rows, values }: Pieces): Piece[] {
  const texts = rows.map(({ columns, from, where }) => `select ${columns} from ${from} where ${where}`);
  return [...texts, ...Object.values(values)].map(renumbered);
}

function renumbered(text: string): Piece {
  const used = [...new Set([...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)))].sort((a, b) => a - b);
  return {
    text: text.replaceAll(/\$(\d+)/g, (_, n) => `$${used.indexOf(Number(n)) + 1}`),
    takes: used.map((n) => n - 1),
  };
}

type Row = Record<string, unknown>;

/** What the pieces have found, each in its place, as the whole statement would have found it. */
export function joinPieces({ rows, values }: Pieces, found: readonly (Row | undefined)[]): Row | undefined {
  const names = Object.keys(values);
  const parts = found.slice(0, rows.length);
  if (parts.some((part) => part === undefined)) return undefined;
  const looked = names.map((name, i) => {
    const row = found[rows.length + i];
    return [name, row === undefined ? null : Object.values(row)[0]];
  });
  return Object.assign({}, ...parts, Object.fromEntries(looked)) as Row;
}
