// When a reader such as head closes the pipe early, that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
const { runCommand } = await import('./program.ts');
process.exitCode = await runCommand(process.argv.slice(2));
