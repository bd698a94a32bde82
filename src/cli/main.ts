import { enableCompileCache } from 'node:module';

// Stripping types and compiling costs most of a start; the cache keeps both from one start to the next. It must
// be on before anything else is loaded, hence the import below.
enableCompileCache();
const { runCommand } = await import('./program.ts');
process.exitCode = await runCommand();
