/** The known name that differs least, if at most so many of its letters differ. Case and punctuation make no difference. */
export function nearest(
  name: string,
  known: readonly string[],
  mostDiffering: (meant: string) => number = ({ length }) => Math.min(3, length / 3),
): string | undefined {
  const plain = plainLetters(name.slice(0, 64));
  const differences = known.map((each) => editDistance(plain, plainLetters(each)));
  const least = differences.reduce((a, b) => Math.min(a, b), Infinity);
  const meant = known[differences.indexOf(least)];
  return meant !== undefined && least <= mostDiffering(meant) ? meant : undefined;
}

function plainLetters(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** How many letters must be put in, taken out or replaced to make one of the other (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++)
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (a[i] === b[j] ? 0 : 1)));
    row = next;
  }
  return row.at(-1)!;
}
