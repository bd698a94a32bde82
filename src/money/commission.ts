/** A commission rate is kept in millionths: 0.10 is 100 000. */
export const RATE_UNIT = 1_000_000;

/** 10 %, where nothing else was agreed. */
export const DEFAULT_RATE = 0.1;

export function rateToMillionths(rate: number): number {
  return Math.round(rate * RATE_UNIT);
}

export function millionthsToRate(millionths: number): number {
  return millionths / RATE_UNIT;
}

/**
 * The platform's share of an amount in minor units, rounded half up to a whole minor unit. The amount is split at
 * a million first: amount times rate can pass 2^53, the two smaller products cannot.
 */
export function commissionOf(gross: number, millionths: number): number {
  const rest = gross % RATE_UNIT;
  const whole = ((gross - rest) / RATE_UNIT) * millionths;
  return whole + Math.floor((rest * millionths + RATE_UNIT / 2) / RATE_UNIT);
}

/** commissionOf in SQL, over the columns of a booking. A test compares the two. */
export const COMMISSION_SQL = `total_price / ${RATE_UNIT} * commission_millionths
  + (total_price % ${RATE_UNIT} * commission_millionths + ${RATE_UNIT / 2}) / ${RATE_UNIT}`;
