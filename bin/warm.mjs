import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Starts the service once, in a folder that is thrown away, and stops it: what it compiles on the way is kept (see
// bin/hourkeep), so that the first real start is as quick and as small as every other. Any Node from 20 on.

const root = fileURLToPath(new URL('..', import.meta.url));
const READY_WITHIN_MS = 30_000;

// An image is built in steps, the first of which has no source yet.
if (!existsSync(join(root, 'src')) || process.platform === 'win32') process.exit();
const folder = mkdtempSync(join(tmpdir(), 'hourkeep-warm-'));
const { PATH, NODE_COMPILE_CACHE } = process.env;
const env = { PATH, DATA_DIR: folder, PORT: '0', METRICS_PORT: '0' };
if (NODE_COMPILE_CACHE !== undefined) env.NODE_COMPILE_CACHE = NODE_COMPILE_CACHE;
const command = join(root, 'bin/hourkeep');
const service = spawn(command, ['serve'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
// Without the cache the service works all the same, so nothing here is a reason to fail.
service.on('error', () => undefined);
const late = setTimeout(() => service.kill('SIGKILL'), READY_WITHIN_MS);
service.stdout.on('data', (lines) => {
  if (String(lines).includes('"message":"ready"')) service.kill('SIGTERM');
});
service.on('close', () => {
  clearTimeout(late);
  spawnSync(command, ['--help'], { env, stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true });
});
