import { examine } from '../doctor/doctor.ts';
import { command } from './command.ts';

export const doctor = command('doctor', {
  about: 'check everything the service needs, and print what is wrong and what to do',
  json: 'print [{check, status, message}]',
  start: () => examine(process.env),
  print: (checks) =>
    checks.map(({ status, check, message }) => `${status.padEnd(4)}  ${check.padEnd(9)}  ${message}`),
  failure: (checks) => {
    const failed = checks.filter(({ status }) => status === 'fail').length;
    return failed > 0 && `${failed} of ${checks.length} checks failed`;
  },
});
