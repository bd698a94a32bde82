/** What we use of package-lock.json and npm-shrinkwrap.json, which are of one format. */
export interface Lock {
  lockfileVersion: number;
  packages: Record<string, LockedPackage>;
}

interface LockedPackage {
  version?: string;
  integrity?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

export interface Manifest {
  name: string;
  version: string;
  license: string;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

/**
 * The lock file of what `manifest` depends on, out of the project's: the same versions with the same hashes, and nothing
 * else. Not by npm, whose versions write it differently.
 */
export function shrinkwrap(manifest: Manifest, lock: Lock): object {
  const { name, version, license, dependencies, optionalDependencies } = manifest;
  const root = { name, version, license, dependencies, optionalDependencies };
  const reached = new Map<string, LockedPackage>();
  const follow = (from: string, locked: LockedPackage): void => {
    for (const [wanted, isNeeded] of wantedBy(locked)) {
      const path = find(lock, from, wanted);
      if (path === undefined && isNeeded) throw new Error(`package-lock.json lacks ${wanted} of ${from}`);
      if (path === undefined || reached.has(path)) continue;
      const found = lock.packages[path]!;
      reached.set(path, found);
      follow(path, found);
    }
  };
  follow('', root);
  const packages = Object.fromEntries([...reached].sort(([a], [b]) => (a < b ? -1 : 1)));
  const { lockfileVersion } = lock;
  return { name, version, lockfileVersion, requires: true, packages: { '': root, ...packages } };
}

function wantedBy(locked: LockedPackage): [name: string, isNeeded: boolean][] {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = locked;
  return [
    ...Object.keys(dependencies).map((name): [string, boolean] => [name, true]),
    ...Object.keys(optionalDependencies).map((name): [string, boolean] => [name, false]),
    ...Object.keys(peerDependencies)
      .filter((name) => locked.peerDependenciesMeta?.[name]?.optional !== true)
      .map((name): [string, boolean] => [name, true]),
  ];
}

/** As Node looks for it: in the folder of the one who asks, then further and further up. */
function find(lock: Lock, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.replace(/\/?node_modules\/(?:@[^/]+\/)?[^/]+$/, '')) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (lock.packages[path] !== undefined) return path;
    if (folder === '') return undefined;
  }
}
