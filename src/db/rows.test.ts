import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { before, test } from 'node:test';
import { Client, types } from 'pg';
import { declaredRows, type Column } from '../../test/support/declared-rows.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { ROOT, serviceStatements } from '../../test/support/service-statements.ts';
import { useWorld } from '../../test/support/world.ts';
import { type Statement, forPostgres, forSqlite } from './database.ts';

// `read<Row>` and its like are believed by the compiler. Here they are not: what TypeScript declares at each call
// is compared with what the engine says about the prepared statement. What no engine can say is whether a column is
// null because of an outer join; behaviour tests have to show that.

const made = await serviceStatements();
const declared = declaredRows(ROOT, new Set(made.map(({ place }) => place)));

/** What an engine says about a column of a statement. Of an expression it knows little: SQLite not even its type. */
interface Returned {
  name: string;
  type: string | undefined;
  /** Whether the column it comes from may be null. */
  nullable: boolean;
}

onBothEngines('the rows of every SQL statement', (engine) => {
  const world = useWorld(engine);
  let problems: string[];
  before(async () => {
    const { database } = world.ctx.config;
    const returnedBy =
      database.engine === 'sqlite' ? onSqlite(database.file) : await onPostgres(world.databaseUrl);
    problems = [];
    for (const { statement, place } of made) {
      if (statement.only !== undefined && statement.only !== engine.name) continue;
      const file = place.slice(ROOT.length + 1).replace(/:.*/, '');
      const differences = compare(declared.get(place), await returnedBy.ask(statement));
      problems.push(...differences.map((difference) => `${file}: ${difference}`));
    }
    await returnedBy.close();
  });

  test('are what the code declares: names, types, and null wherever the table allows it', () => {
    assert.deepEqual(
      problems.filter((problem) => !KNOWN.includes(problem)),
      [],
    );
    assert.ok([...declared.values()].filter((row) => row !== undefined).length > 50);
  });
});

/** The table allows null, but the statement's condition does not: `lease_token = $1`, `sealed_url is not null`. */
const KNOWN = [
  'src/blocks/sql.ts: block_id may be null, but is not declared so',
  'src/hours/sql.ts: block_id may be null, but is not declared so',
  'src/calendars/sql.ts: lease_token may be null, but is not declared so',
  'src/secret-key/sealed-rows.ts: secret may be null, but is not declared so',
];

function compare(row: ReadonlyMap<string, Column> | undefined, returned: readonly Returned[]): string[] {
  // Without a declared row nobody can read what comes back.
  if (row === undefined) return [];
  const missing = [...row.keys()].filter((name) => !returned.some((column) => column.name === name));
  return [
    ...missing.map((name) => `${name} is declared, but not returned`),
    ...returned.flatMap(({ name, type, nullable }) => {
      const column = row.get(name);
      if (column === undefined) return `${name} is returned, but not declared`;
      if (type !== undefined && type !== column.type)
        return `${name} is a ${type}, declared as ${column.type}`;
      return nullable && !column.nullable ? `${name} may be null, but is not declared so` : [];
    }),
  ];
}

function onSqlite(file: string) {
  const db = new DatabaseSync(file);
  const mayBeNull = db.prepare(
    'select 1 from pragma_table_info(?) where name = ? and "notnull" = 0 and pk = 0',
  );
  return {
    ask: (statement: Statement<unknown>): Returned[] =>
      db
        .prepare(forSqlite(statement))
        .columns()
        .map(({ name, table, column, type }) => ({
          name,
          type: type === null ? undefined : SQLITE_TYPES[type],
          nullable: mayBeNull.get(table, column) !== undefined,
        })),
    close: () => db.close(),
  };
}

const SQLITE_TYPES: Record<string, string> = { TEXT: 'string', INTEGER: 'number' };

/** Every statement is carried out, with null for all its values, and rolled back: its answer describes its columns. */
async function onPostgres(url: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('select attrelid, attnum from pg_attribute where not attnotnull');
  const nullable = new Set(rows.map((row: Record<string, number>) => `${row['attrelid']} ${row['attnum']}`));
  return {
    ask: async (statement: Statement<unknown>): Promise<Returned[]> => {
      const text = forPostgres(statement);
      const values = new Set(text.match(/\$\d+/g));
      await client.query('begin');
      const { fields } = await client
        .query(
          text,
          Array.from(values, () => null),
        )
        .catch(() => ({ fields: [] }));
      await client.query('rollback');
      return fields.map(({ name, dataTypeID, tableID, columnID }) => ({
        name,
        type: POSTGRES_TYPES[dataTypeID] ?? `type ${dataTypeID}`,
        nullable: nullable.has(`${tableID} ${columnID}`),
      }));
    },
    close: () => client.end(),
  };
}

const { BOOL, DATE, FLOAT8, INT2, INT4, INT8, TEXT, UUID } = types.builtins;
const POSTGRES_TYPES: Record<number, string> = {
  [BOOL]: 'boolean',
  [DATE]: 'string',
  [FLOAT8]: 'number',
  [INT2]: 'number',
  [INT4]: 'number',
  [INT8]: 'number',
  [TEXT]: 'string',
  [UUID]: 'string',
};
