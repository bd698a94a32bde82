-- oldest: 0.1.0
-- Opening hours by weekday and booking rules of a space; what a booking says in its caller's own words, walk-ins, and whether a payment
-- of it was voided.

alter table spaces add column weekly_hours text;
alter table spaces add column min_hours integer;
alter table spaces add column max_hours integer;
alter table spaces add column lead_hours integer;
alter table spaces add column horizon_days integer;

alter table bookings add column reference text;
alter table bookings add column notes text;
alter table bookings add column guest_count integer;
alter table bookings add column walk_in integer not null default 0;
alter table bookings add column payment_voided_at bigint;
