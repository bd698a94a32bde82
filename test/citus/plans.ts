import { globSync, readFileSync } from 'node:fs';
import { Client } from 'pg';
import { forPostgres } from '../../src/db/database.ts';
import { serviceStatements } from '../support/service-statements.ts';

export interface Plan {
  /** The file that has the statement. */
  readonly file: string;
  readonly text: string;
  /** Undefined: one shard, or tables that the coordinator has itself. */
  readonly trouble: string | undefined;
}

/** The texts that requests have sent, as test/support/statements-seen.ts has noted them. */
export function seenIn(folder: string): Set<string> {
  const lines = globSync(`${folder}/*.jsonl`).flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  return new Set(lines.filter((line) => line !== '').map((line) => JSON.parse(line) as string));
}

/** How Citus would run every statement of the service. */
export async function planAll(url: string): Promise<Plan[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const plans: Plan[] = [];
  for (const { statement, place } of await serviceStatements()) {
    if (statement.only === 'sqlite') continue;
    const file = /src\/\S+?\.ts/.exec(place)![0];
    const trouble = await troubleWith(client, forPostgres(statement));
    plans.push({ file, text: statement.text, trouble });
  }
  await client.end();
  return plans;
}

/** Looks at the plan for sample values: where a statement goes depends on the host alone. */
async function troubleWith(client: Client, text: string): Promise<string | undefined> {
  try {
    await client.query(`prepare looked_at as ${text}`);
    const types = await client.query<{ types: string[] }>(
      `select parameter_types::text[] as types from pg_prepared_statements where name = 'looked_at'`,
    );
    const values = types.rows[0]!.types.map(sampleOf).join(', ');
    const explained = await client.query<{ 'QUERY PLAN': string }>(
      `explain execute looked_at${values === '' ? '' : `(${values})`}`,
    );
    return troubleIn(explained.rows.map((row) => row['QUERY PLAN']).join('\n'));
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  } finally {
    await client.query('deallocate all');
  }
}

function troubleIn(plan: string): string | undefined {
  const tasks = [...plan.matchAll(/Task Count: (\d+)/g)].map((found) => Number(found[1]));
  if (tasks.some((count) => count !== 1)) return `${Math.max(...tasks)} shards`;
  return /pull to coordinator|repartition|Distributed Subplan/.exec(plan)?.[0];
}

function sampleOf(type: string): string {
  if (type.endsWith('[]')) return `array[${sampleOf(type.slice(0, -2))}]`;
  const sample = SAMPLES[type];
  if (sample === undefined) throw new Error(`no sample of the type ${type}`);
  return sample;
}

const SAMPLES: Record<string, string> = {
  uuid: `'01980000-0000-7000-8000-000000000001'::uuid`,
  text: `'a'::text`,
  name: `'a'::name`,
  jsonb: `'[]'::jsonb`,
  date: `date '2026-01-01'`,
  bigint: '1::bigint',
  integer: '1::integer',
  smallint: '1::smallint',
  'double precision': '1::float8',
};
