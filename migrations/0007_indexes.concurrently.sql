-- oldest: 0.1.0
-- Which booking a payment's reference stands on.

create index concurrently bookings_by_payment_reference on bookings (host_id, environment, payment_reference)
  where payment_reference is not null;
