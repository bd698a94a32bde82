/** A text as names are compared: without case, accents and the differences that compatibility forms make (NFKD). */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text.normalize('NFKD').replaceAll(COMBINING_MARKS, '').toLowerCase();
}

/** Whether a booking's guest has these letters in their name or address. */
export function isGuest(letters: string): (booking: { guest_name: string; guest_email: string }) => boolean {
  const wanted = fold(letters);
  return ({ guest_name, guest_email }) =>
    fold(guest_name).includes(wanted) || fold(guest_email).includes(wanted);
}

// oxlint-disable-next-line no-control-regex
const ASCII = /^[\0-\x7f]*$/;
const COMBINING_MARKS = /\p{M}/gu;
