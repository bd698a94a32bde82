import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addDependencies, ARCHITECTURES, pack } from './archive.ts';
import { makePhpZip, makeWheel } from './other-clients.ts';
import { writeClient, writePackage } from './package.ts';
import { commit, commitTime, git, readJson, ROOT, schemaNumber } from './project.ts';
import { makeSbom } from './sbom.ts';
import type { Lock } from './shrinkwrap.ts';

// npm run release: everything that is published, in release/. docs/releasing.md says what comes before and after.

const { version: released } = readJson('package.json') as { version: string };
/** One to try says so in its version, and by which commit. */
const isTrial = process.argv.includes('--unreleased');
const version = isTrial ? `${released}-unreleased.${commit().slice(0, 7)}` : released;
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
  writePackage(service, version);
  pack(service, join(release, `hourkeep-${version}.tgz`), time);
  const client = join(work, 'client/package');
  writeClient(client, version);
  pack(client, join(release, `hourkeep-client-${version}.tgz`), time);
  // Python has a form of its own for it.
  const wheel = version.replace('-', '+');
  fs.writeFileSync(join(release, `hourkeep_client-${wheel}-py3-none-any.whl`), makeWheel(wheel, time));
  fs.writeFileSync(join(release, `hourkeep-php-${version}.zip`), makePhpZip(version, time));
  for (const architecture of ARCHITECTURES) {
    const whole = join(work, architecture, `hourkeep-${version}`);
    fs.cpSync(service, whole, { recursive: true });
    addDependencies(whole, architecture);
    pack(whole, join(release, `hourkeep-${version}-linux-${architecture}.tar.gz`), time);
  }
  fs.writeFileSync(join(release, `hourkeep-${version}.cdx.json`), makeSbom(join(work, 'sbom'), version));
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
  const changed = git('status', '--porcelain');
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
    if (other !== released) return `${file} says ${other}, package.json ${released}`;
  }
  const unready = isTrial ? undefined : whyNotReleased();
  if (unready !== undefined) return unready;
  const { packages } = readJson('package-lock.json') as Lock;
  const installed = (readJson('node_modules/.package-lock.json') as Lock).packages;
  const stale = Object.keys(installed).find(
    (path) => installed[path]!.integrity !== packages[path]?.integrity,
  );
  return stale === undefined ? undefined : `${stale} is not what package-lock.json says: run npm ci`;
}

/** What a release needs beyond one that is only tried. */
function whyNotReleased(): string | undefined {
  const rows = `test/schemas/${schemaNumber()}.sql`;
  if (!fs.existsSync(join(ROOT, rows))) return `${rows} is missing: run npm run keep-rows, and commit it`;
  const changelog = fs.readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  if (!new RegExp(`^## ${RegExp.escape(version)}\\n\\n- `, 'm').test(changelog))
    return `CHANGELOG.md has no entry under "## ${version}"`;
  if (/^## Unreleased\n+- /m.test(changelog))
    return 'CHANGELOG.md has entries under "Unreleased": give them a version, or try one with -- --unreleased';
  return undefined;
}
