import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addDependencies, ARCHITECTURES, pack } from './archive.ts';
import { makePhpZip, makeWheel } from './other-clients.ts';
import { writeClient, writePackage } from './package.ts';
import { changes, commitTime, readJson, ROOT, schemaNumber } from './project.ts';
import { makeSbom } from './sbom.ts';
import type { Lock } from './shrinkwrap.ts';

// npm run release: everything that is published, in release/. docs/releasing.md says what comes before and after.

const { version } = readJson('package.json') as { version: string };
const refused = whyNot();
if (refused !== undefined) {
  process.stderr.write(`release: ${refused}\n`);
  process.exit(1);
}
for (const workspace of ['client', 'console'])
  execFileSync('npm', ['run', '--silent', 'build', `--workspace=${workspace}`], {
    cwd: ROOT,
    stdio: 'inherit',
  });

const release = join(ROOT, 'release');
fs.rmSync(release, { recursive: true, force: true });
fs.mkdirSync(release);
const work = fs.mkdtempSync(join(tmpdir(), 'hourkeep-release-'));
const time = commitTime();
try {
  const service = join(work, 'service/package');
  writePackage(service);
  pack(service, join(release, `hourkeep-${version}.tgz`), time);
  const client = join(work, 'client/package');
  writeClient(client);
  pack(client, join(release, `hourkeep-client-${version}.tgz`), time);
  fs.writeFileSync(join(release, `hourkeep_client-${version}-py3-none-any.whl`), makeWheel(version, time));
  fs.writeFileSync(join(release, `hourkeep-php-${version}.zip`), makePhpZip(version, time));
  for (const architecture of ARCHITECTURES) {
    const whole = join(work, architecture, `hourkeep-${version}`);
    fs.cpSync(service, whole, { recursive: true });
    addDependencies(whole, architecture);
    pack(whole, join(release, `hourkeep-${version}-linux-${architecture}.tar.gz`), time);
  }
  fs.writeFileSync(join(release, `hourkeep-${version}.cdx.json`), makeSbom(join(work, 'sbom')));
  const sums = fs
    .readdirSync(release)
    .sort()
    .map((name) => `${hash('sha256', fs.readFileSync(join(release, name)))}  ${name}\n`);
  fs.writeFileSync(join(release, 'SHA256SUMS'), sums.join(''));
  process.stdout.write(sums.join(''));
} finally {
  fs.rmSync(work, { recursive: true });
}

/** What is released is what a commit says, and nothing that happens to lie around. */
function whyNot(): string | undefined {
  const changed = changes();
  if (changed !== '') return `there are changes that are not committed:\n${changed}`;
  const manifests = ['bin/package.json', 'client/package.json', 'console/package.json'];
  const sources = [
    'client/src/version.ts',
    'clients/php/src/Transport.php',
    'clients/python/hourkeep/version.py',
  ];
  for (const file of [...manifests, ...sources]) {
    const text = fs.readFileSync(join(ROOT, file), 'utf8');
    const other = /(?:"version":|VERSION =) ['"](.*)['"]/.exec(text)?.[1];
    if (other !== version) return `${file} says ${other}, package.json ${version}`;
  }
  const rows = `test/schemas/${schemaNumber()}.sql`;
  if (!fs.existsSync(join(ROOT, rows))) return `${rows} is missing: run npm run keep-rows, and commit it`;
  const entry = new RegExp(`^## ${RegExp.escape(version)}\\n\\n- `, 'm');
  if (!entry.test(fs.readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')))
    return `CHANGELOG.md has no entry under "## ${version}"`;
  const { packages } = readJson('package-lock.json') as Lock;
  const installed = (readJson('node_modules/.package-lock.json') as Lock).packages;
  const stale = Object.keys(installed).find(
    (path) => installed[path]!.integrity !== packages[path]?.integrity,
  );
  return stale === undefined ? undefined : `${stale} is not what package-lock.json says: run npm ci`;
}
