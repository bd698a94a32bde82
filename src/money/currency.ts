/** ISO 4217 minor units that are not two. */
const ZERO_DECIMALS = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF';
const THREE_DECIMALS = 'BHD IQD JOD KWD LYD OMR TND';

const decimals = new Map<string, number>([
  ...ZERO_DECIMALS.split(' ').map((code) => [code, 0] as const),
  ...THREE_DECIMALS.split(' ').map((code) => [code, 3] as const),
]);

const known = new Set(Intl.supportedValuesOf('currency'));

export function isCurrency(code: string): boolean {
  return known.has(code);
}

export function currencyDecimals(code: string): number {
  return decimals.get(code) ?? 2;
}

/** 1999 USD cents → 19.99, as the number that JSON prints without a tail. */
export function toMajor(minor: number, currency: string): number {
  return minor / 10 ** currencyDecimals(currency);
}

/**
 * The greatest price of an hour, and the greatest maximum of a booking, in minor units: 1 000 000 000 USD. Sums are
 * exact up to 2^53 minor units, which a host would reach with 90 000 hours at this price.
 */
export const MAX_AMOUNT_MINOR = 100_000_000_000;

/**
 * 19.99 USD → 1999 cents; undefined when the amount has more decimals than the currency or is past
 * what an integer holds exactly. Works on the decimal digits: 19.99 * 100 is 1998.9999999999998. In an amount that
 * somebody wrote, digits that a number cannot hold are not lost.
 */
export function toMinor(major: number | string, currency: string): number | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(major));
  if (match === null) return undefined;
  const [, sign, whole, fraction = ''] = match;
  const places = currencyDecimals(currency);
  if (fraction.length > places) return undefined;
  const minor = Number(`${sign}${whole}${fraction.padEnd(places, '0')}`);
  return Number.isSafeInteger(minor) ? minor + 0 : undefined;
}
