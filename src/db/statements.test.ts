import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, test } from 'node:test';
import { Client, types } from 'pg';
import { declaredRows, type Column } from '../../test/support/declared-rows.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { ROOT, serviceStatements } from '../../test/support/service-statements.ts';
import { useWorld } from '../../test/support/world.ts';
import { type Statement, forPostgres, forSqlite } from './database.ts';

const made = await serviceStatements();
const declared = declaredRows(ROOT, new Set(made.map(({ place }) => place)));

/** What an engine says about a column of a statement. Of an expression it knows little: SQLite not even its type. */
interface Returned {
  name: string;
  type: string | undefined;
  /** Whether the column it comes from may be null. */
  nullable: boolean;
}

// `read<Row>` and its like are believed by the compiler. Here they are not: what TypeScript declares at each call
// is compared with what the engine says about the prepared statement. What no engine can say is whether a column is
// null because of an outer join; behaviour tests have to show that.
onBothEngines('every SQL statement of the service', (engine) => {
  const world = useWorld(engine);
  const refused: string[] = [];
  const problems: string[] = [];
  before(async () => {
    const { database } = world.ctx.config;
    const returnedBy =
      database.engine === 'sqlite' ? onSqlite(database.file) : await onPostgres(world.databaseUrl);
    for (const { statement, place } of made) {
      if (statement.only !== undefined && statement.only !== engine.name) continue;
      const file = place.slice(ROOT.length + 1).replace(/:.*/, '');
      try {
        const differences = compare(declared.get(place), await returnedBy.ask(statement));
        problems.push(...differences.map((difference) => `${file}: ${difference}`));
      } catch (error) {
        refused.push(`${file}: ${String(error)}`);
      }
    }
    await returnedBy.close();
  });

  test('prepares on this engine', () => {
    assert.deepEqual(refused, []);
    assert.ok(made.length > 20);
  });

  test('has the rows that the code declares: names, types, and null wherever the table allows it', () => {
    assert.deepEqual(
      problems.filter((problem) => !KNOWN.includes(problem)),
      [],
    );
    assert.ok([...declared.values()].filter((row) => row !== undefined).length > 50);
  });
});

test('no SQL statement asks for all columns: those that a later version adds are not for this one', () => {
  const all = made.filter(({ statement }) => /(?:select|returning|\.|,)\s*\*/i.test(statement.text));
  assert.deepEqual(
    all.map(({ statement }) => statement.text),
    [],
  );
});

test('no limit on SQLite is a value by itself: the statement would be planned anew each time it is run', () => {
  const planned = made
    .map(({ statement }) => forSqlite(statement))
    .filter((text) => /\b(?:limit|offset) \?\d+\s*(?:$|[,)]|offset)/.test(text));
  assert.deepEqual(planned, []);
});

describe('the audit trail', () => {
  const touching = made.filter(({ statement }) =>
    /\b(?:update|delete\s+from|into|truncate|table)\s+(?:\w+\.)?audit\b/i.test(statement.text),
  );

  test('is only added to, but for the retention, which deletes, and erasures, which cut a guest’s words out', () => {
    const changing = touching.filter(({ statement }) => !/^\s*insert into audit \(/.test(statement.text));
    assert.deepEqual(
      changing.map(({ statement, place }) => [
        /^\s*(\w+ \w+ \w+)/.exec(statement.text)?.[1],
        /src\/\S+\.ts/.exec(place)?.[0],
      ]),
      [
        ['delete from audit', 'src/audit/prune.ts'],
        ['update audit set', 'src/guests/sql.ts'],
      ],
    );
  });

  test('has its entries from one statement, which leaves an entry that is there alone', () => {
    const adding = touching.filter(({ statement }) => /insert/i.test(statement.text));
    assert.equal(adding.length, 1);
    assert.doesNotMatch(adding[0]!.statement.text, /conflict|replace/i);
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

/** Every statement is prepared, then carried out, with null for all its values, and rolled back: its answer describes its columns. */
async function onPostgres(url: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('select attrelid, attnum from pg_attribute where not attnotnull');
  const nullable = new Set(rows.map((row: Record<string, number>) => `${row['attrelid']} ${row['attnum']}`));
  return {
    ask: async (statement: Statement<unknown>): Promise<Returned[]> => {
      const text = forPostgres(statement);
      const values = new Set(text.match(/\$\d+/g));
      await client.query(`prepare one as ${text}; deallocate one`);
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
