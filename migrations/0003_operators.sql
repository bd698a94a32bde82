-- oldest: 0.1.0
-- What an entry of the audit trail changed, operators' own names for what they keep in a file, the trace behind an event, and the
-- attempts of a delivery before it was sent again.

alter table audit add column changes text;

alter table hosts add column ref text;
alter table spaces add column ref text;
alter table calendars add column ref text;
alter table api_keys add column ref text;

alter table events add column traceparent text;

alter table deliveries add column earlier_attempts integer not null default 0;
