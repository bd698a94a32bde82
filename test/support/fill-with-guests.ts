import type { Context } from '../../src/context.ts';
import { write, type Tx } from '../../src/db/database.ts';
import { newId } from '../../src/ids/uuid.ts';

const IN_ONE_TRANSACTION = 12_000;

/** Bookings of many guests, some of which grow afterwards: that splits pages. */
export async function fillWithGuests(ctx: Context, guests: number): Promise<void> {
  const [hostId, spaceId] = [newId(), newId()];
  await ctx.db.transaction(async (tx) => {
    await tx.run(insertHost, [hostId]);
    await tx.run(insertSpace, [hostId, spaceId]);
  });
  const ids: string[] = [];
  let seed = 5;
  // The same numbers at every run: a linear congruential generator.
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const add = async (tx: Tx, from: number, to: number): Promise<void> => {
    for (let i = from; i < to; i++) {
      const name = `Guest${random(100_000_000)}0${i}`;
      ids.push(newId());
      await tx.run(insertBooking, [hostId, ids[i]!, spaceId, name, `${name.toLowerCase()}@trace.example`]);
      if (i > 300 && i % 3 === 0) await tx.run(grow, [ids[i - 1 - random(300)]!, 'x'.repeat(random(300))]);
    }
  };
  for (let i = 0; i < guests; i += IN_ONE_TRANSACTION)
    await ctx.db.transaction((tx) => add(tx, i, Math.min(guests, i + IN_ONE_TRANSACTION)));
}

const insertHost = write(`
  insert into hosts (id, name, email, timezone, currency, commission_millionths, settlement_modes, created_at)
  values ($1, 'Host', 'host@example.com', 'UTC', 'USD', 0, 'host_settled', 0)`);

const insertSpace = write(`
  insert into spaces (host_id, environment, id, title, category_slug, address, area, price_per_hour, timezone, open_hour,
    close_hour, cancellation_notice_hours, rating_hundredths, review_count, is_active, amenities, photo_urls, created_at,
    updated_at)
  values ($1, 'production', $2, 'Space', 'studio', '', '', 0, 'UTC', 0, 24, 0, 0, 0, 1, '[]', '[]', 0, 0)`);

const insertBooking = write(`
  insert into bookings (host_id, id, environment, space_id, status, source, date, start_hour, end_hour, timezone,
    starts_at, ends_at, guest_name, guest_email, guest_key, idempotency_key, request_hash, cancellation_reason, price_per_hour, total_price, currency,
    commission_millionths, settlement_mode, payment_status, created_at, updated_at)
  values ($1, $2, 'production', $3, 'confirmed', 'api', '2027-06-01', 1, 2, 'UTC', 1, 2, $4, $4 || '+Tag@Trace.Example', $5, $4 || '/1', 'x', upper($4) || ', ill', 0, 0, 'USD', 0,
    'host_settled', 'host_collected', 0, 0)`);

const grow = write('update bookings set payment_reference = $2 where id = $1');
