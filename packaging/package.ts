import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { commit, projectFiles, readJson, ROOT } from './project.ts';
import { shrinkwrap, type Lock, type Manifest } from './shrinkwrap.ts';

// The npm package, which is the archive's content too: laid out as the project is, so that one program serves both.

const COPIED =
  /^(?:bin\/hourkeep|deploy|docs|migrations|schema|src\/http\/docs\/browser)(?:\/|$)|^(?:CHANGELOG|README)\.md$|^LICENSE$/;
const COMPILED = /^(?:src|client\/src)\/(?!.*\.test\.ts$).*\.ts$/;

/** Writes the package into an empty folder. The console must have been built. */
export function writePackage(folder: string, version: string): void {
  for (const file of projectFiles()) {
    if (COMPILED.test(file)) write(folder, file.replace(/ts$/, 'js'), compiled(file));
    else if (COPIED.test(file) && !file.endsWith('/tsconfig.json')) copy(folder, file);
  }
  cpSync(join(ROOT, 'console/dist'), join(folder, 'console/dist'), { recursive: true });
  const manifest = manifestOf({
    ...(readJson('package.json') as Manifest & { description: string }),
    version,
  });
  write(folder, 'package.json', asJson(manifest));
  write(folder, 'npm-shrinkwrap.json', asJson(shrinkwrap(manifest, readJson('package-lock.json') as Lock)));
}

/** The npm package of the client, as npm itself would pack it. It must have been built. */
export function writeClient(folder: string, version: string): void {
  const from = join(ROOT, 'client');
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'];
  const [packed] = JSON.parse(execFileSync('npm', args, { cwd: from, encoding: 'utf8' })) as [
    { files: { path: string }[] },
  ];
  for (const { path } of packed.files) copy(folder, path, from);
  write(folder, 'package.json', asJson({ ...(readJson('client/package.json') as object), version }));
}

/**
 * Types become spaces, so every line and column stays where it is in src/: a stack names them without a map. Names of modules
 * keep their length too.
 */
function compiled(file: string): string {
  const text = stripTypeScriptTypes(readFileSync(join(ROOT, file), 'utf8'));
  return text.replaceAll(/'(\.\.?\/[^'\n]*)\.ts'/g, "'$1.js'");
}

/** Without scripts, so that nothing runs at installation, and without what only the project needs. */
function manifestOf(project: Manifest & { description: string }) {
  const { name, version, description, license, dependencies, optionalDependencies } = project;
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: { hourkeep: 'bin/hourkeep' },
    // For npm. The service runs on the Node that it brings.
    engines: { node: '>=20' },
    dependencies,
    optionalDependencies,
    gitHead: commit(),
  };
}

function copy(folder: string, file: string, from = ROOT): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  cpSync(join(from, file), join(folder, file));
}

function write(folder: string, file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function asJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
