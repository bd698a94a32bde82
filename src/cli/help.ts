// What a help text has below the options, in the width of a terminal that nobody has widened.

export const HELP_WIDTH = 80;

const EXIT_CODES = 'Exit codes: 0 done, 1 rejected, 2 wrong usage.';

/** Notes, examples and exit codes. Each line of the notes is a paragraph, and one that is indented stays so. */
export function helpBelow(notes: string | undefined, examples: readonly string[]): string {
  const above = notes === undefined ? [] : ['', ...notes.split('\n').flatMap((line) => wrapped(line))];
  const heading = examples.length === 1 ? 'Example:' : 'Examples:';
  const lines = examples.flatMap((line) => wrapped(`  ${line}`, ' \\'));
  return [...above, '', heading, ...lines, '', EXIT_CODES].join('\n');
}

/** Lines of at most 80 columns. What is in quotes stays on one, so that a command can be pasted; `end` joins lines of a command. */
function wrapped(line: string, end = ''): string[] {
  const indent = /^ */.exec(line)![0];
  const hanging = indent + (indent === '' ? '' : '  ');
  const lines = [indent];
  for (const word of line.match(/(?:[^\s"]|"[^"]*")+/g) ?? []) {
    const last = lines.at(-1)!;
    const longer = last.trim() === '' ? last + word : `${last} ${word}`;
    if (longer.length + end.length <= HELP_WIDTH || last.trim() === '') lines[lines.length - 1] = longer;
    else lines.push(hanging + word);
  }
  return lines.map((each, i) => (i < lines.length - 1 ? each + end : each));
}
