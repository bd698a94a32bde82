import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as calendars from '../calendars/calendars.ts';
import { baseUrl, type Config } from '../config.ts';
import type { Context } from '../context.ts';
import { createDataFolder } from '../data-folder.ts';
import type { Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import { fileProblem } from '../file-problem.ts';
import * as hosts from '../hosts/hosts.ts';
import { checkUrl } from '../outbound/guard.ts';
import * as spaces from '../spaces/spaces.ts';
import { seedDemo, type DemoWorld } from './seed.ts';

/** What stands in demo.json: all a developer needs to try every endpoint. */
export type DemoFile = { base_url: string } & DemoWorld;

/**
 * Fills an empty database. The keys exist in clear only here, so the file is written before the commit: a
 * crash in between leaves an empty database and a file that the next start writes anew.
 */
export async function seedIfEmpty(ctx: Context, tx: Tx): Promise<boolean> {
  if (!(await hosts.noneYet(tx))) return false;
  const base = baseUrl(ctx.config);
  const world = await seedDemo(tx, ctx.clock.now(), ctx.secrets, base);
  writeDemoFile(ctx.config, { base_url: base, ...world });
  return true;
}

/** The demo file of this database; undefined where there is none. */
export async function find(ctx: Context): Promise<DemoFile | undefined> {
  const file = readDemoFile(ctx.config);
  return file !== undefined && (await hosts.exists(ctx.db, file.host.id)) ? file : undefined;
}

/**
 * Writes the address that the service now has into the demo file and the demo's calendar. `ownUrl` is where the worker
 * of this process reaches its API; undefined if it has none.
 */
export async function announce(
  ctx: Context,
  url: string,
  ownUrl: string | undefined,
): Promise<DemoFile | undefined> {
  const file = await find(ctx);
  if (file === undefined) return undefined;
  await moveCalendar(ctx, file, ownUrl);
  if (url === file.base_url) return file;
  const current = { ...file, base_url: url };
  writeDemoFile(ctx.config, current);
  return current;
}

/** What the reference page fills in: the sandbox, where trying things out does no harm. */
export async function values(ctx: Context) {
  const file = await find(ctx);
  const space = file?.spaces.find(({ environment, is_active }) => environment === 'sandbox' && is_active);
  return file && space && { key: file.keys.sandbox, space_id: space.id, token: space.ical_token };
}

/**
 * The demo's external calendar is the other demo host's feed, which this service itself serves. Where the worker cannot
 * or must not fetch it, it is never due: the demo then keeps the hours it was filled with.
 */
async function moveCalendar(ctx: Context, file: DemoFile, ownUrl: string | undefined): Promise<void> {
  const [feed] = file.other_host.spaces;
  if (feed === undefined) return;
  const ofFeed = (await calendars.named(ctx.db, ctx.secrets)).find(({ url }) =>
    url?.includes(`/api-ical-feed?space_id=${feed.id}&`),
  );
  if (ofFeed === undefined) return;
  const url = ownUrl === undefined ? undefined : spaces.icalUrl(ownUrl, feed.id, feed.ical_token);
  const fetchable = url !== undefined && (await checkUrl(ctx.guard, url)) === null;
  const pollAt = fetchable ? ctx.clock.now() : calendars.NEVER;
  await ctx.db.transaction((tx) => calendars.move(tx, ctx.secrets, ofFeed, url ?? ofFeed.url!, pollAt));
}

function readDemoFile(config: Config): DemoFile | undefined {
  try {
    return JSON.parse(readFileSync(path(config), 'utf8')) as DemoFile;
  } catch {
    return undefined;
  }
}

/** Through a draft and a rename, so that no reader ever meets half a file. It holds keys: owner only. */
function writeDemoFile(config: Config, content: DemoFile): void {
  const draft = `${path(config)}.${process.pid}`;
  createDataFolder(config.dataDir);
  try {
    writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, path(config));
  } catch (error) {
    throw new OperatorError(`cannot write ${path(config)}: ${fileProblem(error)}`);
  }
}

function path(config: Config): string {
  return join(config.dataDir, 'demo.json');
}
