import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import type { Config } from '../config.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { onConnection } from '../../test/support/query.ts';
import { serviceStatements } from '../../test/support/service-statements.ts';
import { useWorld } from '../../test/support/world.ts';
import { type Engine, type Statement, forPostgres, forSqlite } from './database.ts';

const made = await serviceStatements();

onBothEngines('every SQL statement of the service', (engine) => {
  const world = useWorld(engine);

  test('prepares on this engine', async () => {
    assert.deepEqual(await prepareAll(world.ctx.config.database), []);
    assert.ok(made.length > 20);
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
  const planned = statementsFor('sqlite')
    .map(forSqlite)
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

async function prepareAll(database: Config['database']): Promise<string[]> {
  const refused: string[] = [];
  if (database.engine === 'sqlite') {
    using db = new DatabaseSync(database.file);
    for (const text of statementsFor('sqlite').map(forSqlite)) {
      try {
        db.prepare(text);
      } catch (error) {
        refused.push(`${String(error)}: ${text}`);
      }
    }
    return refused;
  }
  await onConnection(database.url, async (client) => {
    for (const [i, text] of statementsFor('postgres').map(forPostgres).entries())
      await client
        .query(`prepare p${i} as ${text}`)
        .catch((error: unknown) => refused.push(`${String(error)}: ${text}`));
  });
  return refused;
}

function statementsFor(engine: Engine): Statement<unknown>[] {
  return made.flatMap(({ statement }) =>
    statement.only === undefined || statement.only === engine ? statement : [],
  );
}
