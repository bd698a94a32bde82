import { write, type Db, type SqlValue } from '../../src/db/database.ts';
import type { Environment } from '../../src/ids/api-key.ts';

export interface ManyBookings {
  hostId: string;
  environment: Environment;
  /** One-hour bookings of every space of the host on each of these days, `perDay` of them from hour 0 on. */
  days: readonly string[];
  perDay: number;
  /** Days before this one are over. */
  today: string;
}

/**
 * A host's years of business in one statement, past every rule: prices, rates, modes, payments and cancellations
 * vary from booking to booking. A distributed engine runs it where the host's spaces are. No hours and no events: reports do not read them. Once a host, as ids would clash.
 */
export async function insertManyBookings(db: Db, many: ManyBookings): Promise<number> {
  const { hostId, environment, days, perDay, today } = many;
  const values: SqlValue[] = [hostId, environment, today];
  return db.migration((tx) => tx.run(insertMany(days, perDay), values));
}

/** No clock of a test or benchmark comes here, so nothing is completed meanwhile. */
const FAR_AWAY = Date.UTC(2100, 0, 1);
const STATUS = `case when n % 10 = 9 then 'cancelled' when date < $3::date then 'completed' else 'confirmed' end`;
const PAYMENT = `case when n % 3 < 2 then 'host_collected' when n % 4 = 0 then 'pending' else 'confirmed' end`;

function insertMany(days: readonly string[], perDay: number) {
  const list = (rows: readonly string[]): string => `(values ${rows.join(', ')})`;
  return write(`
    insert into bookings (host_id, id, environment, space_id, status, source, date, start_hour, end_hour, timezone,
      starts_at, ends_at, guest_name, guest_email, guest_key, price_per_hour, total_price, currency,
      commission_millionths, settlement_mode, payment_status, cancelled_at, created_at, updated_at)
    select host_id, (substr(cast(id as text), 1, 24) || substr(cast(100000000000 + n as text), 1, 12))::uuid,
      environment, id, ${STATUS}, case when n % 50 = 0 then 'platform' else 'api' end, date, hour, hour + 1, timezone, ${FAR_AWAY} + n,
      ${FAR_AWAY} + n + 1,
      'Ada Miller', 'ada@example.com', 'ada@example.com', price_per_hour, price_per_hour + n * 7919 % 9973, 'USD',
      100000 + n % 7 * 12345, case when n % 3 < 2 then 'host_settled' else 'platform_settled' end, ${PAYMENT},
      case when n % 10 = 9 then n end, n, n
    from (
      select (d.column1 * ${perDay} + h.column1) * rooms + room as n, d.column2 as date, h.column1 as hour, host_id,
        environment, id, timezone, price_per_hour
      from (
        select host_id, environment, id, timezone, price_per_hour,
          row_number() over (partition by host_id order by id) - 1 as room, count(*) over (partition by host_id) as rooms
        from spaces where host_id = $1 and environment = $2) as s
      cross join ${list(days.map((date, i) => `(${i}, '${date}'::date)`))} as d
      cross join ${list(Array.from({ length: perDay }, (_, hour) => `(${hour})`))} as h) as many
    order by date, hour, id`);
}
