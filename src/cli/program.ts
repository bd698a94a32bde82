import { Command, CommanderError } from 'commander';
import { DatabaseAway, OperatorError, ApiError } from '../errors.ts';
import { addBookingCommands } from './booking.ts';
import { addCalendarCommands } from './calendar.ts';
import { addDemoCommand } from './demo.ts';
import { addHostCommands } from './host.ts';
import { addIcalTokenCommands } from './ical-token.ts';
import { addKeyCommands } from './key.ts';
import { addListenCommand } from './listen.ts';
import { addMigrateCommand } from './migrate.ts';
import { addPaymentCommands } from './payment.ts';
import { addServeCommands } from './serve.ts';
import { addSpaceCommands } from './space.ts';

const EXIT_REFUSED = 1;
const EXIT_USAGE = 2;

/** Runs what the command line says and answers with the exit code. */
export async function runCommand(): Promise<number> {
  try {
    await buildProgram().parseAsync();
    return 0;
  } catch (error) {
    return report(error);
  }
}

function buildProgram(): Command {
  const program = new Command('hourkeep')
    .description('The service behind the Host Integration API, and its operator’s tools.')
    .version('0.1.0')
    .showHelpAfterError('(hourkeep --help lists the commands)')
    .exitOverride()
    .addHelpText(
      'after',
      `
Settings come from the environment (PORT, DATABASE_URL, DATA_DIR, …); docs/operations.md lists them.

Examples:
  hourkeep serve                                   API and worker on 127.0.0.1:3000, data in ./data
  hourkeep key create --host <id> --name "My PMS"  a new API key, shown once
  DATABASE_URL=postgres://… hourkeep api           one of several API processes`,
    );

  addServeCommands(program);
  addMigrateCommand(program);
  addDemoCommand(program);
  addHostCommands(program);
  addSpaceCommands(program);
  addKeyCommands(program);
  addIcalTokenCommands(program);
  addCalendarCommands(program);
  addBookingCommands(program);
  addPaymentCommands(program);
  addListenCommand(program);
  return program;
}

/** What the operator can put right is one line; anything else is our fault and shows its stack. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (error instanceof OperatorError || error instanceof ApiError) {
    process.stderr.write(`hourkeep: ${error.message}\n`);
  } else if (error instanceof DatabaseAway) {
    const cause =
      error.cause instanceof Error ? error.cause.message || String(error.cause) : String(error.cause);
    process.stderr.write(`hourkeep: the database is not available: ${cause}\n`);
  } else {
    process.stderr.write(`hourkeep: ${error instanceof Error ? error.stack : String(error)}\n`);
  }
  return EXIT_REFUSED;
}
