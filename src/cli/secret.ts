import type { Command } from 'commander';
import { rotateKey } from '../webhooks/rotate-key.ts';
import { print, printJson } from './output.ts';
import { withProgress } from './progress.ts';
import { operator, withContext } from './run.ts';

export function addSecretCommands(program: Command): void {
  program
    .command('secret')
    .description('the key that encrypts webhook secrets')
    .command('rotate')
    .description('encrypt everything anew with SECRET_KEY, beside running processes')
    .option('--json', 'print {reencrypted}')
    .addHelpText(
      'after',
      `
Without a pause:
  1. start every process with SECRET_KEY (the new key) and SECRET_KEY_OLD (the one so far)
  2. run this command with the same two settings
  3. start every process without SECRET_KEY_OLD

Example:
  SECRET_KEY=<new> SECRET_KEY_OLD=<old> hourkeep secret rotate`,
    )
    .action(async (options: { json?: true }) => {
      const reencrypted = await withContext((ctx) =>
        withProgress((show) => rotateKey(ctx, operator, (done) => show(`${done} re-encrypted`))),
      );
      if (options.json) printJson({ reencrypted });
      else
        print(
          `Encrypted the secrets of ${reencrypted} webhooks anew. Now start every process without SECRET_KEY_OLD.`,
        );
    });
}
