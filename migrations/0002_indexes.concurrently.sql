-- oldest: 0.1.0
-- What has changed since a moment; and that no booking is replaced by two.

create index concurrently bookings_by_change on bookings (host_id, environment, updated_at, id);
create unique index concurrently bookings_by_replaced on bookings (host_id, replaces) where replaces is not null;
