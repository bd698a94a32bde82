import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');

/** By the name that a block of code has in Markdown. */
const PROGRAMS = {
  sh: { extension: 'sh', program: 'bash' },
  js: { extension: 'mjs', program: process.execPath },
  ts: { extension: 'ts', program: process.execPath },
  python: { extension: 'py', program: 'python3' },
  php: { extension: 'php', program: 'php' },
} as const;

export type Language = keyof typeof PROGRAMS;

/** Makes the clients found by programs in this folder, as npm and composer would. Python has PYTHONPATH. */
export function installClients(folder: string): void {
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'vendor'));
  const autoload = `<?php require '${join(ROOT, 'clients/php/autoload.php')}';`;
  writeFileSync(join(folder, 'vendor/autoload.php'), autoload);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
}

/** Runs a text as it stands, to its end. */
export async function runProgram(
  folder: string,
  language: Language,
  code: string,
  settings: Record<string, string>,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { extension, program } = PROGRAMS[language];
  const file = `program.${extension}`;
  writeFileSync(join(folder, file), code);
  const env = { ...process.env, ...settings, PYTHONPATH: join(ROOT, 'clients/python') };
  const run = promisify(execFile)(program, [file, ...args], { cwd: folder, env });
  return run.then(
    (output) => ({ ...output, code: 0 }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

/** What the strict compiler says about these texts, each a file of its own. */
export async function compile(folder: string, texts: readonly string[]): Promise<string> {
  const files = texts.map((text, at) => {
    const file = `compiled-${at}.ts`;
    writeFileSync(join(folder, file), `${text}\nexport {};\n`);
    return file;
  });
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  const run = promisify(execFile)(tsc, ['--ignoreConfig', ...options, ...files], { cwd: folder });
  return (await run.catch((error: { stdout: string }) => error)).stdout;
}
