// Which way dates, times and amounts are written. No browser is needed here: tests read it too.

let locale = 'en';

/** `en`, or with a region as the browser has it: `en-GB`. */
export const currentLocale = (): string => locale;

export function setLocale(next: string): void {
  locale = next;
}
