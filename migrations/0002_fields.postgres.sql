-- oldest: 0.1.0
-- When a booking was paid and its money given back, which booking took the place of which, and the request behind an event.

alter table bookings add column paid_at bigint;
alter table bookings add column refunded_at bigint;
alter table bookings add column replaces uuid;
alter table bookings add column replaced_by uuid;

alter table events add column request_id text;
