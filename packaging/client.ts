import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './project.ts';

/** The npm package of the client, as npm itself would pack it. It must have been built. */
export function writeClient(folder: string): void {
  const from = join(ROOT, 'client');
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'];
  const [packed] = JSON.parse(execFileSync('npm', args, { cwd: from, encoding: 'utf8' })) as [
    { files: { path: string }[] },
  ];
  for (const { path } of packed.files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(from, path), join(folder, path));
  }
}
