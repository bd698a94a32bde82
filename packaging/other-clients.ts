import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFiles, readJson, ROOT } from './project.ts';
import { zip, type ZipEntry } from './zip.ts';

/**
 * The Python client as pip installs it. Not by setuptools, whose versions write different bytes; a test compares the content with what
 * it makes.
 */
export function makeWheel(version: string, time: number): Buffer {
  const folder = 'clients/python';
  const project = text(`${folder}/pyproject.toml`);
  const setting = (name: string): string => {
    const found = new RegExp(`^${name} = "(.*)"$`, 'm').exec(project)?.[1];
    if (found === undefined) throw new Error(`pyproject.toml has no ${name}`);
    return found;
  };
  const metadata = [
    'Metadata-Version: 2.1',
    `Name: ${setting('name')}`,
    `Version: ${version}`,
    `Summary: ${setting('description')}`,
    'License: Apache-2.0',
    'Classifier: Typing :: Typed',
    `Requires-Python: ${setting('requires-python')}`,
    'Description-Content-Type: text/markdown',
    'License-File: LICENSE',
    '',
    text(`${folder}/README.md`),
  ];
  const wheel = [
    'Wheel-Version: 1.0',
    'Generator: hourkeep',
    'Root-Is-Purelib: true',
    'Tag: py3-none-any',
    '',
  ];
  const info = `hourkeep_client-${version}.dist-info`;
  const entries: ZipEntry[] = [
    ...filesOf(folder).filter(({ name }) => name.startsWith('hourkeep/')),
    { name: `${info}/LICENSE`, bytes: Buffer.from(text(`${folder}/LICENSE`)) },
    { name: `${info}/METADATA`, bytes: Buffer.from(metadata.join('\n')) },
    { name: `${info}/WHEEL`, bytes: Buffer.from(wheel.join('\n')) },
    { name: `${info}/top_level.txt`, bytes: Buffer.from('hourkeep\n') },
  ];
  const record = entries.map(
    ({ name, bytes }) => `${name},sha256=${hash('sha256', bytes, 'base64url')},${bytes.length}`,
  );
  const last = Buffer.from(`${[...record, `${info}/RECORD,,`].join('\n')}\n`);
  return zip([...entries, { name: `${info}/RECORD`, bytes: last }], time);
}

/** The PHP client, to be unpacked beside a program or given to composer, which asks for the version. */
export function makePhpZip(version: string, time: number): Buffer {
  const folder = 'clients/php';
  const entries = filesOf(folder).map((entry) => {
    if (entry.name !== 'composer.json') return entry;
    const { name, ...others } = readJson(`${folder}/composer.json`) as { name: string };
    return { ...entry, bytes: Buffer.from(`${JSON.stringify({ name, version, ...others }, null, 2)}\n`) };
  });
  return zip(entries, time);
}

function filesOf(folder: string): ZipEntry[] {
  return projectFiles(folder).map((path) => ({
    name: path.slice(folder.length + 1),
    bytes: readFileSync(join(ROOT, path)),
  }));
}

function text(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
