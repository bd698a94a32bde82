import { readFileSync } from 'node:fs';

const packageFile = new URL('../package.json', import.meta.url);

/** Of this very program. */
export const VERSION = (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version;

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
