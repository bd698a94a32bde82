import type { Parsed } from './parse/parse.ts';

const MAX_EVENTS_NAMED = 5;

/** For the operator: what is wrong in a calendar that was imported all the same; null when nothing is. */
export function warningOf(parsed: Parsed): string | null {
  const { problems } = parsed;
  if (problems.length === 0) return null;
  const named = [...new Set(problems.map(({ uid, line }) => `${line} of ${printable(uid)}`))];
  const more = named.length - MAX_EVENTS_NAMED;
  return [
    `not everything in it can be understood: ${named.slice(0, MAX_EVENTS_NAMED).join(', ')}`,
    ...(more > 0 ? [` and ${more} more`] : []),
    ...(hidesHours(parsed) ? ['; meanwhile no hour is freed'] : []),
  ].join('');
}

/** A UID may be anything, and is read on a terminal. */
function printable(uid: string): string {
  const text = uid.replace(/[^\x21-\x7E]+/g, '?');
  if (text === '') return 'an event without UID';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** While hours may be missing, none is taken for free. */
export function hidesHours({ problems }: Parsed): boolean {
  return problems.some(({ hides }) => hides);
}
