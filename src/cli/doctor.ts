import type { Command } from 'commander';
import { examine } from '../doctor/doctor.ts';
import { OperatorError } from '../errors.ts';
import { print, printJson } from './output.ts';

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('look at everything the service needs, and say what is wrong and what to do')
    .option('--json', 'print [{check, status, message}]')
    .addHelpText('after', '\nExample:\n  hourkeep doctor')
    .action(async (options: { json?: true }) => {
      const checks = await examine(process.env);
      if (options.json) printJson(checks);
      else
        for (const { status, check, message } of checks)
          print(`${status.padEnd(4)}  ${check.padEnd(9)}  ${message}`);
      const failed = checks.filter(({ status }) => status === 'fail').length;
      if (failed > 0) throw new OperatorError(`${failed} of ${checks.length} checks failed`);
    });
}
