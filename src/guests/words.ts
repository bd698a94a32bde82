/** What tells who a guest is. */
export interface Guest {
  name: string;
  email: string;
  key: string;
  phone: string | null;
}

/**
 * Finds a guest in a text that somebody wrote: address with any plus-tag, phone, name, and each word of the name. Only
 * where no Latin letter or digit touches it, so that Ada is not found in Canada; Korean puts particles right behind a name.
 */
export function wordsOf({ name, email, key, phone }: Guest): RegExp {
  // Both ways: "Lovelace, Mary-Ann (Mamie)" has three words, and "A.B. Smith" is written with its points.
  const split = name.split(/[^\p{L}\p{M}\p{N}'’-]+/u).map((word) => word.replaceAll(/^['’-]+|['’-]+$/g, ''));
  const parts = [...name.split(/\s+/), ...split].filter((word) => Array.from(word).length > 1);
  const words = [email, phone ?? '', name.trim(), ...parts];
  const longestFirst = words
    .filter((word) => word !== '')
    .toSorted((a, b) => b.length - a.length)
    .map((word) => RegExp.escape(word));
  const any = [withAnyTag(key), ...longestFirst].join('|');
  return new RegExp(`(?<![A-Za-z0-9])(?:${any})(?![A-Za-z0-9])`, 'giu');
}

function withAnyTag(key: string): string {
  const at = key.lastIndexOf('@');
  return `${RegExp.escape(key.slice(0, at))}(?:\\+[^\\s@]{0,64})?${RegExp.escape(key.slice(at))}`;
}

/** Finds the address with any plus-tag and in any case in the bytes of a file, read as Latin-1. */
export function addressInBytes(key: string): RegExp {
  return new RegExp(withAnyTag(Buffer.from(key).toString('latin1')), 'i');
}

/** Whatever was found goes to `traces`, as it was written. */
export function withoutWords(text: string | null, words: RegExp, traces: Set<string>): string | null {
  if (text === null) return null;
  noteFound(text, words, traces);
  return text.replaceAll(words, '[erased]');
}

/** A key cannot keep a part of itself: two could become the same one. */
export function withoutKey(
  key: string | null,
  words: RegExp,
  bookingId: string,
  traces: Set<string>,
): string | null {
  if (key === null || key.search(words) < 0) return key;
  noteFound(key, words, traces);
  return `erased-${bookingId}`;
}

/** Shorter words would be found in what others wrote, again and again. */
const SHORTEST_TRACE = 4;

function noteFound(text: string, words: RegExp, traces: Set<string>): void {
  for (const [found] of text.matchAll(words)) if (found.length >= SHORTEST_TRACE) note(traces, found);
}

/** Of a long text only its beginning stands in the page of its row. */
export function noteWords(text: string | null, traces: Set<string>): void {
  const beginning = Array.from(text ?? '')
    .slice(0, 40)
    .join('');
  if (beginning.length >= SHORTEST_TRACE) note(traces, beginning);
}

/** Events hold texts as JSON, which writes quotes and line ends differently. */
export function note(traces: Set<string>, text: string): void {
  traces.add(text);
  traces.add(JSON.stringify(text).slice(1, -1));
}
