import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { baseUrl, type Config } from '../config.ts';
import type { Context } from '../context.ts';
import { createDataFolder } from '../data-folder.ts';
import type { Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import * as hosts from '../hosts/hosts.ts';
import { seedDemo, type DemoWorld } from './seed.ts';

/** What stands in demo.json: all a developer needs to try every endpoint. */
export type DemoFile = { base_url: string } & DemoWorld;

/**
 * Fills an empty database. The keys exist in clear only here, so the file is written before the commit: a
 * crash in between leaves an empty database and a file that the next start writes anew.
 */
export async function seedIfEmpty(ctx: Context, tx: Tx): Promise<boolean> {
  if (!(await hosts.noneYet(tx))) return false;
  const world = await seedDemo(tx, ctx.clock.now());
  writeDemoFile(ctx.config, { base_url: baseUrl(ctx.config), ...world });
  return true;
}

/** The demo file of this database, with the address the service now has; undefined where there is none. */
export async function announce(ctx: Context, url: string | undefined): Promise<DemoFile | undefined> {
  const file = readDemoFile(ctx.config);
  if (file === undefined || !(await hosts.exists(ctx.db, file.host.id))) return undefined;
  if (url === undefined || url === file.base_url) return file;
  const current = { ...file, base_url: url };
  writeDemoFile(ctx.config, current);
  return current;
}

/** What the reference page fills in: the sandbox, where trying things out does no harm. */
export async function values(
  ctx: Context,
): Promise<{ key: string; space_id: string; token: string } | undefined> {
  const file = await announce(ctx, undefined);
  const space = file?.spaces.find(({ environment, is_active }) => environment === 'sandbox' && is_active);
  return file && space && { key: file.keys.sandbox, space_id: space.id, token: space.ical_token };
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
    throw new OperatorError(`cannot write ${path(config)}: ${(error as Error).message}`);
  }
}

function path(config: Config): string {
  return join(config.dataDir, 'demo.json');
}
