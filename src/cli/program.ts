import { Command, CommanderError } from 'commander';
import { DatabaseAway, OperatorError, ApiError } from '../errors.ts';
import { versionAndCommit } from '../version.ts';
import { type Loaded, addCommands } from './command.ts';
import { HELP_WIDTH, helpBelow } from './help.ts';
import { note, print, streams } from './output.ts';

const EXIT_REFUSED = 1;
const EXIT_USAGE = 2;

/** In the order of the help text. Only the one that is asked for is loaded: loading all would be most of a start. */
const COMMANDS: Record<string, () => Promise<Loaded>> = {
  serve: async () => (await import('./serve.ts')).serve,
  api: async () => (await import('./serve.ts')).api,
  worker: async () => (await import('./serve.ts')).worker,
  migrate: async () => (await import('./migrate.ts')).migrate,
  demo: async () => (await import('./demo.ts')).demo,
  host: async () => (await import('./host.ts')).hostCommands,
  space: async () => (await import('./space.ts')).spaceCommands,
  key: async () => (await import('./key.ts')).keyCommands,
  'ical-token': async () => (await import('./space.ts')).icalTokenCommands,
  calendar: async () => (await import('./calendar.ts')).calendarCommands,
  apply: async () => (await import('./apply.ts')).apply,
  export: async () => (await import('./apply.ts')).exportAll,
  booking: async () => (await import('./booking.ts')).bookingCommands,
  payment: async () => (await import('./payment.ts')).paymentCommands,
  payout: async () => (await import('./payout.ts')).payoutCommands,
  settlement: async () => (await import('./settlement.ts')).settlement,
  webhook: async () => (await import('./webhook.ts')).webhookCommands,
  event: async () => (await import('./webhook.ts')).eventCommands,
  secret: async () => (await import('./secret.ts')).secretCommands,
  audit: async () => (await import('./audit.ts')).auditCommands,
  guest: async () => (await import('./guest.ts')).guestCommands,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./restore.ts')).restore,
  copy: async () => (await import('./copy.ts')).copy,
  doctor: async () => (await import('./doctor.ts')).doctor,
  listen: async () => (await import('./listen.ts')).listen,
  mcp: async () => (await import('./mcp.ts')).mcp,
  completion: async () => (await import('./completion.ts')).completion,
};

export async function runCommand(typed: readonly string[]): Promise<number> {
  try {
    const program = await buildProgram(typed[0]);
    await program.parseAsync(typed, { from: 'user' });
    return 0;
  } catch (error) {
    return report(error);
  }
}

/**
 * Has the one command that is asked for. For an unknown name or none it has all of them, for the help text; and for
 * completion, which tells the shell about all of them.
 */
export async function buildProgram(name = ''): Promise<Command> {
  const program = new Command('hourkeep')
    .description('The service behind the Host Integration API, and its operator’s tools.')
    .option('-V, --version', 'print the version and the commit')
    .on('option:version', () => {
      print(versionAndCommit());
      throw new CommanderError(0, 'commander.version', '');
    })
    // An error repeats what was typed.
    .configureOutput({
      writeOut: (text) => streams.out.write(text),
      writeErr: (text) => note(text.replace(/\n$/, '').split('\n')),
    })
    .configureHelp({ helpWidth: HELP_WIDTH, minWidthToWrap: 20 })
    .showHelpAfterError('(hourkeep --help lists the commands)')
    .exitOverride()
    .addHelpText(
      'after',
      helpBelow(
        'Settings come from the environment (PORT, DATABASE_URL, DATA_DIR, …); docs/settings.md lists them.',
        [
          'hourkeep serve',
          'hourkeep key create --host <id> --name "My PMS"',
          'DATABASE_URL=postgres://… hourkeep api',
        ],
      ),
    );

  const alone = Object.hasOwn(COMMANDS, name) && name !== 'completion';
  for (const load of alone ? [COMMANDS[name]!] : Object.values(COMMANDS)) addCommands(program, await load());
  return program;
}

/** One line for what an operator can put right. Anything else is a defect and shows its stack. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (error instanceof OperatorError) note(error.lines.map((line) => `hourkeep: ${line}`));
  else if (error instanceof ApiError || error instanceof DatabaseAway) note(`hourkeep: ${error.message}`);
  else note(`hourkeep: ${error instanceof Error ? error.stack : String(error)}`.split('\n'));
  return EXIT_REFUSED;
}
