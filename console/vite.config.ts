import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const SPOKEN = readdirSync(join(import.meta.dirname, 'src/languages')).map((file) => file.slice(0, 2));

export default defineConfig({
  // Relative: where the files are asked for is known at run time only.
  base: './',
  plugins: [react(), ownLanguages(), finish()],
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: { index: 'index.html', sw: 'worker/sw.ts' },
      // The service worker's address must stay the same.
      output: { entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js') },
    },
  },
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

/**
 * Tells the service worker what the build is made of, and compresses once here instead of at every request: `x.js`, `x.js.br`,
 * `x.js.gz`.
 */
function finish(): Plugin {
  let folder = '';
  return {
    name: 'finish',
    configResolved(config) {
      folder = join(config.root, config.build.outDir);
    },
    closeBundle() {
      const names = readdirSync(join(folder, 'assets'));
      const page = readFileSync(join(folder, 'index.html'), 'utf8');
      const files = JSON.stringify(names.map((name) => `assets/${name}`));
      const version = createHash('sha256').update(page).update(files).digest('hex').slice(0, 16);
      const worker = readFileSync(join(folder, 'sw.js'), 'utf8');
      writeFileSync(
        join(folder, 'sw.js'),
        `const VERSION=${JSON.stringify(version)},FILES=${files};\n${worker}`,
      );
      for (const name of names) {
        const file = join(folder, 'assets', name);
        const bytes = readFileSync(file);
        writeFileSync(`${file}.br`, brotliCompressSync(bytes));
        writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
      }
    },
  };
}
