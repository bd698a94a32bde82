import { aligned } from '../traffic/figures.ts';

/** One run under one fault: what the table shows of it, and what went wrong. */
export interface Line {
  title: string;
  /** As many as the header has, or one sentence in their place. */
  cells: readonly string[];
  violations: readonly string[];
}

/** Prints the lines as a table with `left` columns of text in front of the figures, then what went wrong. */
export function printTable(header: readonly string[], lines: readonly Line[], left: number): void {
  say('');
  for (const line of aligned([header, ...lines.map(({ cells }) => cells)], left)) say(line);
  for (const { title, violations } of lines.filter((line) => line.violations.length > 0)) {
    say(`\nFAIL  ${title}`);
    for (const text of violations.slice(0, 10)) say(`      ${text}`);
    if (violations.length > 10) say(`      … and ${violations.length - 10} more`);
  }
}

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
