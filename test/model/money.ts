// Amounts are integers in minor units inside, numbers in major units outside (contract §5, Money).
import { isObject, type Body } from './input.ts';
import { iso } from './time.ts';

/** ISO 4217, where they are not 2. */
const DECIMALS: Record<string, number> = { KRW: 0, JPY: 0, KWD: 3, BHD: 3 };
const decimalsOf = (currency: string): number => DECIMALS[currency] ?? 2;

export function major(amount: number, currency: string): number {
  const decimals = decimalsOf(currency);
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0');
  const at = digits.length - decimals;
  return Number(`${amount < 0 ? '-' : ''}${digits.slice(0, at)}.${digits.slice(at)}`);
}

/** Null where the amount has more decimals than the currency. */
export function minor(amount: number | string, currency: string): number | null {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(plain(Number(amount)))!;
  const decimals = decimalsOf(currency);
  if (fraction.length > decimals) return null;
  return Number(`${sign}${whole}${fraction.padEnd(decimals, '0')}`) + 0;
}

/** The shortest decimal that is this number, without an exponent. */
function plain(value: number): string {
  const text = String(value);
  const parts = /^(-?)(\d)(?:\.(\d+))?e([+-])(\d+)$/.exec(text);
  if (parts === null) return text;
  const [, sign, first, rest = '', direction, power] = parts;
  if (direction === '-') return `${sign}0.${'0'.repeat(Number(power) - 1)}${first}${rest}`;
  return `${sign}${first}${rest.padEnd(Number(power), '0')}`;
}

/** The commission of a price: half up. */
export const commissionOf = (price: number, rateMillionths: number): number =>
  Number((BigInt(price) * BigInt(rateMillionths) + 500_000n) / 1_000_000n);

const AMOUNTS = new Set(
  (
    'amount price_per_hour total_price gross commission net commission_due payout_due host_collected ' +
    'platform_collected refunded adjustments balance opening_balance closing_balance'
  ).split(' '),
);

/** A record as the API writes it: by the names of its fields, amounts in major units and times in RFC 3339. */
export const shown = (record: object, currency: string): Body => write(record, currency, '') as Body;

function write(value: unknown, currency: string, name: string): unknown {
  if (typeof value === 'number') {
    if (AMOUNTS.has(name)) return major(value, currency);
    return name === 'at' || name.endsWith('_at') ? iso(value) : value;
  }
  if (Array.isArray(value)) return value.map((one: unknown) => write(one, currency, name));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, one]) => [field, write(one, currency, field)]),
  );
}
