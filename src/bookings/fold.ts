/** A text as names are compared: without case, accents and the differences that compatibility forms make (NFKD). */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text.normalize('NFKD').replaceAll(COMBINING_MARKS, '').toLowerCase();
}

// oxlint-disable-next-line no-control-regex
const ASCII = /^[\0-\x7f]*$/;
const COMBINING_MARKS = /\p{M}/gu;
