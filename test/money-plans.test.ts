import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { before, test } from 'node:test';
import { Client } from 'pg';
import { PLANNED_EACH_TIME, write, type Statement, forPostgres, forSqlite } from '../src/db/database.ts';
import { firstOverdue, selectEarned, sumUpcoming } from '../src/earnings/sql.ts';
import { NO_ID } from '../src/ids/uuid.ts';
import { selectPage } from '../src/settlement/sql.ts';
import { onBothEngines } from './support/engines.ts';
import { insertManyBookings } from './support/many-bookings.ts';
import { useWorld } from './support/world.ts';

const DAYS = Array.from({ length: 30 }, (_, i) => `2027-06-${String(i + 1).padStart(2, '0')}`);
const NEIGHBOURS = 50;

/** Three years of every space. */
const fillMonths = write(`
  with recursive months (n) as (select 10 union all select n + 1 from months where n < 45)
  insert into monthly_earnings (host_id, environment, space_id, month, bookings, hours, gross, commission)
  select host_id, environment, id, '20' || n || '-01', 1, 1, 5000, 500 from spaces cross join months`);

onBothEngines('the plans of money’s statements', (engine) => {
  const world = useWorld(engine);
  let hostId: string;

  before(async () => {
    // As many neighbours as make a look at every row a bad idea.
    for (let i = 0; i < NEIGHBOURS; i++) await addHost(DAYS.slice(0, 2));
    hostId = await addHost(DAYS);
    await world.ctx.db.migration(async (tx) => {
      await tx.run(fillMonths);
      // The service's SQLite has no statistics.
      if (world.ctx.db.engine === 'postgres') await tx.script('analyze');
    });
  });

  async function addHost(days: string[]): Promise<string> {
    const id = await world.addHost();
    for (let i = 0; i < 6; i++) await world.addSpace(id);
    const month = { environment: 'production', days, perDay: 24, today: '2027-06-01' } as const;
    await insertManyBookings(world.ctx.db, { ...month, hostId: id });
    return id;
  }

  const page = () => [hostId, 'production', '2027-06-10', 5, NO_ID, '2027-06-30'];
  const upcoming = () => [hostId, 'production', '2027-06-20'];
  const earned = () => [hostId, 'production', '2026-07', NO_ID];

  test('a page of a report is read in the order of an index, without sorting', async () => {
    const plan = await explain(selectPage, page());
    assert.match(plan, /bookings_by_host\b/);
    // Merging what three parts of the index have in order is not sorting.
    assert.doesNotMatch(plan, /Seq Scan|SCAN|-> +Sort|TEMP B-TREE/);
  });

  test('what is over and not completed yet is looked for in the index of what is due', async () => {
    const plan = await explain(firstOverdue, [hostId, 'production', Date.parse('2027-05-01')]);
    assert.match(plan, /bookings_due\b/);
    assert.doesNotMatch(plan, /Seq Scan|SCAN bookings$|Sort|TEMP B-TREE/m);
  });

  test('upcoming bookings are found by an index', async () => {
    const plan = await explain(sumUpcoming, upcoming());
    assert.match(plan, /bookings_by_host\b/);
    assert.doesNotMatch(plan, /Seq Scan|SCAN b|Sort|TEMP B-TREE/);
  });

  test('what spaces have earned is found by their keys', async () => {
    const plan = await explain(selectEarned, earned());
    assert.match(plan, /spaces_pkey|sqlite_autoindex_spaces_1/);
    // But for a scan of the spaces that were found, forty at most.
    assert.doesNotMatch(plan, /Seq Scan|SCAN (?!s$)/m);
    // Both of them by the month as well: a long past is not read.
    const looks = plan.match(
      /sqlite_autoindex_monthly_earnings_1 .*|monthly_earnings_pkey.*\n.*Index Cond.*/g,
    );
    assert.equal(looks?.filter((look) => /\bmonth\b/.test(look)).length, 2);
  });

  /** On PostgreSQL the plan that the statement gets: for its values, or for any if it is prepared once. */
  async function explain(statement: Statement<unknown>, values: (string | number)[]): Promise<string> {
    const { database } = world.ctx.config;
    if (database.engine === 'sqlite') {
      const db = new DatabaseSync(database.file);
      const steps = db.prepare(`explain query plan ${forSqlite(statement)}`).all(...values);
      db.close();
      return steps.map((step) => String(step['detail'])).join('\n');
    }
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const mode = statement.name === PLANNED_EACH_TIME ? 'force_custom_plan' : 'force_generic_plan';
    await client.query(`set plan_cache_mode = ${mode}; prepare explained as ${forPostgres(statement)}`);
    const literals = values.map((value) => (typeof value === 'number' ? value : `'${value}'`)).join(', ');
    const { rows } = await client.query(
      `explain execute explained${values.length > 0 ? ` (${literals})` : ''}`,
    );
    await client.end();
    return rows.map((row) => String(row['QUERY PLAN'])).join('\n');
  }
});
