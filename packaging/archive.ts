import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export const ARCHITECTURES = ['x64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/**
 * Makes a package whole: its dependencies and the Node for one kind of Linux machine, which need not be this one. npm checks
 * every hash of npm-shrinkwrap.json, and no script runs.
 */
export function addDependencies(folder: string, architecture: Architecture): void {
  const target = ['--os=linux', `--cpu=${architecture}`, '--libc=glibc'];
  const args = ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  execFileSync('npm', [...args, '--loglevel=error', ...target], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const modules = join(folder, 'node_modules');
  rmSync(join(modules, '.package-lock.json'));
  // Headers for native modules and manual pages: 60 MB that nobody needs here.
  const node = join(modules, `node-linux-${architecture}`);
  for (const name of readdirSync(node))
    if (!['bin', 'LICENSE', 'package.json'].includes(name)) rmSync(join(node, name), { recursive: true });
  symlinkSync('bin/hourkeep', join(folder, 'hourkeep'));
}

/**
 * Packs a folder, under its own name, into the same bytes whenever and wherever that is done. By GNU's programs: what Node's
 * zlib makes may differ between kinds of machines.
 */
export function pack(folder: string, file: string, time: number, effort = 9): void {
  const same = ['--sort=name', `--mtime=@${time}`, '--owner=0', '--group=0', '--numeric-owner'];
  const form = ['--mode=u=rwX,go=rX', '--format=ustar', `--use-compress-program=gzip -n${effort}`];
  const what = [`--file=${file}`, '-C', dirname(folder), basename(folder)];
  execFileSync('tar', ['--create', ...same, ...form, ...what], {
    stdio: 'inherit',
    env: { ...process.env, LC_ALL: 'C' },
  });
}
