import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

// npm run build --workspace=client: ESM into dist/ (or the folder that is given) and CommonJS into its cjs/, both with types. Any Node
// from 20 on.

const here = import.meta.dirname;
const out = process.argv[2] ?? join(here, 'dist');
const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');

for (const [config, folder] of [
  ['tsconfig.json', out],
  ['tsconfig.cjs.json', join(out, 'cjs')],
])
  execFileSync(process.execPath, [tsc, '-p', join(here, config), '--outDir', folder], { stdio: 'inherit' });
// Says what the .js in its folder are.
writeFileSync(join(out, 'cjs/package.json'), '{ "type": "commonjs" }\n');
