import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

export default defineConfig({
  // Relative: where the files are asked for is known at run time only.
  base: './',
  plugins: [react(), englishOnly(), precompress()],
  build: { target: 'es2023', modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
});

/** The console speaks English, so the 33 other languages of the widgets' few words stay out of the bundle. */
function englishOnly(): Plugin {
  return {
    name: 'english-only',
    enforce: 'pre',
    load(id) {
      const [, language] = /react-aria.*\/intl\/.*\/([a-z]{2}-[A-Z]{2})\.m?js/.exec(id) ?? [];
      return language === undefined || language === 'en-US' ? undefined : 'export default undefined;';
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
