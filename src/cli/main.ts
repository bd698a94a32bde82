import { enableCompileCache } from 'node:module';

// Most of a start is stripping types and compiling; the cache keeps the results for the next start. It must be on before
// anything else is loaded: hence the dynamic import below.
enableCompileCache();
// When a reader such as head closes the pipe early, that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
const { runCommand } = await import('./program.ts');
process.exitCode = await runCommand();
