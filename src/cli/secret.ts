import { rotateKey } from '../secret-key/rotate-key.ts';
import { command, group } from './command.ts';
import { withProgress } from './terminal.ts';
import { operator } from './run.ts';

export const secretCommands = group('secret', 'the key that encrypts webhook secrets and calendars’ URLs', [
  command('rotate', {
    about: 'encrypt everything anew with SECRET_KEY, beside running processes',
    json: 'print {reencrypted}',
    notes: `Without a pause:
  1. start every process with SECRET_KEY (the new key) and SECRET_KEY_OLD (the one so far)
  2. run this command with the same two settings
  3. start every process without SECRET_KEY_OLD`,
    examples: ['SECRET_KEY=<new> SECRET_KEY_OLD=<old> hourkeep secret rotate'],
    run: (ctx) => withProgress((show) => rotateKey(ctx, operator, (done) => show(`${done} re-encrypted`))),
    toJson: (reencrypted) => ({ reencrypted }),
    print: (reencrypted) =>
      `Encrypted the secrets of ${reencrypted} webhooks and calendars anew. Now start every process without SECRET_KEY_OLD.`,
  }),
]);
