import { writeFileSync } from 'node:fs';
import { collectionOf } from './collection.ts';
import { publishedDocument } from './document.ts';
import type { GENERATED } from './files.ts';
import { phpTypesOf } from './php.ts';
import { pythonTypesOf } from './python.ts';
import { typesOf } from './types.ts';

// The first step of the client's build: writes what each client knows of the document.

/** The text of every generated file, by its path. */
export async function generate(): Promise<Record<(typeof GENERATED)[number], string>> {
  const document = await publishedDocument();
  return {
    'client/src/document.ts': `${typesOf(document)}\n`,
    'client/collection.json': `${JSON.stringify(collectionOf(document), null, 2)}\n`,
    'clients/python/hourkeep/document.py': `${pythonTypesOf(document)}\n`,
    'clients/php/src/Document.php': `${phpTypesOf(document)}\n`,
  };
}

if (import.meta.main)
  for (const [path, text] of Object.entries(await generate()))
    writeFileSync(new URL(`../../${path}`, import.meta.url), text);
