/** What tells who a guest is. */
export interface Guest {
  name: string;
  email: string;
  key: string;
  phone: string | null;
}

/**
 * Finds a guest in a text that somebody wrote: address, phone, name, and each word of the name. Only where no Latin
 * letter or digit touches it, so that Ada is not found in Canada; Korean puts particles right behind a name.
 */
export function wordsOf({ name, email, key, phone }: Guest): RegExp {
  const parts = name.split(/\s+/).filter((word) => Array.from(word).length > 1);
  const words = [email, key, phone ?? '', name.trim(), ...parts].filter((word) => word !== '');
  const longestFirst = words.toSorted((a, b) => b.length - a.length).map((word) => RegExp.escape(word));
  return new RegExp(`(?<![A-Za-z0-9])(?:${longestFirst.join('|')})(?![A-Za-z0-9])`, 'giu');
}

export function withoutWords(text: string | null, words: RegExp): string | null {
  return text?.replaceAll(words, '[erased]') ?? null;
}

/** A key cannot keep a part of itself: two could become the same one. */
export function withoutKey(key: string | null, words: RegExp, bookingId: string): string | null {
  return key === null || key.search(words) < 0 ? key : `erased-${bookingId}`;
}
