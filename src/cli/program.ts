import { Command, CommanderError } from 'commander';
import { DatabaseAway, OperatorError, ApiError } from '../errors.ts';
import { versionAndCommit } from '../version.ts';
import { print } from './output.ts';

const EXIT_REFUSED = 1;
const EXIT_USAGE = 2;

const addServe = async () => (await import('./serve.ts')).addServeCommands;

/** In the order of the help text. Only the one that is asked for is loaded: loading all would be most of a start. */
const COMMANDS: Record<string, () => Promise<(program: Command) => void>> = {
  serve: addServe,
  api: addServe,
  worker: addServe,
  migrate: async () => (await import('./migrate.ts')).addMigrateCommand,
  demo: async () => (await import('./demo.ts')).addDemoCommand,
  host: async () => (await import('./host.ts')).addHostCommands,
  space: async () => (await import('./space.ts')).addSpaceCommands,
  key: async () => (await import('./key.ts')).addKeyCommands,
  'ical-token': async () => (await import('./ical-token.ts')).addIcalTokenCommands,
  calendar: async () => (await import('./calendar.ts')).addCalendarCommands,
  apply: async () => (await import('./apply.ts')).addApplyCommand,
  export: async () => (await import('./apply.ts')).addExportCommand,
  booking: async () => (await import('./booking.ts')).addBookingCommands,
  payment: async () => (await import('./payment.ts')).addPaymentCommands,
  settlement: async () => (await import('./settlement.ts')).addSettlementCommand,
  webhook: async () => (await import('./webhook.ts')).addWebhookCommands,
  event: async () => (await import('./event.ts')).addEventCommands,
  secret: async () => (await import('./secret.ts')).addSecretCommands,
  audit: async () => (await import('./audit.ts')).addAuditCommands,
  guest: async () => (await import('./guest.ts')).addGuestCommands,
  backup: async () => (await import('./backup.ts')).addBackupCommand,
  copy: async () => (await import('./copy.ts')).addCopyCommand,
  doctor: async () => (await import('./doctor.ts')).addDoctorCommand,
  listen: async () => (await import('./listen.ts')).addListenCommand,
  mcp: async () => (await import('./mcp.ts')).addMcpCommand,
  completion: async () => (await import('./completion.ts')).addCompletionCommand,
};

/** Runs the command of the command line and returns the exit code. */
export async function runCommand(): Promise<number> {
  try {
    const program = await buildProgram(process.argv[2]);
    await program.parseAsync();
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
    .showHelpAfterError('(hourkeep --help lists the commands)')
    .exitOverride()
    .addHelpText(
      'after',
      `
Settings come from the environment (PORT, DATABASE_URL, DATA_DIR, …); docs/settings.md lists them.

Examples:
  hourkeep serve                                   API and worker on 127.0.0.1:3000, data in ./data
  hourkeep key create --host <id> --name "My PMS"  a new API key, shown once
  DATABASE_URL=postgres://… hourkeep api           one of several API processes`,
    );

  const alone = Object.hasOwn(COMMANDS, name) && name !== 'completion';
  const named = alone ? COMMANDS[name] : undefined;
  for (const load of named === undefined ? new Set(Object.values(COMMANDS)) : [named])
    (await load())(program);
  return program;
}

/** One line for what an operator can put right. Anything else is a defect and shows its stack. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (error instanceof OperatorError || error instanceof ApiError || error instanceof DatabaseAway) {
    process.stderr.write(`hourkeep: ${error.message}\n`);
  } else {
    process.stderr.write(`hourkeep: ${error instanceof Error ? error.stack : String(error)}\n`);
  }
  return EXIT_REFUSED;
}
