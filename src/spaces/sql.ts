import { read, write } from '../db/database.ts';
import type { Environment } from '../ids/api-key.ts';

export interface SpaceRow {
  id: string;
  title: string;
  category_slug: string;
  description: string | null;
  address: string;
  area: string;
  price_per_hour: number;
  currency: string;
  timezone: string;
  capacity: number | null;
  open_hour: number;
  close_hour: number;
  rating_hundredths: number;
  review_count: number;
  is_active: number;
  amenities: string;
  photo_urls: string;
}

const COLUMNS = `s.id, s.title, s.category_slug, s.description, s.address, s.area, s.price_per_hour, h.currency,
  s.timezone, s.capacity, s.open_hour, s.close_hour, s.rating_hundredths, s.review_count, s.is_active,
  s.amenities, s.photo_urls`;

export const selectSpacesOfHost = read<SpaceRow>(`
  select ${COLUMNS} from spaces s join hosts h on h.id = s.host_id
  where s.host_id = $1 and s.environment = $2 order by s.id`);

export const selectSpace = read<SpaceRow>(`
  select ${COLUMNS} from spaces s join hosts h on h.id = s.host_id
  where s.id = $1 and s.host_id = $2 and s.environment = $3`);

export const selectSpacesForOperator = read<
  SpaceRow & { host_id: string; host_name: string; environment: string }
>(`
  select ${COLUMNS}, s.host_id, h.name as host_name, s.environment
  from spaces s join hosts h on h.id = s.host_id
  where ($1 = '' or s.host_id = $1) order by s.id`);

export const insertSpace = write(`
  insert into spaces (id, host_id, environment, title, category_slug, description, address, area, price_per_hour,
    capacity, timezone, open_hour, close_hour, cancellation_notice_hours, rating_hundredths, review_count,
    is_active, amenities, photo_urls, ical_token_hash, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $21)`);

/** A write that changes nothing: whoever has made it reads the row as it stays until they commit. */
export const lockSpace = write(`
  update spaces set updated_at = updated_at where id = $1 and host_id = $2 and environment = $3`);

export const updateListing = write(`
  update spaces set title = $2, price_per_hour = $3, is_active = $4, updated_at = $5 where id = $1`);

export interface FeedSpaceRow {
  id: string;
  title: string;
  timezone: string;
  ical_token_hash: string;
}

export const selectFeedSpace = read<FeedSpaceRow>(`
  select id, title, timezone, ical_token_hash from spaces where id = $1`);

export const updateIcalToken = write(`
  update spaces set ical_token_hash = $2, updated_at = $3 where id = $1`);

export const selectOwner = read<{ host_id: string; environment: Environment }>(`
  select host_id, environment from spaces where id = $1`);
