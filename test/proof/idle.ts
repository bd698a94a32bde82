import { cpus } from 'node:os';

/** Answers with how much of the machine has been idle since. */
export function idleShare(): () => number {
  const times = (): { idle: number; all: number } => {
    const each = cpus().map((cpu) => cpu.times);
    const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
    return { idle: sum(each.map(({ idle }) => idle)), all: sum(each.flatMap((one) => Object.values(one))) };
  };
  const start = times();
  return () => {
    const { idle, all } = times();
    return (idle - start.idle) / (all - start.all);
  };
}
