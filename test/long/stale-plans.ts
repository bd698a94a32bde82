import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { PLANNED_EACH_TIME } from '../../src/db/database.ts';
import { openDesk } from '../support/booking.ts';
import { onPostgres } from '../support/engines.ts';
import { markBusy } from '../support/external-calendar.ts';
import { planOf } from '../support/plan.ts';
import { serviceStatements } from '../support/service-statements.ts';
import { useWorld } from '../support/world.ts';

// PostgreSQL counts a table's rows now and then. The tables of a new service are counted when they have next to nothing, and
// then grow. Until the next count, plans are made as if every row were of the one host that was there.

const STATEMENTS = (await serviceStatements()).map(({ statement }) => statement);
const ROWS = 20_000;
const GROWING = [
  'audit',
  'blocks',
  'bookings',
  'deliveries',
  'events',
  'external_hours',
  'hours',
  'monthly_earnings',
];

onPostgres('the plans of a database that was counted when it was nearly empty', (engine) => {
  const world = useWorld(engine);

  before(async () => {
    const desk = await openDesk(world);
    await desk.book();
    await desk.block({ start_hour: 14, end_hour: 15 });
    const busy = { hostId: desk.hostId, spaceId: desk.spaceId, date: '2027-06-01', hour: 20 };
    await world.ctx.db.transaction((tx) => markBusy(tx, busy));
    await world.write(`
      insert into monthly_earnings (host_id, environment, space_id, month, bookings, hours, gross, commission)
      select host_id, environment, id, '2027-05', 1, 1, 5000, 500 from spaces`);
    for (const table of GROWING) {
      await world.write(`alter table ${table} set (autovacuum_enabled = off)`);
      await world.write(`analyze ${table}`);
    }
  });

  test('read no table that grows from end to end while it has a few rows', async () => {
    assert.deepEqual(await scanning(), []);
  });

  test('read none when it has grown', async () => {
    for (const table of GROWING) await fill(table);
    assert.deepEqual(await scanning(), []);
  });

  /** The first row many times over, as if it were of two hundred hosts. */
  async function fill(table: string): Promise<void> {
    const columns = await world.rows<{ name: string; type: string; is_key: boolean }>(
      `select a.attname::text as name, a.atttypid::regtype::text as type,
        exists (select 1 from pg_index i where i.indrelid = a.attrelid and i.indisunique and a.attnum = any (i.indkey)) as is_key
      from pg_attribute a where a.attrelid = '${table}'::regclass and a.attnum > 0 and not a.attisdropped`,
    );
    const values = columns.map(({ name, type, is_key }) => {
      if (name === 'host_id') return `('00000000-0000-7000-8000-' || (100000000000 + n % 200))::uuid`;
      if (!is_key) return name;
      if (type === 'uuid') return `('00000000-0000-7000-9000-' || (100000000000 + n))::uuid`;
      if (type === 'date') return `date '2027-01-01' + n % 1000`;
      if (type === 'smallint') return '(n % 24)::smallint';
      if (type === 'integer' || type === 'bigint') return 'n';
      return name;
    });
    const names = columns.map(({ name }) => name).join(', ');
    const insert = `
      insert into ${table} (${names}) overriding system value
      select ${values.join(', ')} from (select ${names} from ${table} limit 1) as one, generate_series(1, ${ROWS}) as n
      on conflict do nothing`;
    // Past foreign keys: the other hosts are not there.
    await world.ctx.db.migration((tx) =>
      tx.script(`set local session_replication_role = replica; ${insert}`),
    );
  }

  /** The statements whose plan for any values goes through one of these tables. */
  async function scanning(): Promise<string[]> {
    const scan = new RegExp(`Seq Scan on (?:${GROWING.join('|')})\\b`);
    const found: string[] = [];
    for (const statement of STATEMENTS) {
      // Planned for the values it is given: the operator's lists, and sums of one host.
      if (statement.only === 'sqlite' || statement.name === PLANNED_EACH_TIME) continue;
      const plan = await planOf(world, statement.text);
      if (scan.test(plan)) found.push(`${statement.text}\n${plan}`);
    }
    return found;
  }

  test('of queueing deliveries read no table', async () => {
    const [queueing, ...others] = STATEMENTS.filter(({ text }) => /^\s*insert into deliveries\b/.test(text));
    assert.equal(others.length, 0);
    const plan = await planOf(world, queueing!.text);
    assert.match(plan, /^Insert on deliveries\b.*\n *-> {2}Result\b/);
    assert.doesNotMatch(plan, /Scan/);
  });
});
