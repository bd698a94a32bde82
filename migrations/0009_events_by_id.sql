-- Events are forgotten in the order of their ids, which is that of their time.
drop index events_by_age;
