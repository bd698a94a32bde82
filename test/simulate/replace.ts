import { registerHooks } from 'node:module';

/** From now on whoever imports the one file gets the other: everybody, or one importer. */
export function replaceModule(file: string, replacement: string, importer?: string): void {
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const isMeant = importer === undefined || context.parentURL === importer;
      return resolved.url === file && isMeant ? { ...resolved, url: replacement } : resolved;
    },
  });
}

/** The URL of a file in `src/`. */
export function source(path: string): string {
  return new URL(`../../src/${path}`, import.meta.url).href;
}
