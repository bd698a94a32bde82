/** A commission rate is kept in millionths: 0.10 is 100 000. */
export const RATE_UNIT = 1_000_000;

export function rateToMillionths(rate: number): number {
  return Math.round(rate * RATE_UNIT);
}

export function millionthsToRate(millionths: number): number {
  return millionths / RATE_UNIT;
}
