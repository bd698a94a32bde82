import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { shipped } from './shipped.ts';

/** npm's name for the commit that a package was made of. A clone has none: it has its history. */
const manifest = JSON.parse(readFileSync(shipped('package.json'), 'utf8')) as {
  version: string;
  gitHead?: string;
};

export const VERSION = manifest.version;

/** The version and the commit, such as `0.2.0 (4f2c9d1e07ab)`; in a clone with changes `0.2.0 (4f2c9d1e07ab-dirty)`. */
export function versionAndCommit(): string {
  const commit = manifest.gitHead?.slice(0, COMMIT_LENGTH) ?? commitOfClone();
  return commit === undefined ? VERSION : `${VERSION} (${commit})`;
}

const COMMIT_LENGTH = 12;

function commitOfClone(): string | undefined {
  // A folder without its own history may lie in another project's.
  if (!existsSync(shipped('.git'))) return undefined;
  try {
    const args = ['describe', '--always', '--exclude=*', '--dirty', `--abbrev=${COMMIT_LENGTH}`];
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    return execFileSync('git', args, { cwd: shipped('.'), encoding: 'utf8', stdio: [...stdio] }).trim();
  } catch {
    return undefined;
  }
}

/** Goes by the three numbers alone: a pre-release can run wherever its release can. */
export function isOlder(version: string, than: string): boolean {
  const [ours, theirs] = [numbers(version), numbers(than)];
  const differs = ours.findIndex((number, i) => number !== theirs[i]);
  return differs !== -1 && ours[differs]! < theirs[differs]!;
}

function numbers(version: string): number[] {
  const found = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (found === null) throw new Error(`not a version: ${version}`);
  return found.slice(1).map(Number);
}
