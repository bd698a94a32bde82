import type { Context } from '../context.ts';
import { read, engineOnly, write, type Db, type Tx } from '../db/database.ts';
import { requireKnownKey } from '../secret-key/secret-key.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { VERSION } from '../version.ts';
import * as sql from './sql.ts';

// A calendar's URL often has a password in it, so it is encrypted: sealed_url has the ciphertext, and url only what may be shown, as
// a URL. Version 0.2.0 cannot read that: while one of its processes may run, URLs stay in clear, those of new calendars too.

/** Undefined: this process lacks the key. */
export function openUrl(secrets: Secrets, row: sql.Stored & { id: string }): string | undefined {
  return row.sealed_url === null ? row.url : secrets.open(row.id, row.sealed_url);
}

export async function storeUrl(
  tx: Tx,
  secrets: Secrets,
  calendarId: string,
  url: string,
): Promise<sql.Stored> {
  if ((await tx.get(selectSealing)) === undefined) return { url, sealed_url: null };
  const sealed_url = secrets.seal(calendarId, url);
  await requireKnownKey(tx, sealed_url);
  return { url: `${new URL(url).origin}/…${lastFour(url)}`, sealed_url };
}

/** Enough to recognise a calendar by, and no more. The same whether the URL is in clear or not. */
export function shownAddress({ url }: Pick<sql.Stored, 'url'>): string {
  return `${new URL(url).host}/…${lastFour(url)}`;
}

function lastFour(url: string): string {
  return url.slice(-4);
}

/**
 * Encrypts URLs from now on, if no process of a version that could not read them is connected. From then on such a version does not
 * start either. Call it on SQLite from the process that serves, which is the only one. Returns whether URLs are encrypted.
 */
export async function beginSealing(tx: Tx, engine: Db['engine']): Promise<boolean> {
  if ((await tx.get(selectSealing)) !== undefined) return true;
  if (engine === 'postgres' && (await tx.get(selectOlderSession)) !== undefined) return false;
  await tx.run(insertSealing);
  await tx.run(raiseOldest, [VERSION]);
  return true;
}

const ROWS_PER_STEP = 100;

/** A step of the worker: encrypts what is in clear. Returns whether there is more. */
export async function sealClear(ctx: Context): Promise<boolean> {
  if (!(await ctx.db.transaction((tx) => beginSealing(tx, ctx.db.engine)))) return false;
  const rows = await ctx.db.all(sql.selectClear, [ROWS_PER_STEP]);
  for (const row of rows)
    await ctx.db.transaction(async (tx) => {
      const { url, sealed_url } = await storeUrl(tx, ctx.secrets, row.id, row.url);
      await tx.run(sql.sealUrl, [...sql.keyOf(row), url, sealed_url, row.url]);
    });
  return rows.length === ROWS_PER_STEP;
}

const SEALING = 'calendar_urls_sealed';

const selectSealing = read<{ one: number }>(`select 1 as one from settings where name = '${SEALING}'`);

const insertSealing = write(`
  insert into settings (name, value) values ('${SEALING}', 'yes') on conflict (name) do nothing`);

/** Processes of version 0.2.0 and older are named so; newer ones name their version too. */
const selectOlderSession = engineOnly<{ one: number }>(
  'postgres',
  `select 1 as one from pg_stat_activity
  where datname = current_database() and application_name in ('hourkeep', 'hourkeep listen') limit 1`,
);

const raiseOldest = write(`update schema_migrations set oldest = $1 where name like '0005%'`);
