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
  cancellation_notice_hours: number;
  rating_hundredths: number;
  review_count: number;
  is_active: number;
  amenities: string;
  photo_urls: string;
}

const COLUMNS = `s.id, s.title, s.category_slug, s.description, s.address, s.area, s.price_per_hour, h.currency,
  s.timezone, s.capacity, s.open_hour, s.close_hour, s.cancellation_notice_hours, s.rating_hundredths, s.review_count,
  s.is_active, s.amenities, s.photo_urls`;

export const selectSpacesOfHost = read<SpaceRow>(`
  select ${COLUMNS} from spaces s join hosts h on h.id = $1
  where s.host_id = $1 and s.environment = $2 order by s.id`);

export const selectSpace = read<SpaceRow>(`
  select ${COLUMNS} from spaces s join hosts h on h.id = $1
  where s.host_id = $1 and s.environment = $2 and s.id = $3`);

export interface OperatorRow extends SpaceRow {
  host_id: string;
  host_name: string;
  environment: Environment;
  /** The operator's own name for it. */
  ref: string | null;
}

const FOR_OPERATOR = `select ${COLUMNS}, s.host_id, h.name as host_name, s.environment, s.ref
  from spaces s join hosts h on h.id = s.host_id`;

export const selectSpacesForOperator = read<OperatorRow>(`
  ${FOR_OPERATOR} where ($1::uuid is null or s.host_id = $1::uuid) order by s.id desc`);

export const selectSpaceForOperator = read<OperatorRow>(`
  ${FOR_OPERATOR} where s.host_id = $1 and s.environment = $2 and s.id = $3`);

export const insertSpace = write(`
  insert into spaces (host_id, environment, id, title, category_slug, description, address, area, price_per_hour,
    capacity, timezone, open_hour, close_hour, cancellation_notice_hours, rating_hundredths, review_count,
    is_active, amenities, photo_urls, created_at, updated_at, ref)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $20, $21)`);

/** Locks the row by a write that changes nothing. */
export const lockSpace = write(`
  update spaces set updated_at = updated_at where host_id = $1 and environment = $2 and id = $3`);

export const updateSpace = write(`
  update spaces set title = $4, category_slug = $5, description = $6, address = $7, area = $8, price_per_hour = $9,
    capacity = $10, timezone = $11, open_hour = $12, close_hour = $13, cancellation_notice_hours = $14,
    is_active = $15, amenities = $16, photo_urls = $17, updated_at = $18
  where host_id = $1 and environment = $2 and id = $3`);

export interface FeedRow {
  host_id: string;
  environment: Environment;
  token_hash: string;
}

/** The host and environment of a space, for callers who know only its id. */
export const selectFeed = read<FeedRow>(
  'select host_id, environment, token_hash from feeds where space_id = $1',
);

export const insertFeed = write(`
  insert into feeds (host_id, environment, space_id, token_hash) values ($1, $2, $3, $4)`);

export const updateFeedToken = write('update feeds set token_hash = $2 where space_id = $1');

export const selectFeedSpace = read<{ id: string; title: string; timezone: string }>(`
  select s.id, s.title, s.timezone from spaces s join hosts h on h.id = $1
  where s.host_id = $1 and s.environment = $2 and s.id = $3 and h.deactivated_at is null`);
