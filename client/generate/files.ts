/** What the build of the client makes from the OpenAPI document. git ignores these files; a release has them. */
export const GENERATED = [
  'client/src/document.ts',
  'client/collection.json',
  'clients/python/hourkeep/document.py',
  'clients/php/src/Document.php',
] as const;
