import * as apiKeys from '../src/api-keys/api-keys.ts';
import { SCOPES } from '../src/api-keys/scopes.ts';
import { read, write, type Db } from '../src/db/database.ts';
import { ALL_MONTHS } from '../src/earnings/sql.ts';
import * as hosts from '../src/hosts/hosts.ts';
import * as spaces from '../src/spaces/spaces.ts';
import { systemClock } from '../src/time/clock.ts';
import { insertManyBookings } from '../test/support/many-bookings.ts';

export interface BusyHost {
  hostId: string;
  key: string;
  spaceId: string;
  /** Opens the calendar feed of that space. */
  token: string;
  /** How many bookings it has. */
  bookings: number;
}

export interface Business {
  rooms: number;
  firstMonth: string;
  days: number;
  perDay: number;
  /** Bookings before it are completed, those from it on confirmed; one in ten is cancelled. */
  today: string;
}

/** Hosts with their spaces, a key and all their bookings. */
export async function addBusyHosts(db: Db, businesses: readonly Business[]): Promise<BusyHost[]> {
  const made: BusyHost[] = [];
  await withoutIndexes(db, async () => {
    for (const business of businesses) made.push(await addHost(db, business));
  });
  await db.exclusive(async (tx) => {
    await tx.run(sumCompleted);
    await tx.script('analyze');
  });
  return made;
}

async function addHost(db: Db, { rooms, firstMonth, days, perDay, today }: Business): Promise<BusyHost> {
  const now = systemClock.now();
  const environment = 'production';
  const { hostId, space, key } = await db.transaction(async (tx) => {
    const hostId = await hosts.add(tx, now, { ...HOST, email: `host-of-${rooms}@example.com` });
    let space = { id: '', icalToken: '' };
    for (let i = 0; i < rooms; i++)
      space = await spaces.add(tx, now, { ...SPACE, hostId, environment, title: `Room ${i}` });
    const wanted = { hostId, environment, name: 'bench', scopes: SCOPES, expiresAt: null } as const;
    return { hostId, space, key: (await apiKeys.create(tx, now, wanted)).key };
  });
  const first = Temporal.PlainDate.from(`${firstMonth}-01`);
  const dates = Array.from({ length: days }, (_, i) => first.add({ days: i }).toString());
  const bookings = await insertManyBookings(db, { hostId, environment, days: dates, perDay, today });
  return { hostId, key, spaceId: space.id, token: space.icalToken, bookings };
}

/** A million rows find their places in an index faster all at once than one by one. */
export async function withoutIndexes(db: Db, work: () => Promise<void>): Promise<void> {
  const indexes = await db.all(INDEXES[db.engine]);
  await db.exclusive((tx) => tx.script(indexes.map(({ name }) => `drop index ${name};`).join('\n')));
  await work();
  await db.exclusive((tx) => tx.script(indexes.map(({ definition }) => `${definition};`).join('\n')));
}

interface IndexRow {
  name: string;
  definition: string;
}

const INDEXES = {
  sqlite: read<IndexRow>(`
    select name, sql as definition from sqlite_master
    where type = 'index' and tbl_name = 'bookings' and sql is not null`),
  postgres: read<IndexRow>(`
    select indexname as name, indexdef as definition from pg_indexes
    where tablename = 'bookings' and indexname <> 'bookings_pkey'`),
};

/** Rounded half up another way than the service does it. */
const COMMISSION = 'cast(floor(total_price * commission_millionths / 1000000.0 + 0.5) as bigint)';

const sumsBy = (month: string): string => `
  select host_id, environment, space_id, ${month}, count(*), sum(end_hour - start_hour), sum(total_price), sum(${COMMISSION})
  from bookings where status = 'completed' group by 1, 2, 3, 4`;

/** What completing them one by one would have written. */
export const sumCompleted = write(`
  insert into monthly_earnings (host_id, environment, space_id, month, bookings, hours, gross, commission)
  ${sumsBy('substr(cast(date as text), 1, 7)')} union all ${sumsBy(`'${ALL_MONTHS}'`)}`);

export interface BareSum {
  bookings: number;
  gross: number;
  commission: number;
}

const BARE_SUM = `
  select count(*) as bookings, cast(sum(total_price) as bigint) as gross,
    cast(sum(${COMMISSION}) as bigint) as commission
  from bookings where host_id = $1 and environment = 'production'`;

/** What a report adds up, and nothing else. */
export const sumMonth = read<BareSum>(
  `${BARE_SUM} and date >= $2 and date <= $3 and source = 'api' and status <> 'cancelled'`,
);

/** What earnings would add up if nobody had kept sums. */
export const sumLife = read<BareSum>(`${BARE_SUM} and status = 'completed'`);

const HOST = {
  name: 'Bench',
  timezone: 'UTC',
  currency: 'USD',
  commissionMillionths: 100_000,
  settlementModes: hosts.SETTLEMENT_MODES,
  maxBookingValue: null,
};

const SPACE = {
  categorySlug: 'studio',
  description: null,
  address: '1 Bench Street',
  area: 'Benchville',
  pricePerHour: 5000,
  capacity: null,
  timezone: 'UTC',
  openHour: 0,
  closeHour: 24,
  cancellationNoticeHours: 0,
  ratingHundredths: 0,
  reviewCount: 0,
  isActive: true,
  amenities: [],
  photoUrls: [],
};
