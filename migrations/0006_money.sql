-- What each space has earned, month by month: the sums of its completed bookings by the month of their local date.
-- Written in the transaction that completes them. A completed booking never changes again, so these sums only
-- grow, and the earnings summary reads a few rows a space instead of every booking a host ever had.
create table monthly_earnings (
  host_id text not null references hosts (id),
  environment text not null check (environment in ('production', 'sandbox')),
  space_id text not null references spaces (id),
  month text not null,
  bookings bigint not null,
  hours bigint not null,
  gross bigint not null,
  commission bigint not null,
  primary key (host_id, environment, space_id, month)
);

-- Bookings that were completed before there was this table. Commission rounds half up, each booking for itself;
-- split at a million, so that no product leaves 64 bits.
insert into monthly_earnings (host_id, environment, space_id, month, bookings, hours, gross, commission)
select host_id, environment, space_id, substr(date, 1, 7), count(*), sum(end_hour - start_hour), sum(total_price),
  sum(total_price / 1000000 * commission_millionths
    + (total_price % 1000000 * commission_millionths + 500000) / 1000000)
from bookings where status = 'completed' group by host_id, environment, space_id, substr(date, 1, 7);
