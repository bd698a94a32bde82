-- A booking writes every index of its table; this one now serves the lists of one status too.
drop index bookings_by_host_status;
drop index bookings_by_host;
create index bookings_by_host on bookings (host_id, environment, date, start_hour, id, status);

-- These rows were locks. PostgreSQL has locks without rows, and SQLite has one writer and needs none.
drop table guests;
delete from settings where name = 'delivery_claims';

-- The hours that every day has, to count through a range.
create table day_hours (
  hour integer primary key check (hour between 0 and 23)
);
insert into day_hours (hour) values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11),
  (12), (13), (14), (15), (16), (17), (18), (19), (20), (21), (22), (23);
