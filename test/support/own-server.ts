import assert from 'node:assert/strict';
import { findBinaries } from './cluster.ts';
import { startWorld, type Answer, type World } from './world.ts';

/** Tests on a PostgreSQL server of their own. Where its programs are missing that is said; in CI it is a failure. */
export function onOwnServer(tests: () => void): void {
  if (findBinaries() !== undefined) return tests();
  notTested('PostgreSQL’s server programs are missing');
  if (process.env['CI'] === 'true') process.exit(1);
}

export function notTested(why: string): void {
  process.stderr.write(`NOT TESTED in this run: ${why}\n`);
}

/** A service on the database that this address leads to. */
export function worldAt(
  url: string,
  settings: Record<string, string> = {},
  drop = async (): Promise<void> => undefined,
): Promise<World> {
  return startWorld({ name: 'postgres', createDatabase: async () => ({ url, drop }) }, settings);
}

/** 503 as the contract has it, with nothing about the database in it. */
export function assertUnavailable({ status, body, headers }: Answer): void {
  assert.equal(status, 503, JSON.stringify(body));
  assert.equal(body.error.code, 'SERVICE_UNAVAILABLE');
  assert.match(headers.get('retry-after') ?? '', /^\d+$/);
  assert.match(body.error.outcome ?? '', /^(?:not_done|unknown)$/);
  assert.doesNotMatch(JSON.stringify(body), /postgres|sqlite|ECONN|127\.0\.0\.1|locked/i);
}
