-- oldest: 0.1.0
-- The URL of an external calendar, encrypted.

alter table calendars add column sealed_url text;
