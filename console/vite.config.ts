import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const SPOKEN = readdirSync(join(import.meta.dirname, 'src/languages')).map((file) => file.slice(0, 2));

export default defineConfig({
  // Relative: where the files are asked for is known at run time only.
  base: './',
  plugins: [react(), ownLanguages(), precompress()],
  build: { target: 'es2023', modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
});

/** The widgets' few words come in 34 languages: those that the console does not speak stay out of the bundle. */
function ownLanguages(): Plugin {
  return {
    name: 'own-languages',
    enforce: 'pre',
    load(id) {
      const [, language] = /react-aria.*\/intl\/.*\/([a-z]{2}-[A-Z]{2})\.m?js/.exec(id) ?? [];
      const spoken = language === undefined || SPOKEN.includes(language.slice(0, 2));
      return spoken ? undefined : 'export default undefined;';
    },
  };
}

/** Compressed once here instead of at every request: `x.js`, `x.js.br`, `x.js.gz`. */
function precompress(): Plugin {
  let folder = '';
  return {
    name: 'precompress',
    configResolved(config) {
      folder = join(config.root, config.build.outDir, config.build.assetsDir);
    },
    closeBundle() {
      for (const name of readdirSync(folder)) {
        const file = join(folder, name);
        const bytes = readFileSync(file);
        writeFileSync(`${file}.br`, brotliCompressSync(bytes));
        writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
      }
    },
  };
}
