-- oldest: 0.1.0
-- Bookings by the caller's own reference; those that nobody has paid, by when they were made; and the hours of a block.

create index concurrently bookings_by_reference on bookings (host_id, environment, reference, status, date, start_hour, id)
  where reference is not null;
create index concurrently bookings_unpaid on bookings (created_at) where status = 'confirmed' and payment_status = 'pending';
create index concurrently hours_by_block on hours (block_id, host_id) where block_id is not null;
