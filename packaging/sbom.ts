import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commit, commitTime, readJson } from './project.ts';
import { shrinkwrap, type Lock, type Manifest } from './shrinkwrap.ts';

/** What npm sbom writes, and what differs from run to run. */
interface Sbom {
  serialNumber: string;
  metadata: { timestamp: string; tools: { version?: string }[] };
}

/**
 * Everything that is shipped, by npm's own command: what is installed beside the service, the Node of each platform, and what the
 * console's files were built of. `folder` is thrown away.
 */
export function makeSbom(folder: string, version: string): string {
  const project = readJson('package.json') as Manifest;
  const { '@hourkeep/client': _ours, ...bundled } = (readJson('console/package.json') as Manifest)
    .dependencies;
  const { name, license, optionalDependencies } = project;
  const dependencies = { ...project.dependencies, ...bundled };
  const manifest = { name, version, license, dependencies, optionalDependencies };
  // npm names the whole by its folder.
  const whole = join(folder, name);
  mkdirSync(whole, { recursive: true });
  const lock = shrinkwrap(manifest, readJson('package-lock.json') as Lock);
  writeFileSync(join(whole, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(whole, 'package-lock.json'), JSON.stringify(lock));
  const kind = ['--sbom-format=cyclonedx', '--sbom-type=application'];
  const args = ['sbom', ...kind, '--package-lock-only', '--loglevel=error'];
  const sbom = JSON.parse(
    execFileSync('npm', args, { cwd: whole, encoding: 'utf8', maxBuffer: 2 ** 26 }),
  ) as Sbom;
  // A UUID of version 5 by its form.
  const uuid = hash('sha256', commit()).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-5$3-8$4-$5');
  sbom.serialNumber = `urn:uuid:${uuid}`;
  sbom.metadata.timestamp = new Date(commitTime() * 1000).toISOString();
  for (const tool of sbom.metadata.tools) delete tool.version;
  return `${JSON.stringify(sbom, null, 2)}\n`;
}
