-- oldest: 0.1.0
-- What requests and deliveries of each host came to in the last 24 hours.

create table host_figures (
  host_id text not null,
  slot integer not null check (slot between 0 and 95),
  figure text not null,
  since bigint not null,
  total bigint not null,
  primary key (host_id, slot, figure)
) without rowid;
