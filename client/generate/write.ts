import { writeFileSync } from 'node:fs';
import { publishedDocument, type OpenApi } from './document.ts';
import { phpTypesOf } from './php.ts';
import { pythonTypesOf } from './python.ts';
import { typesOf } from './types.ts';

// npm run client:types: writes what each client knows of the document. A test makes it again and compares.

export const GENERATED: readonly [path: string, make: (document: OpenApi) => string][] = [
  ['client/src/document.ts', typesOf],
  ['clients/python/hourkeep/document.py', pythonTypesOf],
  ['clients/php/src/Document.php', phpTypesOf],
];

if (import.meta.main) {
  const document = await publishedDocument();
  for (const [path, make] of GENERATED)
    writeFileSync(new URL(`../../${path}`, import.meta.url), `${make(document)}\n`);
}
