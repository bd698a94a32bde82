import { enableCompileCache } from 'node:module';

// Stripping types and compiling costs most of a start; the cache keeps both from one start to the next. It must
// be on before anything else is loaded, hence the import below.
enableCompileCache();
// A reader that has seen enough, such as head, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
const { runCommand } = await import('./program.ts');
process.exitCode = await runCommand();
