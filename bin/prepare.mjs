import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// npm runs this after every install from a clone: it builds what is not run from its source. Any Node from 20 on.

const root = fileURLToPath(new URL('..', import.meta.url));
const workspaces = ['client', 'console'];

spawnSync(process.execPath, [`${root}/bin/warm.mjs`], { stdio: 'inherit' });

if (!existsSync(`${root}/node_modules/typescript`)) {
  process.stderr.write(
    'hourkeep: the console and the client were NOT built: that takes development dependencies, which NODE_ENV=production leaves out.\n' +
      'hourkeep: the service runs without them, and /console says so. To build both: npm ci --include=dev\n',
  );
  process.exit();
}
for (const workspace of workspaces) {
  const { status } = spawnSync('npm', ['run', '--silent', 'build', `--workspace=${workspace}`], {
    cwd: root,
    stdio: 'inherit',
    // npm is a script there.
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(1);
}
